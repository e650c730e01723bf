// What loggers put around the level and before the message: names (`my.trainer - `), places
// (`train.py:33: `), threads (`[MainThread] `), and keys (`level=error msg="`). By their shape,
// since every program sets its own format.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainwarden::rules {

// The length of one field that follows a level, with what parts it from the message; 0 where the
// message begins. parted: a mark such as `|` or `-` stands before it.
std::size_t field_after_level(std::string_view rest, bool parted);

// The length of a name that a level follows: `my.trainer - ` before `ERROR - `; 0 for none.
std::size_t name_before_level(std::string_view rest);

// Whether the inside of a bracket is a place or a name: `train.py:33`, `launch.py:315:main`.
bool is_place(std::string_view inside);

// The length of `time="…" level=error msg="`; 0 where there is none. level: what it tells.
std::size_t keys_before_message(std::string_view rest, std::string_view& level);

// `16/06/10 14:42:29 WARN util.NativeCodeLoader: …`: as Spark logs. The size of the name of the
// class that speaks, behind the level; 0 where there is none.
bool is_of_spark(std::string_view line);
std::size_t spark_s_class(std::string_view rest);

}  // namespace trainwarden::rules
