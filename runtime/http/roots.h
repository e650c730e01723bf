// Trusted roots as OpenSSL has them, parsed once, when the first connection needs them. Private to
// runtime/http.
#pragma once

#include <curl/curl.h>

#include <string_view>

namespace trainwarden::http {

// With PEM text, which outlives it; none: nothing is trusted by it.
class Roots {
 public:
  explicit Roots(std::string_view pem) : unread_(pem) {}
  ~Roots();
  Roots(const Roots&) = delete;
  Roots& operator=(const Roots&) = delete;

  // Trusts these besides, on all connections to come.
  void add(std::string_view pem);
  // Every connection of this handle trusts them.
  void use_for(CURL* easy);
  // No connection to come does.
  static void forget(CURL* easy);

 private:
  static CURLcode on_tls(CURL* easy, void* context, void* self) noexcept;
  bool read(std::string_view pem);

  std::string_view unread_;
  void* store_ = nullptr;  // OpenSSL's X509_STORE
};

}  // namespace trainwarden::http
