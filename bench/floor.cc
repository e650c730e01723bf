// The floor of the start-up benchmark: C, one socket, one request, nothing else.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main() {
  const char* const api = getenv("AWS_LAMBDA_RUNTIME_API");
  const char* const colon = api != nullptr ? strchr(api, ':') : nullptr;
  if (colon == nullptr) return 1;
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)strtoul(colon + 1, nullptr, 10));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) return 1;
  const char request[] =
      "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  if (write(fd, request, sizeof request - 1) < 0) return 1;
  char answer[64];
  return read(fd, answer, sizeof answer) < 0 ? 1 : 0;
}
