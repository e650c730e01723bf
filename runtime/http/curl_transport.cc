#include "runtime/http/curl_transport.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/http/curl_handle.h"
#include "runtime/http/resolver.h"

namespace trainwarden::http {

using std::chrono::milliseconds;

class CurlTransport::Impl {
 public:
  Impl(CurlOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

  std::vector<Result<Response>> send(std::span<const Request> requests, Deadline deadline) {
    auto results = perform(requests, deadline);
    // An unknown issuer: the same requests, which were never sent, once more with more roots.
    while (std::exchange(issuer_unknown_, false) && trust_more()) {
      for (std::size_t i = 0; i < requests.size(); ++i) {
        if (results[i] || results[i].error().code != ErrorCode::kTls) continue;
        results[i] = std::move(perform(requests.subspan(i, 1), deadline).front());
      }
    }
    return results;
  }

 private:
  // With the first request, since a function that makes no call needs neither curl nor OpenSSL.
  void start() {
    static const CURLcode started = [] {  // once, by one thread
      use_static_resolver();
      return curl_global_init(CURL_GLOBAL_DEFAULT);
    }();
    (void)started;
    multi_.reset(curl_multi_init());
  }

  // Zero: no limit. Nullopt: the deadline has passed.
  std::optional<milliseconds> timeout(Deadline deadline) const {
    if (deadline.is_never()) return milliseconds(0);
    const milliseconds left = deadline.left(clock_.steady_now());
    if (left.count() <= 0) return std::nullopt;
    return std::min(left, options_.attempt_timeout);
  }

  static std::unexpected<Error> too_late(const Request& request) {
    return fail(ErrorCode::kDeadline,
                std::string(origin(request.url)) + ": no time is left to send the request");
  }

  Result<Response> finish(CurlHandle& handle, CURLcode code) {
    issuer_unknown_ = issuer_unknown_ || handle.issuer_unknown(code);
    return handle.finish(code);
  }

  std::vector<Result<Response>> perform(std::span<const Request> requests, Deadline deadline) {
    if (!multi_) start();
    std::vector<CurlHandle*> handles;
    std::vector<Result<Response>> results;
    for (const Request& request : requests) {
      results.emplace_back(too_late(request));
      const auto limit = timeout(deadline);
      if (!limit) continue;
      CurlHandle& handle = idle_handle(request.url);
      handle.prepare(request, *limit);
      handles.push_back(&handle);
      curl_multi_add_handle(multi_.get(), handle.easy());
    }
    if (handles.size() < requests.size()) {
      for (CurlHandle* handle : handles) remove(*handle);
      return results;
    }
    run();
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto done =
          std::ranges::find_if(handles, [&](CurlHandle* handle) { return handle->easy() == easy; });
      results[static_cast<std::size_t>(done - handles.begin())] = finish(**done, code);
    }
    for (CurlHandle* handle : handles) remove(*handle);
    return results;
  }

  void run() {
    // As long as it takes: curl wakes up by itself for its own timeouts, and nobody for `next`.
    constexpr int kPollMillis = std::numeric_limits<int>::max();
    int running = 0;
    do {
      if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) return;
      if (running > 0) curl_multi_poll(multi_.get(), nullptr, 0, kPollMillis, nullptr);
    } while (running > 0);
  }

  void remove(CurlHandle& handle) {
    curl_multi_remove_handle(multi_.get(), handle.easy());
    handle.busy = false;
  }

  CurlHandle& idle_handle(std::string_view url) {
    const std::string_view wanted = origin(url);
    for (auto& handle : handles_)
      if (!handle->busy && handle->origin() == wanted) return *handle;
    handles_.push_back(std::make_unique<CurlHandle>(options_, wanted, roots_));
    if (fallback_used_) trust_file(handles_.back()->easy(), options_.ca_file);
    return *handles_.back();
  }

  // False where nobody else is left to ask.
  bool trust_more() {
    if (const auto late = std::exchange(options_.late_ca_pem, {}); !late.empty()) {
      roots_.add(late);
      return true;
    }
    if (fallback_used_) return false;
    const auto readable = [](const std::string& path) { return access(path.c_str(), R_OK) == 0; };
    const auto file = std::ranges::find_if(options_.fallback_ca_files, readable);
    if (file == options_.fallback_ca_files.end()) return false;
    fallback_used_ = true;
    options_.ca_file = *file;
    for (auto& handle : handles_) trust_file(handle->easy(), options_.ca_file);
    return true;
  }

  CurlOptions options_;
  Clock& clock_;
  bool issuer_unknown_ = false;
  bool fallback_used_ = false;
  Roots roots_{options_.ca_pem};
  // Keeps the connections of all handles: a request alone and one of several go over the same ones.
  MultiPtr multi_;
  std::vector<std::unique_ptr<CurlHandle>> handles_;
};

CurlTransport::CurlTransport(CurlOptions options, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), clock)) {}

CurlTransport::~CurlTransport() = default;

std::vector<Result<Response>> CurlTransport::send(std::span<const Request> requests,
                                                  Deadline deadline) {
  return impl_->send(requests, deadline);
}

}  // namespace trainwarden::http
