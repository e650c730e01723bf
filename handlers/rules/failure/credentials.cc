#include "handlers/rules/failure/credentials.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/ascii.h"

namespace trainwarden::rules {
namespace {

// What tokens are made of: base64, also that of URLs, and JSON Web Tokens.
bool is_of_token(char c) {
  return is_alphanumeric(c) || c == '+' || c == '/' || c == '_' || c == '-' || c == '.' ||
         c == '=' || c == '%' || c == '~';
}

class Masking {
 public:
  Masking(std::string& text, char mask) : text_(text), lower_(lower_case(text)), mask_(mask) {}

  void mask() {
    mask_passwords_of_urls();
    mask_hooks();
    mask_arguments();
    mask_named_values();
    mask_by_form();
  }

 private:
  void cover(std::size_t begin, std::size_t end) {
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(begin),
              text_.begin() + static_cast<std::ptrdiff_t>(end), mask_);
  }

  // `https://user:password@host`, and `https://token@host`, whatever became of the scheme. A
  // password may have `@` and `/` in it.
  void mask_passwords_of_urls() {
    constexpr std::string_view kMark = "//";
    constexpr std::size_t kShortestToken = 16;
    for (std::size_t at = lower_.find(kMark); at != std::string::npos;
         at = lower_.find(kMark, at + 1)) {
      const std::size_t begin = at + kMark.size();
      const std::size_t end = std::min(lower_.find_first_of(" '\"<>", begin), lower_.size());
      const std::string_view url(lower_.data() + begin, end - begin);
      const std::size_t path = std::min(url.find('/'), url.size());
      const std::size_t colon = url.find(':');
      const std::size_t user_end = url.find('@');
      const std::size_t host = url.substr(0, url.find('?')).rfind('@');
      if (host == url.npos) continue;
      // `host:8080/x@y` has a port there.
      const bool has_port = host > path && colon < path &&
                            std::ranges::all_of(url.substr(colon + 1, path - colon - 1), is_digit);
      if (colon < host && colon < path && !has_port)
        cover(begin + colon + 1, begin + host);
      else if (user_end < path && user_end >= kShortestToken)
        cover(begin, begin + user_end);
    }
  }

  // Addresses that are secrets themselves: who knows one may write there.
  void mask_hooks() {
    static constexpr auto kHooks =
        word_list("hooks.slack.com/services/", "/api/webhooks/", "api.telegram.org/bot", "/bot",
                  "?code=", "&code=", "jdbc:oracle:thin:", "fs.azure.account.key.");
    for (const std::string_view hook : Words(kHooks))
      behind_each(hook, [&](std::size_t begin) {
        const std::size_t end = std::min(lower_.find_first_of(" '\"<>?)", begin), lower_.size());
        // `/bot123456789:AAH…/sendMessage`
        if (hook == "/bot" && !(begin < end && is_digit(lower_[begin]) &&
                                lower_.substr(begin, end - begin).contains(':')))
          return;
        cover(begin, end);
      });
  }

  // `docker login -u AWS -p …`, `curl -u bob:…`, `redis-cli -a …`, `mysqldump -uroot -p…`: commands
  // that a message shows. Behind other commands the same options mean other things.
  void mask_arguments() {
    static constexpr auto kLogins = word_list("docker login", "podman login", "sshpass", "mongo");
    static constexpr auto kRedis = word_list("redis-cli");
    static constexpr auto kMysql = word_list("mysql");
    static constexpr auto kCurl = word_list("curl");
    mask_argument(" -p ", kLogins);
    mask_argument(" -a ", kRedis);
    mask_argument(" -p", kMysql);
    mask_argument(" -u ", kCurl);
    behind_each(" login ", [this](std::size_t begin) {
      const std::string_view value = word_from(begin);
      if (may_be_token(value)) cover(begin, begin + value.size());
    });
  }

  // Calls found(end) for each place where the words stand.
  template <typename Found>
  void behind_each(std::string_view words, Found found) {
    for (std::size_t at = lower_.find(words); at != std::string::npos;
         at = lower_.find(words, at + 1))
      found(at + words.size());
  }

  // The value of an option of one of the commands; behind `user:`, where it has one.
  void mask_argument(std::string_view option, Words commands) {
    behind_each(option, [&](std::size_t begin) {
      const std::string_view before = std::string_view(lower_).substr(0, begin - option.size());
      for (const std::string_view command : commands) {
        const std::size_t name = before.rfind(command);
        if (name == before.npos || before.find_first_of(";|&", name) != before.npos) continue;
        const std::string_view value = word_from(begin);
        const std::size_t secret = value.find(':') + 1;  // 0 where there is none
        cover(begin + secret, begin + value.size());
      }
    });
  }

  std::string_view word_from(std::size_t begin) const {
    const std::string_view rest = std::string_view(text_).substr(begin);
    return rest.substr(0, rest.find_first_of(" '\"`"));
  }

