// Who raised an exception, as far as its module and the frames before it tell. What a program says
// of its own world, in the words of machines and networks, happened to no machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "handlers/rules/failure/failure_text.h"

namespace trainwarden::rules {

enum class RaisedBy : std::uint8_t {
  kUnknown,
  kProgram,  // the user's own code
  kPackage,  // what was installed for it
};

// name: the exception's, with its modules, in the line at index.
RaisedBy raised_by(const FailureText& text, std::size_t index, std::string_view name);

// Whether a traceback ends with the line at index: a frame, or its source, stands right before it.
bool ends_a_traceback(const FailureText& text, std::size_t index);

// Whether that traceback ends where a process of multiprocessing reads what another one sends.
bool reads_of_another_process(const FailureText& text, std::size_t index);

// Whether the exception is of a client of a service, or of what runs the program's parts: what it
// was about is theirs to tell.
bool is_of_a_client(const FailureText& text, std::size_t index, std::string_view name);

// Whether the exception is of what carries requests to servers and their answers: where its words
// do not tell, the way there failed.
bool is_of_a_transport(std::string_view name);

// Whether what reads files raised an exception, in the line at index, as its module tells or the
// last frame before it: where its words do not tell, a file is not as it should be.
bool is_of_a_reader(const FailureText& text, std::size_t index, std::string_view name);

// `thread 'main' panicked at src/main.rs:10:5:`: a program in Rust gave up, and says below why.
bool announces_a_panic(std::string_view lower);

// Whether the line is what a program in another language than Python says as it ends (`panic: …`,
// `Error in f(x) : …`, `Error: …` above `at f (x.js:3:1)`), or what its own logger says. A logger
// that wrote all lines says nothing of its own: it hands on what others say.
bool said_by_a_program(const FailureText& text, std::size_t index);

// Whether the program's own logger wrote the line.
bool has_its_logger(const FailureText& text, const Line& line);

}  // namespace trainwarden::rules
