// From one event to the next: what a program that is warm takes until it asks again.
//
// usage: warm_bench RESULT EVENTS EVENT PROGRAM [ARGUMENT]...
//
// Gives the program the event in the file EVENT so often, each as soon as it asks. Writes a line of
// JSON to the file RESULT: the median and the least time in microseconds from sending an event
// until the program asks for the next one, the CPU time for each event, and the most memory in KB.
// Run it on one CPU (taskset), or the program's and its own waking up is what is measured.
#include <netinet/tcp.h>
#include <strings.h>

#include <map>
#include <span>
#include <string_view>

#include "bench/child.h"

namespace trainwarden::bench {
namespace {

std::string contents(const char* path) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) give_up(fmt::format("cannot read {}", path));
  std::string out(1 << 16, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), file));
  std::fclose(file);
  return out;
}

void send_all(int fd, std::string_view text) {
  if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    give_up("the program has hung up");
}

// The size of the first request in `received`, 0 where it is not whole. Its body may be chunked.
std::size_t whole(const std::string& received) {
  const std::size_t end = received.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  const std::size_t body = end + 4;
  const char* const chunked = strcasestr(received.c_str(), "\r\nTransfer-Encoding: chunked");
  if (chunked != nullptr && chunked < received.c_str() + body) {
    const std::size_t last = received.find("0\r\n\r\n", body);
    return last == std::string::npos ? 0 : last + 5;
  }
  const char* const length = strcasestr(received.c_str(), "\r\nContent-Length:");
  const bool told = length != nullptr && length < received.c_str() + body;
  const std::size_t size = body + (told ? std::strtoul(length + 17, nullptr, 10) : 0);
  return received.size() < size ? 0 : size;
}

class RuntimeApi {
 public:
  RuntimeApi(std::string event, std::size_t events) : event_(std::move(event)), events_(events) {}

  // Answers a request; false when the program has asked for more events than there are.
  bool answer(int fd, std::string_view request) {
    if (request.starts_with("GET ")) {
      if (given_ > 0) times_.push_back(1e3 * millis(Clock::now() - sent_));
      if (given_ == events_) return false;
      give(fd);
      return true;
    }
    const std::string_view line = request.substr(0, request.find("\r\n"));
    if (!line.contains("/response "))
      give_up(fmt::format("the program tells of an error: {}", request));
    send_all(fd,
             "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n"
             "Content-Length: 16\r\n\r\n{\"status\":\"OK\"}\n");
    return true;
  }

  const std::vector<double>& times() const { return times_; }

 private:
  void give(int fd) {
    const auto deadline = std::chrono::system_clock::now() + std::chrono::minutes(1);
    const std::string text = fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-{:012}\r\n"
        "Lambda-Runtime-Deadline-Ms: {}\r\nLambda-Runtime-Invoked-Function-Arn: "
        "arn:aws:lambda:eu-central-1:111122223333:function:bench\r\n"
        "Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;"
        "Parent=9a9197af755a6419;Sampled=1\r\nContent-Length: {}\r\n\r\n{}",
        ++given_,
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline.time_since_epoch()).count(),
        event_.size(), event_);
    sent_ = Clock::now();
    send_all(fd, text);
  }

  std::string event_;
  std::size_t events_;
  std::size_t given_ = 0;
  Clock::time_point sent_;
  std::vector<double> times_;
};

// Until the program has taken all events, over any number of connections.
void serve(int listener, RuntimeApi& api, const char* program) {
  std::map<int, std::string> received;
  for (;;) {
    std::vector<pollfd> waiting{{listener, POLLIN, 0}};
    for (const auto& [fd, text] : received) waiting.push_back({fd, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), 20'000) < 1)
      give_up(fmt::format("{} has sent nothing for 20 s: run it by hand to see why", program));
    for (const pollfd& one : waiting) {
      if (one.revents == 0) continue;
      if (one.fd == listener) {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        received[fd];
        continue;
      }
      char bytes[16384];
      const ssize_t n = recv(one.fd, bytes, sizeof bytes, 0);
      if (n <= 0) {
        close(one.fd);
        received.erase(one.fd);
        continue;
      }
      std::string& text = received[one.fd];
      text.append(bytes, static_cast<std::size_t>(n));
      while (const std::size_t size = whole(text)) {
        if (!api.answer(one.fd, std::string_view(text).substr(0, size))) return;
        text.erase(0, size);
      }
    }
  }
}

int run(std::span<char*> arguments) {
  const auto events = static_cast<std::size_t>(std::atoi(arguments[2]));
  RuntimeApi api(contents(arguments[3]), events);
  const int listener = listen_as_runtime_api();
  const pid_t child = start(&arguments[4]);
  serve(listener, api, arguments[4]);
  const long memory = peak_kb(child);
  const rusage used = end(child);

  std::FILE* const result = std::fopen(arguments[1], "we");
  if (result == nullptr) give_up(fmt::format("cannot write {}", arguments[1]));
  fmt::print(result,
             R"({{"median_us": {:.1f}, "least_us": {:.1f}, "cpu_us": {:.1f}, "peak_kb": {}}})"
             "\n",
             median(api.times()), std::ranges::min(api.times()),
             1e3 * cpu_ms(used) / static_cast<double>(events), memory);
  return std::fclose(result) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trainwarden::bench

int main(int argc, char** argv) {
  if (argc < 5 || std::atoi(argv[2]) < 1) {
    std::fputs("usage: warm_bench RESULT EVENTS EVENT PROGRAM [ARGUMENT]...\n", stderr);
    return 2;
  }
  return trainwarden::bench::run({argv, static_cast<std::size_t>(argc)});
}
