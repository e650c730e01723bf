#include "handlers/rules/patterns/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handlers/rules/patterns/nearest.h"
#include "handlers/rules/patterns/text_match.h"

namespace trainwarden::rules {
namespace {

using Kind = Test::Kind;

constexpr std::array<Operator, 9> kOperators = {{
    {"anything-but", Operand::kExclusion, Kind::kAnythingBut},
    {"cidr", Operand::kNetwork, Kind::kAddress},
    {kIgnoreCaseOperator, Operand::kText, Kind::kIgnoreCase, true},
    {"exactly", Operand::kText, Kind::kText},
    {"exists", Operand::kBoolean, Kind::kPresent},
    {"numeric", Operand::kBounds, Kind::kNumeric},
    {"prefix", Operand::kAffix, Kind::kPrefix, true},
    {"suffix", Operand::kAffix, Kind::kSuffix, true},
    {"wildcard", Operand::kWildcard, Kind::kWildcard, true},
}};

constexpr std::array<Bound, 5> kBounds = {{
    {"=", true, true, false},
    {"<", false, true, true},
    {"<=", false, true, false},
    {">", true, false, true},
    {">=", true, false, false},
}};

template <std::size_t N>
constexpr std::array<std::string_view, N> names_of(bool (*chosen)(const Operator&)) {
  std::array<std::string_view, N> out;
  std::ranges::transform(kOperators | std::views::filter(chosen), out.begin(), &Operator::name);
  return out;
}

constexpr std::size_t kExcludable = std::ranges::count(kOperators, true, &Operator::excludable);
constexpr auto kNames = names_of<kOperators.size()>([](const Operator&) { return true; });
constexpr auto kExcludedNames =
    names_of<kExcludable>([](const Operator& o) { return o.excludable; });
constexpr std::array<std::string_view, 1> kIgnoreCaseOnly = {kIgnoreCaseOperator};

constexpr std::array<std::string_view, 16> kReservedBeside = {"html",
                                                              "=",
                                                              "<",
                                                              "<=",
                                                              ">",
                                                              ">=",
                                                              "regex",
                                                              "not-wildcard",
                                                              "not-equals-ignore-case",
                                                              "date-after",
                                                              "date-on-or-after",
                                                              "date-before",
                                                              "date-on-or-before",
                                                              "in-date-range",
                                                              "ip-address-in-range",
                                                              "ip-address-not-in-range"};

class Reader {
 public:
  Reader(JsonPath& where, Diagnostics& diagnostics) : where_(where), complaints_(diagnostics) {}

  std::optional<Test> test(json::Value item) {
    Test out;
    switch (item.type()) {
      case json::Type::kString:
        return plain_text(item.as_string());
      case json::Type::kNumber:
        out.kind = Kind::kNumber;
        out.number = item.as_number();
        return out;
      case json::Type::kBoolean:
        out.kind = Kind::kBoolean;
        out.boolean = item.as_boolean();
        return out;
      case json::Type::kNull:
        out.kind = Kind::kNull;
        return out;
      case json::Type::kObject:
        return expression(item);
      case json::Type::kArray:
        break;
    }
    return complain("expected a string, number, boolean, null or one of the operators", item);
  }

 private:
  std::nullopt_t complain(std::string_view what, json::Value value) {
    complaints_.error(where_, fmt::format("{}, {}", what, found(value)));
    return std::nullopt;
  }

  // The reference matcher compares a text that is an IP address as an address, not as text.
  static Test plain_text(std::string_view text) {
    Test out;
    out.text = text;
    std::optional<AddressRange> address = address_range(text);
    out.kind = address ? Kind::kAddress : Kind::kText;
    if (address) out.addresses = std::move(*address);
    return out;
  }

  static Test text_test(Kind kind, std::string_view text) {
    Test out;
    out.kind = kind;
    out.text = text;
    return out;
  }

