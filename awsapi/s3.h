// The one S3 call in use: which objects lie below a prefix.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "awsapi/client.h"

namespace trainwarden::aws {

struct S3Location {
  std::string bucket;
  std::string prefix;  // of keys; empty, or closed by a slash
};

// "s3://bucket/a/folder", with or without its closing slash. kInvalidInput for anything else.
Result<S3Location> parse_s3_uri(std::string_view uri);

struct S3Object {
  std::string key;
  sys_seconds written;
  std::int64_t size = 0;
};

class S3 {
 public:
  explicit S3(Client& client) : client_(client) {}

  // each(object) gets them in the order of their keys, up to 1,000 a page. False where there are
  // more pages than that. kNotFound: there is no such bucket.
  Result<bool> list_objects_v2(const S3Location& where, int most_pages,
                               const std::function<void(const S3Object&)>& each,
                               const CallContext& context) const;

 private:
  Client& client_;
};

}  // namespace trainwarden::aws
