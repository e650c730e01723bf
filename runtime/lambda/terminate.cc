// Writes the message when an exception that nobody catches, or one in a destructor, ends the
// process. It replaces libstdc++'s handler, which links 47 KB of a demangler to write the
// exception's type as in C++: `c++filt -t` reads the name that is written here.
#include <cxxabi.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string_view>
#include <typeinfo>

namespace {

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

namespace __gnu_cxx {  // NOLINT(bugprone-reserved-identifier): libstdc++'s name for it

void __verbose_terminate_handler() {  // NOLINT(bugprone-reserved-identifier)
  static bool again = false;
  if (again) std::abort();
  again = true;
  say("terminate called");
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    say(" after throwing ");
    say(type->name());
    try {
      throw;
    } catch (const std::exception& thrown) {
      say(": ");
      say(thrown.what());
    } catch (...) {  // it has no text
      say("");
    }
  }
  say("\n");
  std::abort();
}

}  // namespace __gnu_cxx