  // `"SessionToken": "…"`, `aws_secret_access_key=…`, `Authorization: Bearer …`,
  // `X-Amz-Signature=…`. Names of programs end so, too (`pad_token`): of those only what may be a
  // token is covered.
  void mask_named_values() {
    static constexpr auto kPasswords =
        word_list("password", "passwd", "passphrase", "secretaccesskey", "secret_access_key",
                  "sessiontoken", "session_token", "security-token", "privatekey", "private_key",
                  "_pass", "_pwd", "cookie", "secretkey", "secret_key", "secretstring",
                  "signing_key", "session_key", "encryption_key", "license_key");
    static constexpr auto kShortPasswords = word_list("pwd", "pass", "pw");
    static constexpr auto kTokens = word_list(
        "token", "secret", "apikey", "api_key", "api-key", "accesskey", "access_key", "accesskeyid",
        "access_key_id", "accountkey", "signature", "credential", "sig", "authorization", "bearer");
    for (std::size_t i = 0; i < lower_.size();) {
      if (!is_name(lower_[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < lower_.size() && is_name(lower_[i])) ++i;
      const std::string_view name(lower_.data() + begin, i - begin);
      // `auth=('bob', '…')`, `HTTPBasicAuth('bob', '…')`
      const std::size_t open = lower_.find_first_not_of('=', i);
      if (name.ends_with("auth") && open != std::string::npos && lower_[open] == '(') {
        cover(open + 1, std::min(lower_.find(')', open), lower_.size()));
        continue;
      }
      const bool password =
          ends_with_one(name, kPasswords) ||
          (is_one(name, kShortPasswords) && i < lower_.size() && lower_[i] == '=') ||
          (name.starts_with("x-") && ends_with_one(name, kTokens));
      // `API key 0123…` and `Bearer …` have nothing in between.
      const bool bare = name == "bearer" || name == "key" || name == "token";
      if (!password && !bare && !ends_with_one(name, kTokens)) continue;
      const std::size_t value = value_behind(i, bare);
      if (value == std::string::npos) continue;
      const std::size_t end = end_of_value(value);
      // `Authorization: Basic dXNl…`: behind the scheme.
      if (name.ends_with("authorization"))
        if (const std::size_t token = lower_.find_first_not_of(' ', end);
            token != std::string::npos && token > end)
          cover(token, end_of_value(token));
      if (password || may_be_token(std::string_view(text_).substr(value, end - value)))
        cover(value, end);
    }
  }

  static bool is_name(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

  // Where the value begins of a name that ends at an offset: behind `=` or `:`, and quotes; npos
  // where there is none.
  std::size_t value_behind(std::size_t end, bool behind_blank) const {
    const std::size_t mark = lower_.find_first_not_of("\"' ", end);
    if (mark == std::string::npos) return mark;
    if (lower_[mark] != '=' && lower_[mark] != ':')
      return behind_blank && mark > end ? mark : std::string::npos;
    const std::size_t value = lower_.find_first_not_of("\"' =([", mark + 1);
    // Python's `b'…'`.
    const bool quoted = value != std::string::npos && value + 1 < lower_.size() &&
                        lower_[value + 1] == '\'' &&
                        std::string_view("bru").contains(lower_[value]);
    return quoted ? value + 2 : value;
  }

  std::size_t end_of_value(std::size_t begin) const {
    return std::min(lower_.find_first_of("\"' ,;&)}]<>|", begin), lower_.size());
  }

  // At least a dozen characters of a token, letters and digits among them. With a point in it, it
  // is a name of something in a program; JSON Web Tokens are known by their form.
  static bool may_be_token(std::string_view value) {
    constexpr std::size_t kShortest = 12;
    return value.size() >= kShortest && std::ranges::all_of(value, is_of_token) &&
           !value.contains('.') && std::ranges::any_of(value, is_digit) &&
           std::ranges::any_of(value, is_letter);
  }

  void mask_by_form() {
    for (std::size_t i = 0; i < text_.size();) {
      if (!is_of_token(text_[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < text_.size() && is_of_token(text_[i])) ++i;
      // `key=value`: each part for itself.
      std::size_t part = begin;
      while (part < i) {
        const std::size_t end = std::min(text_.find('=', part), i);
        if (is_credential(std::string_view(text_).substr(part, end - part))) cover(part, end);
        part = end + 1;
      }
    }
  }

  static bool is_credential(std::string_view word) {
    while (word.starts_with('/')) word.remove_prefix(1);  // `https://token@host`
    constexpr std::size_t kOfId = 20;
    constexpr std::size_t kOfSecret = 40;
    constexpr std::size_t kOfToken = 20;
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
    if (word.size() == kOfId && (word.starts_with("AKIA") || word.starts_with("ASIA"))) return true;
    static constexpr auto kTokens = word_list(
        "AIza", "ya29.", "hf_", "sk-", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-",
        "xoxb-", "xoxp-", "eyJ", "SG.", "npm_", "pypi-", "rk_live_", "sk_live_", "hvs.", "dop_v1_");
    if (word.size() >= kOfToken && starts_with_one(word, kTokens)) return true;
    // The secret of an AWS key has forty characters of base64; what is longer than most names, and
    // as mixed, is covered, too, where it is no path.
    constexpr std::size_t kLong = 32;
    const auto has = [word](auto is) { return std::ranges::any_of(word, is); };
    return word.size() >= kLong && has(is_digit) && has(is_upper) && has(is_lower) &&
           word.find_first_of("._-%~") == std::string_view::npos &&
           (word.size() == kOfSecret || !word.contains('/'));
  }

  std::string& text_;
  std::string lower_;
  char mask_;
};

}  // namespace

void mask_credentials(std::string& text, char mask) { Masking(text, mask).mask(); }

}  // namespace trainwarden::rules
