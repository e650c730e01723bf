#include "handlers/cli/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/base/print.h"
#include "runtime/json/utf8.h"

namespace trainwarden::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kLittle = "\xFF\xFE"sv;
constexpr std::string_view kBig = "\xFE\xFF"sv;
constexpr std::string_view kLittle32 = "\xFF\xFE\0\0"sv;
constexpr std::string_view kSaveAs = "save it as UTF-8";

std::unexpected<Error> no_text(std::string_view found) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("expected text in UTF-8, found {}: {}", found, kSaveAs));
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto tail = [code](unsigned shift) {
    return static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80U) {
    out += static_cast<char>(code);
  } else if (code < 0x800U) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    out += tail(0);
  } else if (code < 0x10000U) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    out += {tail(6), tail(0)};
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    out += {tail(12), tail(6), tail(0)};
  }
}

// bytes: behind the mark.
Result<std::string> from_utf16(std::string_view bytes, bool is_little) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(is_little ? second << 8U | first : first << 8U | second);
  };
  if (bytes.size() % 2 != 0) return no_text("UTF-16 that ends with half a character");
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code >= 0xD800U && code < 0xE000U) {
      const bool is_pair =
          code < 0xDC00U && at + 2 < bytes.size() && (unit(at + 2) & 0xFC00U) == 0xDC00U;
      if (!is_pair) return no_text(fmt::format("UTF-16 with half a pair at byte {}", at + 2));
      at += 2;
      code = 0x10000U + ((code & 0x3FFU) << 10U) + (unit(at) & 0x3FFU);
    }
    append_utf8(code, out);
  }
  return out;
}

}  // namespace

bool has_foreign_mark(unsigned char first_byte) { return first_byte >= 0xFEU; }

int with_utf8(std::FILE* in, std::FILE* errors, const std::function<int(std::FILE* text)>& read) {
  const int first = std::fgetc(in);
  if (first == EOF || !has_foreign_mark(static_cast<unsigned char>(first))) {
    if (first != EOF) std::ungetc(first, in);
    return read(in);
  }
  std::string bytes(1, static_cast<char>(first));
  std::array<char, std::size_t{16} << 10U> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), in))
    bytes.append(piece.data(), count);
  auto text = utf8_of(std::move(bytes));
  if (!text) {
    print(errors, fmt::format("trainwarden: {}\n", text.error().message));
    return 2;
  }
  if (text->empty()) return read(in);  // which has ended
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> decoded(
      ::fmemopen(text->data(), text->size(), "rb"), std::fclose);
  return decoded ? read(decoded.get()) : 2;
}

std::optional<std::string> why_no_text(std::string_view line) {
  if (const std::size_t valid = json::valid_utf8(line); valid < line.size())
    return fmt::format("expected text in UTF-8, found the byte 0x{:02X}: {}",
                       static_cast<unsigned char>(line[valid]), kSaveAs);
  if (line.contains('\0'))
    return fmt::format("expected text in UTF-8, found NUL bytes, as UTF-16 has them: {}", kSaveAs);
  return std::nullopt;
}

Result<std::string> utf8_of(std::string bytes) {
  if (bytes.starts_with(kLittle32)) return no_text("UTF-32");
  if (bytes.starts_with(kLittle)) return from_utf16(std::string_view(bytes).substr(2), true);
  if (bytes.starts_with(kBig)) return from_utf16(std::string_view(bytes).substr(2), false);
  if (const std::size_t valid = json::valid_utf8(bytes); valid < bytes.size())
    return no_text(fmt::format("the byte 0x{:02X} on line {}",
                               static_cast<unsigned char>(bytes[valid]),
                               1 + std::ranges::count(bytes.substr(0, valid), '\n')));
  if (bytes.contains('\0')) return no_text("NUL bytes, as UTF-16 without its mark has them");
  return bytes;
}

}  // namespace trainwarden::cli
