// The floor: what any program needs to be executed, to ask for invocations and to answer them: one
// socket, nothing else. It is no runtime: it takes the Runtime API for well-behaved.
//
// usage: floor [START EVENT CALLS]
//
// With numbers it turns a loop START times before it asks, and EVENT times for each event, and
// makes CALLS system calls more in both places: tests/budget shows by this that its guards bite.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[1 << 20];
static char request[512];

static void waste(long turns, long calls) {
  for (volatile long i = 0; i < turns;) i = i + 1;
  for (long i = 0; i < calls; ++i) getppid();
}

static void send_all(int fd, int size) {
  if (size < 0 || write(fd, request, (size_t)size) != size) _exit(1);
}

// One answer with its body, which a zero ends.
static void receive(int fd) {
  size_t have = 0;
  for (;;) {
    const ssize_t n = read(fd, buffer + have, sizeof buffer - 1 - have);
    if (n <= 0) _exit(1);
    have += (size_t)n;
    buffer[have] = 0;
    const char* const end = strstr(buffer, "\r\n\r\n");
    if (end == nullptr) continue;
    const char* const length = strcasestr(buffer, "\r\nContent-Length:");
    const size_t body = length != nullptr ? strtoul(length + 17, nullptr, 10) : 0;
    if (have >= (size_t)(end + 4 - buffer) + body) return;
  }
}

int main(int argc, char** argv) {
  const char* const api = getenv("AWS_LAMBDA_RUNTIME_API");
  const char* const colon = api != nullptr ? strchr(api, ':') : nullptr;
  if (colon == nullptr) return 1;
  const long turns = argc > 3 ? strtol(argv[2], nullptr, 10) : 0;
  const long calls = argc > 3 ? strtol(argv[3], nullptr, 10) : 0;
  if (argc > 3) waste(strtol(argv[1], nullptr, 10), calls);

  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)strtoul(colon + 1, nullptr, 10));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) return 1;
  for (;;) {
    send_all(fd,
             snprintf(request, sizeof request,
                      "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: %s\r\n\r\n", api));
    receive(fd);
    char* const id = strcasestr(buffer, "\r\nLambda-Runtime-Aws-Request-Id:");
    if (id == nullptr) return 1;
    if (argc > 3) waste(turns, calls);
    id[32 + strcspn(id + 32, "\r")] = 0;
    send_all(fd, snprintf(request, sizeof request,
                          "POST /2018-06-01/runtime/invocation/%s/response HTTP/1.1\r\nHost: %s\r\n"
                          "Content-Length: 2\r\n\r\n{}",
                          id + 32 + strspn(id + 32, " "), api));
    receive(fd);
  }
}
