#include "tests/localaws/dynamodb/expression.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"
#include "tests/localaws/dynamodb/attribute_value.h"
#include "tests/localaws/http/http_message.h"

namespace trainwarden::localaws {
namespace {

using json::Value;
using Tokens = std::vector<std::string>;

bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Words, with `#` or `:` before them or without, and the signs ( ) = one by one; other characters
// too, which fit nothing.
Tokens tokens_of(std::string_view text) {
  Tokens out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      at = end;
      continue;
    }
    if (in_word(text[at]) || text[at] == '#' || text[at] == ':')
      while (end < text.size() && in_word(text[end])) ++end;
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::unexpected<AwsError> wrong(const Expression& expression, std::string_view what) {
  return invalid(fmt::format("Invalid {}: {}", expression.kind, what));
}

// What stands for the token: the name behind a placeholder.
Answer<std::string> resolved(const Expression& expression, const std::string& token) {
  if (!token.starts_with('#')) return token;
  const auto name = expression.names ? expression.names->find_present(token) : std::nullopt;
  if (!name)
    return wrong(expression,
                 fmt::format("An expression attribute name used in the document path is not "
                             "defined; attribute name: {}",
                             token));
  return std::string(name->as_string());
}

Answer<void> check_unused(std::string_view parameter, const std::optional<Value>& given,
                          const Tokens& tokens) {
  std::string unused;
  if (!given) return {};
  for (const json::Member member : given->members())
    if (std::find(tokens.begin(), tokens.end(), member.name) == tokens.end())
      unused.append(unused.empty() ? "" : ", ").append(member.name);
  if (unused.empty()) return {};
  return invalid(
      fmt::format("Value provided in {} unused in expressions: keys: {{{}}}", parameter, unused));
}

Answer<void> check_keys(std::string_view parameter, char sign, Value given) {
  for (const json::Member member : given.members()) {
    const std::string_view key = member.name;
    if (key.size() > 1 && key[0] == sign && std::all_of(key.begin() + 1, key.end(), in_word))
      continue;
    return invalid(
        fmt::format("{} contains invalid key: Syntax error; key: \"{}\"", parameter, key));
  }
  return {};
}

// What names and values must be whatever the expression says.
Answer<void> check_parameters(const Expression& expression) {
  const auto check = [&](std::string_view parameter, char sign,
                         const std::optional<Value>& given) -> Answer<void> {
    if (!given) return {};
    if (!expression.text)
      return invalid(fmt::format("{} can only be specified when using expressions: {} is null",
                                 parameter, expression.kind));
    if (given->size() == 0) return invalid(fmt::format("{} must not be empty", parameter));
    return check_keys(parameter, sign, *given);
  };
  if (auto ok = check("ExpressionAttributeNames", '#', expression.names); !ok) return ok;
  if (auto ok = check("ExpressionAttributeValues", ':', expression.values); !ok) return ok;
  if (!expression.values) return {};
  for (const json::Member member : expression.values->members())
    if (auto ok = check_value(member.value); !ok) {
      if (ok.error().code != "ValidationException") return ok;
      return invalid(fmt::format("ExpressionAttributeValues contains invalid value: {} for key {}",
                                 ok.error().message, member.name));
    }
  return {};
}

// The value whose placeholder stands at the end of the expression, where what stands before it is
// `begin`. Keywords may be written in any case.
Answer<Value> value_behind(const Expression& expression, std::string_view begin) {
  const Tokens form = tokens_of(begin);
  if (auto ok = check_parameters(expression); !ok) return std::unexpected(ok.error());
  Tokens tokens = tokens_of(*expression.text);
  if (tokens.empty()) return wrong(expression, "The expression can not be empty;");
  const Tokens all = tokens;
  if (tokens.size() == form.size() + 3 && tokens.front() == "(" && tokens.back() == ")") {
    tokens.erase(tokens.begin());
    tokens.pop_back();
  }
  Tokens plain;
  for (const std::string& token : tokens) {
    auto word = resolved(expression, token);
    if (!word) return std::unexpected(word.error());
    plain.push_back(equal_ignoring_case(token, "OR") ? "OR" : *std::move(word));
  }
  const bool known = plain.size() == form.size() + 1 && plain.back().starts_with(':') &&
                     std::equal(form.begin(), form.end(), plain.begin());
  if (!known)
    return wrong(expression, fmt::format("localaws knows `{} :value` only, found `{}`", begin,
                                         *expression.text));
  const auto value =
      expression.values ? expression.values->find_present(plain.back()) : std::nullopt;
  if (!value)
    return wrong(expression,
                 fmt::format("An expression attribute value used in expression is not defined; "
                             "attribute value: {}",
                             plain.back()));
  if (auto ok = check_unused("ExpressionAttributeNames", expression.names, all); !ok)
    return std::unexpected(ok.error());
  if (auto ok = check_unused("ExpressionAttributeValues", expression.values, all); !ok)
    return std::unexpected(ok.error());
  return *value;
}

}  // namespace

Expression expression_of(Value input, std::string_view kind) {
  Expression out{.kind = kind,
                 .text = {},
                 .names = input.find_present("ExpressionAttributeNames"),
                 .values = input.find_present("ExpressionAttributeValues")};
  if (const auto text = input.find_present(kind)) out.text = text->as_string();
  return out;
}

Answer<std::optional<Value>> version_condition(const Expression& expression) {
  if (!expression.text) {
    if (auto ok = check_parameters(expression); !ok) return std::unexpected(ok.error());
    return std::nullopt;
  }
  auto value = value_behind(expression, "attribute_not_exists(id) OR v =");
  if (!value) return std::unexpected(value.error());
  return *value;
}

Answer<Value> key_condition(const Expression& expression) {
  if (!expression.text)
    return invalid(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request.");
  return value_behind(expression, "due =");
}

}  // namespace trainwarden::localaws
