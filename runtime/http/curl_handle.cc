#include "runtime/http/curl_handle.h"

#include <fmt/core.h>

#include <utility>

namespace trainwarden::http {
namespace {

// curl's message in our style. It quotes neither headers nor bodies.
std::string phrase(const char* curl_text) {
  std::string text(curl_text);
  while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
  return text;
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

ErrorCode classify(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return ErrorCode::kTls;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return ErrorCode::kInvalidConfig;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return ErrorCode::kBadResponse;
    default:
      return ErrorCode::kConnection;
  }
}

}  // namespace

std::string_view origin(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return url;
  return url.substr(0, url.find_first_of("/?#", scheme_end + 3));
}

void trust_file(CURL* easy, const std::string& path) {
  Roots::forget(easy);
  curl_easy_setopt(easy, CURLOPT_CAINFO, path.c_str());
}

CurlHandle::CurlHandle(const CurlOptions& options, std::string_view origin, Roots& roots)
    : options_(options), origin_(origin), easy_(curl_easy_init()) {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(options.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlHandle::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlHandle::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  if (!options.user_agent.empty())
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  if (options.connector && options.connector->serves(origin)) use_connector();
  if (!origin.starts_with("https:")) return;
  if (!options.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  } else if (!options.ca_pem.empty()) {
    roots.use_for(easy);
  }
}

// curl is given an address that needs no look-up and is never connected to; the certificate is
// still held against the host's own name.
void CurlHandle::use_connector() {
  CURL* const easy = easy_.get();
  connect_to_.reset(curl_slist_append(nullptr, "::127.0.0.1:1"));
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  constexpr long kLong = 30'000;  // with what the connector takes
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kLong);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &CurlHandle::on_open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &CurlHandle::on_opened);
}

void CurlHandle::prepare(const Request& request, std::chrono::milliseconds timeout) {
  CURL* const easy = easy_.get();
  busy = true;
  too_large_ = false;
  not_connected_.reset();
  response_ = Response{};
  error_text_.front() = '\0';
  if (url_ != request.url) {
    url_ = request.url;
    curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  }
  if (request.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    posts_ = true;
  } else if (posts_) {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    posts_ = false;
  }
  set_headers(request.headers);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
}

void CurlHandle::set_headers(const Headers& headers) {
  if (header_list_ && headers == headers_in_list_) return;
  headers_in_list_ = headers;
  // "Name;" sends a header with an empty value; "Expect:" keeps curl from asking first.
  SlistPtr list(curl_slist_append(nullptr, "Expect:"));
  bool has_content_type = false;
  for (const Header& header : headers) {
    const std::string line =
        header.value.empty() ? header.name + ";" : header.name + ": " + header.value;
    curl_slist_append(list.get(), line.c_str());
    has_content_type = has_content_type || header.name == "Content-Type";
  }
  if (!has_content_type) curl_slist_append(list.get(), "Content-Type:");
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, list.get());
  header_list_ = std::move(list);
}

bool CurlHandle::issuer_unknown(CURLcode code) const {
  if (code != CURLE_PEER_FAILED_VERIFICATION) return false;
  // X509_V_ERR_ DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN,
  // UNABLE_TO_GET_ISSUER_CERT_LOCALLY, UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  // X509_verify_cert_error_string(3)
  constexpr long kFirst = 18;
  constexpr long kLast = 21;
  long verdict = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_SSL_VERIFYRESULT, &verdict);
  return verdict >= kFirst && verdict <= kLast;
}

Result<Response> CurlHandle::finish(CURLcode code) {
  busy = false;
  if (code != CURLE_OK) return fail(error(code));
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  response_.status = static_cast<int>(status);
  take_times();
  return std::move(response_);
}

void CurlHandle::take_times() {
  const auto at = [this](CURLINFO what) {
    curl_off_t since_begin = 0;
    curl_easy_getinfo(easy_.get(), what, &since_begin);
    return std::chrono::microseconds(since_begin);
  };
  const auto sent = at(CURLINFO_PRETRANSFER_TIME_T);
  times_.answer = at(CURLINFO_TOTAL_TIME_T) - sent;
  long opened = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &opened);
  if (opened > 0) times_.opening = sent - at(CURLINFO_NAMELOOKUP_TIME_T);
}

Error CurlHandle::error(CURLcode code) const {
  if (too_large_)
    return {ErrorCode::kTooLarge,
            fmt::format("{}: expected an answer of at most {} bytes, found more", origin_,
                        options_.max_response_bytes)};
  if (not_connected_) return Error(*not_connected_).in(origin_);
  const char* const text =
      error_text_.front() != '\0' ? error_text_.data() : curl_easy_strerror(code);
  return {classify(code), fmt::format("{}: {}", origin_, phrase(text))};
}

curl_socket_t CurlHandle::on_open_socket(void* self, curlsocktype /*purpose*/,
                                         curl_sockaddr* /*address*/) noexcept {
  auto& handle = *static_cast<CurlHandle*>(self);
  auto opened = handle.options_.connector->open(handle.origin_);
  if (opened) return *opened;
  handle.not_connected_ = std::move(opened).error();
  return CURL_SOCKET_BAD;
}

int CurlHandle::on_opened(void* /*self*/, curl_socket_t /*socket*/,
                          curlsocktype /*purpose*/) noexcept {
  return CURL_SOCKOPT_ALREADY_CONNECTED;
}

std::size_t CurlHandle::on_body(char* data, std::size_t size, std::size_t count,
                                void* self) noexcept {
  auto& handle = *static_cast<CurlHandle*>(self);
  std::string& body = handle.response_.body;
  if (body.size() + size * count > handle.options_.max_response_bytes) {
    handle.too_large_ = true;
    return CURL_WRITEFUNC_ERROR;
  }
  body.append(data, size * count);
  return size * count;
}

std::size_t CurlHandle::on_header(char* data, std::size_t size, std::size_t count,
                                  void* self) noexcept {
  auto& headers = static_cast<CurlHandle*>(self)->response_.headers;
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {  // a new response, after 100 Continue
    headers.clear();
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    headers.push_back(
        {std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
  }
  return size * count;
}

}  // namespace trainwarden::http
