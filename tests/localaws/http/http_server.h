// The HTTP server, hidden: the only user of the HTTP library. One connection occupies one thread
// for as long as it is open, so there are many threads and idle connections are closed after a
// while.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/result.h"
#include "tests/localaws/http/certificate.h"
#include "tests/localaws/http/http_message.h"

namespace trainwarden::localaws {

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // https with identity, http without.
  explicit HttpServer(Handler handler, const Certificates* identity = nullptr);
  ~HttpServer();

  // On 127.0.0.1; port 0 takes a free one. Returns the port. From here on connections are accepted.
  Result<int> bind(int port);
  // Serves until stop() is called, which may be by another thread and before this.
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trainwarden::localaws