  std::optional<Test> expression(json::Value item) {
    if (item.size() != 1) {
      return complain("expected one operator, such as `{\"exists\": true}`", item);
    }
    const json::Member member = *item.members().begin();
    JsonPath::Step step(where_, member.name);
    const auto op = std::ranges::find(kOperators, member.name, &Operator::name);
    if (op != kOperators.end()) return read(*op, member.value);
    complaints_.error(where_,
                      fmt::format("expected a plain value or the operator {}, found `{}`{}",
                                  one_of(kNames), member.name, did_you_mean(member.name, kNames)));
    return std::nullopt;
  }

  std::optional<Test> read(const Operator& op, json::Value value) {
    switch (op.operand) {
      case Operand::kBoolean:
        return exists(value);
      case Operand::kText:
      case Operand::kWildcard:
        return text(value, op.kind);
      case Operand::kAffix:
        return affix(value, op.kind);
      case Operand::kNetwork:
        return cidr(value);
      case Operand::kBounds:
        return numeric(value);
      case Operand::kExclusion:
        return anything_but(value);
    }
    return std::nullopt;
  }

  std::optional<Test> exists(json::Value value) {
    if (!value.is_boolean()) return complain("expected true or false", value);
    Test out;
    out.kind = value.as_boolean() ? Kind::kPresent : Kind::kAbsent;
    return out;
  }

  std::optional<Test> text(json::Value value, Kind kind) {
    if (!value.is_string()) return complain("expected a string", value);
    if (kind == Kind::kWildcard && !check_wildcard(value.as_string())) return std::nullopt;
    return text_test(kind, value.as_string());
  }

  bool check_wildcard(std::string_view pattern) {
    const std::optional<std::string> mistake = wildcard_mistake(pattern);
    if (mistake) complaints_.error(where_, *mistake);
    return !mistake;
  }

  // A string, or {"equals-ignore-case": a string}.
  std::optional<Test> affix(json::Value value, Kind plain) {
    if (!value.is_object()) return text(value, plain);
    if (value.size() != 1) {
      return complain("expected a string or `{\"equals-ignore-case\": …}`", value);
    }
    const json::Member member = *value.members().begin();
    JsonPath::Step step(where_, member.name);
    if (member.name == kIgnoreCaseOperator)
      return text(member.value,
                  plain == Kind::kPrefix ? Kind::kPrefixIgnoreCase : Kind::kSuffixIgnoreCase);
    complaints_.error(where_, fmt::format("expected {}, found `{}`{}", one_of(kIgnoreCaseOnly),
                                          member.name, did_you_mean(member.name, kIgnoreCaseOnly)));
    return std::nullopt;
  }

  std::optional<Test> cidr(json::Value value) {
    if (!value.is_string()) return complain("expected a network such as \"10.0.0.0/8\"", value);
    Result<AddressRange> range = network_range(value.as_string());
    if (!range) {
      complaints_.error(where_, range.error().message);
      return std::nullopt;
    }
    Test out = text_test(Kind::kAddress, value.as_string());
    out.addresses = std::move(*range);
    return out;
  }

  // ["=", n], [">", n], [">=", n, "<", m] and so on.
  std::optional<Test> numeric(json::Value value) {
    constexpr std::string_view kForm =
        "expected one comparison, such as [\">\", 0], or a lower and an upper one, such as "
        "[\">=\", 0, \"<\", 10]";
    std::vector<json::Value> items;
    for (json::Value item : value.elements()) items.push_back(item);
    if (items.size() != 2 && items.size() != 4) return complain(kForm, value);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (!items[i].is_string() || !items[i + 1].is_number()) return complain(kForm, value);
    }
    Test out;
    out.kind = Kind::kNumeric;
    out.low = -std::numeric_limits<double>::infinity();
    out.high = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < items.size(); i += 2) {
      const auto sign = std::ranges::find(kBounds, items[i].as_string(), &Bound::sign);
      // Of two, the first is a lower bound and the second an upper one.
      const bool alone = items.size() == 2;
      if (sign == kBounds.end() || (!alone && (sign->lower != (i == 0) || sign->upper != (i != 0))))
        return complain(kForm, value);
      const double bound = items[i + 1].as_number();
      if (sign->lower) {
        out.low = bound;
        out.open_low = sign->open;
      }
      if (sign->upper) {
        out.high = bound;
        out.open_high = sign->open;
      }
    }
    if (items.size() == 2) return out;
    if (out.low >= out.high) {
      return complain("expected a lower bound below the upper one", value);
    }
    return out;
  }

