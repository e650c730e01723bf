// The answer side of the Query protocol: a JSON answer as XML. Lists become <member> elements;
// times, epoch seconds in JSON, become ISO 8601.
#pragma once

#include <string>
#include <string_view>

namespace trainwarden::localaws {

struct QueryFrame {
  std::string_view operation;
  std::string_view xml_namespace;
  std::string_view request_id;
};

// answer: a JSON object, or empty where the operation has no result.
std::string query_answer(const QueryFrame& frame, const std::string& answer);
// type: Sender or Receiver.
std::string query_error(const QueryFrame& frame, std::string_view type, std::string_view code,
                        std::string_view message);

// As EC2 alone has it.
std::string ec2_error(std::string_view request_id, std::string_view code, std::string_view message);

}  // namespace trainwarden::localaws
