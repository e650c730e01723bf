// One curl easy handle and what it needs to stay alive during a transfer. Private to runtime/http.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "runtime/http/curl_transport.h"
#include "runtime/http/roots.h"

namespace trainwarden::http {

template <auto kFree>
struct CurlDeleter {
  template <class T>
  void operator()(T* resource) const noexcept {
    kFree(resource);
  }
};
using EasyPtr = std::unique_ptr<CURL, CurlDeleter<curl_easy_cleanup>>;
using MultiPtr = std::unique_ptr<CURLM, CurlDeleter<curl_multi_cleanup>>;
using SlistPtr = std::unique_ptr<curl_slist, CurlDeleter<curl_slist_free_all>>;

// "scheme://authority" of a URL: what connections can be shared by.
std::string_view origin(std::string_view url);

class CurlHandle {
 public:
  // roots are those of the options' text, and outlive the handle.
  CurlHandle(const CurlOptions& options, std::string_view origin, Roots& roots);
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;

  const std::string& origin() const { return origin_; }
  CURL* easy() const { return easy_.get(); }
  bool busy = false;

  // How long its newest connection took to open, and its newest answer to come; zero: none has.
  struct Times {
    std::chrono::microseconds opening{0};
    std::chrono::microseconds answer{0};
  };
  const Times& times() const { return times_; }

  // Points the handle at the request, which must outlive the transfer.
  void prepare(const Request& request, std::chrono::milliseconds timeout);
  // Whether a transfer that ended with code failed because no trusted root issued the certificate.
  bool issuer_unknown(CURLcode code) const;
  // The response, or why there is none, once curl is done.
  Result<Response> finish(CURLcode code);

 private:
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept;
  static std::size_t on_header(char* data, std::size_t size, std::size_t count,
                               void* self) noexcept;
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose,
                                      curl_sockaddr* address) noexcept;
  static int on_opened(void* self, curl_socket_t socket, curlsocktype purpose) noexcept;
  void use_connector();
  void set_headers(const Headers& headers);
  Error error(CURLcode code) const;
  void take_times();

  const CurlOptions& options_;
  std::string origin_;
  std::string url_;
  SlistPtr connect_to_;
  EasyPtr easy_;
  SlistPtr header_list_;
  Headers headers_in_list_;
  bool posts_ = false;
  bool too_large_ = false;
  std::optional<Error> not_connected_;  // by the connector
  Response response_;
  Times times_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

// Trusts this PEM file from now on.
void trust_file(CURL* easy, const std::string& path);

}  // namespace trainwarden::http