  std::optional<Test> anything_but(json::Value value) {
    Test out;
    out.kind = Kind::kAnythingBut;
    if (!value.is_object()) return excluded_values(value, std::move(out));
    if (value.size() != 1) {
      return complain("expected values, or one of the operators " + one_of(kExcludedNames), value);
    }
    const json::Member member = *value.members().begin();
    JsonPath::Step step(where_, member.name);
    const auto form = std::ranges::find(kOperators, member.name, &Operator::name);
    if (form == kOperators.end() || !form->excludable) {
      complaints_.error(where_, fmt::format("expected values or the operator {}, found `{}`{}",
                                            one_of(kExcludedNames), member.name,
                                            did_you_mean(member.name, kExcludedNames)));
      return std::nullopt;
    }
    out.form = form->kind;
    return excluded_texts(member.value, std::move(out));
  }

  // A string or a number, or a list of either.
  std::optional<Test> excluded_values(json::Value value, Test out) {
    constexpr std::string_view kForm =
        "expected a string or a number, or a list of strings only or of numbers only";
    const auto add = [&out](json::Value item) {
      if (item.is_string()) out.texts.emplace_back(item.as_string());
      if (item.is_number()) out.numbers.push_back(item.as_number());
      return item.is_string() || item.is_number();
    };
    bool sound = true;
    if (value.is_array()) {
      for (json::Value item : value.elements()) sound = add(item) && sound;
    } else {
      sound = add(value);
    }
    if (!sound || out.texts.empty() == out.numbers.empty()) return complain(kForm, value);
    out.form = out.numbers.empty() ? Kind::kText : Kind::kNumber;
    return out;
  }

  // A string or a list of strings, for an operator.
  std::optional<Test> excluded_texts(json::Value value, Test out) {
    const auto add = [&](json::Value item) {
      if (!item.is_string()) {
        complain("expected a string or a list of strings", value);
        return false;
      }
      const std::string_view text = item.as_string();
      const bool affix = out.form == Kind::kPrefix || out.form == Kind::kSuffix;
      if (affix && text.empty()) {
        complain("expected a text that is not empty, since every text begins and ends so", value);
        return false;
      }
      if (out.form == Kind::kWildcard && !check_wildcard(text)) return false;
      out.texts.emplace_back(text);
      return true;
    };
    if (!value.is_array()) return add(value) ? std::optional(std::move(out)) : std::nullopt;
    if (value.size() == 0) return complain("expected at least one string", value);
    for (json::Value item : value.elements()) {
      if (!add(item)) return std::nullopt;
    }
    return out;
  }

  JsonPath& where_;
  Diagnostics& complaints_;
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }

std::span<const Bound> bounds() { return kBounds; }

std::string found(json::Value value) {
  return fmt::format("found {} `{}`", json::describe(value.type()), value.excerpt());
}

std::optional<Test> read_test(json::Value item, JsonPath& where, Diagnostics& diagnostics) {
  return Reader(where, diagnostics).test(item);
}

bool is_reserved_in_or(std::string_view member) {
  return std::ranges::find(kNames, member) != kNames.end() ||
         std::ranges::find(kReservedBeside, member) != kReservedBeside.end();
}

}  // namespace trainwarden::rules
