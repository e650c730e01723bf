// A server on a real socket that answers each request with the next of the given raw texts, so that
// answers can be as broken as real ones. An empty answer closes the connection instead.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trainwarden::testing {

class RawServer {
 public:
  explicit RawServer(std::vector<std::string> answers)
      : answers_(std::move(answers)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer() {
    ::shutdown(listener_, SHUT_RDWR);
    {
      const std::lock_guard lock(mutex_);
      if (connection_ >= 0) ::shutdown(connection_, SHUT_RDWR);
    }
    thread_.join();
    ::close(listener_);
  }

  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int connections() {
    const std::lock_guard lock(mutex_);
    return connections_;
  }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  static std::string ok(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

 private:
  void serve() {
    std::size_t next = 0;
    while (next < answers_.size()) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      {
        const std::lock_guard lock(mutex_);
        connection_ = connection;
        ++connections_;
      }
      // After the last answer the connection stays open until the client has had enough.
      while (read_request(connection) && next < answers_.size()) {
        const std::string& answer = answers_[next++];
        if (answer.empty()) break;
        if (::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
        if (answer.find("Connection: close") != std::string::npos) break;
      }
      const std::lock_guard lock(mutex_);
      ::close(connection);
      connection_ = -1;
    }
  }

  bool read_request(int connection) {
    std::string request;
    char chunk[65536];
    for (;;) {
      const std::size_t head = request.find("\r\n\r\n");
      if (head != std::string::npos && request.size() >= head + 4 + content_length(request)) break;
      const ssize_t n = ::recv(connection, chunk, sizeof chunk, 0);
      if (n <= 0) return false;
      request.append(chunk, static_cast<std::size_t>(n));
    }
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    return true;
  }

  static std::size_t content_length(const std::string& request) {
    const std::size_t at = request.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(request.substr(at + 16));
  }

  std::vector<std::string> answers_;
  int listener_;
  int port_ = 0;
  std::mutex mutex_;
  int connection_ = -1;
  int connections_ = 0;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace trainwarden::testing
