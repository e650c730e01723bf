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
    // If the issuer was unknown, nothing was sent: the same requests are tried once more with more
    // roots.
    while (std::exchange(issuer_unknown_, false) && trust_more()) {
      for (std::size_t i = 0; i < requests.size(); ++i) {
        if (results[i] || results[i].error().code != ErrorCode::kTls) continue;
        results[i] = std::move(perform(requests.subspan(i, 1), deadline).front());
      }
    }
    return results;
  }

 private:
  // Called with the first request, since a function that makes no call needs neither curl nor
  // OpenSSL.
  void start() {
    static const CURLcode started = [] {  // once, by one thread
      set_up_resolver();
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

  // Requests that go out together.
  struct Batch {
    struct Transfer {
      std::size_t index;
      CurlHandle* handle;
    };

    std::span<const Request> requests;
    Deadline deadline;
    Deadline::Clock::time_point begun;
    std::vector<Result<Response>> results = {};
    std::vector<Transfer> under_way = {};
    std::vector<std::size_t> waiting = {};  // for a connection
  };

  std::vector<Result<Response>> perform(std::span<const Request> requests, Deadline deadline) {
    if (!multi_) start();
    Batch batch{requests, deadline, clock_.steady_now()};
    for (std::size_t i = 0; i < requests.size(); ++i) {
      batch.results.emplace_back(too_late(requests[i]));
      batch.waiting.push_back(i);
    }
    milliseconds patience = begin_waiting(batch);
    int running = 0;
    while (!batch.under_way.empty() && curl_multi_perform(multi_.get(), &running) == CURLM_OK) {
      if (take_answers(batch)) patience = begin_waiting(batch);
      if (batch.under_way.empty()) break;
      curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(patience.count()), nullptr);
      if (!batch.waiting.empty()) patience = begin_waiting(batch);
    }
    for (const auto& [index, handle] : batch.under_way) remove(*handle);
    return std::move(batch.results);
  }

  // Starts the requests that need not wait any longer. Returns how long the others may wait.
  milliseconds begin_waiting(Batch& batch) {
    // No limit of ours: curl wakes up by itself for its own timeouts.
    milliseconds patience{std::numeric_limits<int>::max()};
    const auto waited = clock_.steady_now() - batch.begun;
    std::erase_if(batch.waiting, [&](std::size_t i) {
      const auto worth = worth_waiting(origin(batch.requests[i].url)) - waited;
      if (worth.count() > 0) {
        patience = std::min(patience, std::chrono::ceil<milliseconds>(worth));
        return false;
      }
      begin(i, batch);
      return true;
    });
    return patience;
  }

  // How long, from the first request of its batch, a request waits for one of the busy connections:
  // until another could be open, if they have been quicker than that. A handshake takes two round
  // trips, and more CPU time than everything else about a call.
  std::chrono::microseconds worth_waiting(std::string_view wanted) const {
    std::chrono::microseconds worth{0};
    for (const auto& handle : handles_) {
      const CurlHandle::Times& times = handle->times();
      if (handle->origin() != wanted || times.opening.count() == 0) continue;
      if (!handle->busy || times.answer > times.opening) return {};
      worth = times.opening;
    }
    return worth;
  }

  void begin(std::size_t index, Batch& batch) {
    const Request& request = batch.requests[index];
    const auto limit = timeout(batch.deadline);
    if (!limit) return;
    CurlHandle& handle = idle_handle(request.url);
    handle.prepare(request, *limit);
    curl_multi_add_handle(multi_.get(), handle.easy());
    batch.under_way.push_back({index, &handle});
  }

  // True if any has ended.
  bool take_answers(Batch& batch) {
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto done = std::ranges::find_if(
          batch.under_way, [&](const auto& one) { return one.handle->easy() == easy; });
      batch.results[done->index] = finish(*done->handle, code);
      remove(*done->handle);
      batch.under_way.erase(done);
      any = true;
    }
    return any;
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

  // False if there are no more roots to try.
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
