// What the reading of a long log costs. `diagnose_bench` diagnoses texts of 32 and of 64 KiB, each
// once, and prints their names; `diagnose_bench FILE` diagnoses each JSON line of a file, as
// `trainwarden diagnose` takes them. diagnose_count.sh counts the instructions of each.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "runtime/json/json.h"

// The instruction counter looks for this name.
extern "C" __attribute__((noinline)) void diagnose_one(const std::string_view* lines,
                                                       std::size_t count) {
  const trainwarden::rules::Diagnosis found =
      trainwarden::rules::diagnose_texts({}, std::span(lines, count));
  // NOLINTNEXTLINE: the compiler must not leave the work out
  asm volatile("" : : "r"(found.label) : "memory");
}

namespace trainwarden {
namespace {

// Numbers that look random, and are the same each time.
class Numbers {
 public:
  std::uint32_t next(std::uint32_t most) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33U) % most;
  }

 private:
  std::uint64_t state_ = 1;
};

std::string number(Numbers& numbers, std::uint32_t most) {
  return std::to_string(numbers.next(most));
}

std::string base64(Numbers& numbers) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (int i = 0; i < 76; ++i) out += kDigits[numbers.next(64)];
  return out;
}

std::string bar(Numbers& numbers) {
  return " " + number(numbers, 100) + "%|███▌      | " + number(numbers, 1000) +
         "/1000 [01:23<12:34,  " + number(numbers, 10) + ".31it/s, loss=0." +
         number(numbers, 1000) + "]\r";
}

std::string member(Numbers& numbers) {
  return "\"step_" + number(numbers, 100000) + "\": {\"loss\": 0." + number(numbers, 100000) +
         ", \"lr\": 1e-05, \"name\": \"layer." + number(numbers, 96) + ".weight\"}, ";
}

// Lines as trainers, loggers and libraries write them while nothing is wrong.
std::string line(Numbers& numbers) {
  const std::string time = "2024-05-01 10:0" + number(numbers, 10) + ":00,123 ";
  switch (numbers.next(7)) {
    case 0:
      return time + "- __main__ - INFO - epoch " + number(numbers, 90) + " loss 0." +
             number(numbers, 10000) + " grad_norm " + number(numbers, 10) + ".5";
    case 1:
      return "[1,mpirank:" + number(numbers, 8) + ",algo-1]<stdout>:" + time + "step " +
             number(numbers, 90000) + ", images/sec: " + number(numbers, 900);
    case 2:
      return "algo-1:141:187 [" + number(numbers, 8) +
             "] NCCL INFO Channel 00/0 : " + number(numbers, 8) +
             "[1a0] -> 5[1b0] [send] via NET/AWS Libfabric/0";
    case 3:
      return "/opt/conda/lib/python3.10/site-packages/torch/utils/data/dataloader.py:" +
             number(numbers, 900) + ": UserWarning: This DataLoader will create 8 workers";
    case 4:
      return "{'loss': 0." + number(numbers, 10000) + ", 'learning_rate': 4.5e-05, 'epoch': 0." +
             number(numbers, 100) + "}";
    case 5:
      return "#quality_metric: host=algo-1, epoch=" + number(numbers, 90) +
             ", batch=500 train rmse <loss>=" + number(numbers, 10) + ".25";
    default:
      return "Requirement already satisfied: numpy>=1." + number(numbers, 25) +
             " in /opt/conda/lib/python3.10/site-packages (from -r requirements.txt (line 3))";
  }
}

std::string repeated(std::string_view unit) {
  std::string out(unit);
  while (out.size() < 76) out += unit;
  return out;
}

struct Kind {
  std::string_view name;
  std::function<std::string(Numbers&)> piece;
};

std::vector<Kind> kinds() {
  std::vector<Kind> out = {
      {"log", [](Numbers& n) { return line(n) + ' '; }},
      {"progress bars", bar},
      {"JSON", member},
      {"base64", base64},
  };
  // What begins like something that means something, over and over.
  static constexpr std::string_view kUnits[] = {
      " ",
      "a",
      "A",
      "aBc",
      "1",
      "1 ",
      "10.0.0.1 ",
      "-9 ",
      "_",
      ".",
      "a.b.",
      ": ",
      "\"",
      "\\",
      "[",
      "{\"a\":",
      "/",
      "%|",
      "it/s ",
      "CUDA ",
      "CUDA out of memory ",
      "error: ",
      "Error: ",
      "RuntimeError: ",
      "ERROR ",
      "what(): ",
      "Traceback (most recent call last): ",
      "File \"t.py\", line 3, in f ",
      "raise ValueError(",
      "\x1b[31mred\x1b[0m ",
      "\x1b[",
      "\x1b",
      "exit code 137 ",
      "status 503 ",
      "an error occurred (",
      "NVRM: Xid (PCI:0000:91:00): 79, ",
      "xid ",
      "command '",
      "['python', ",
      "Command \"python ",
      "[1,0]<stderr>:",
      "[rank0]: ",
      "2024-03-22 15:18:20 ",
      "killed ",
      "not found in ",
      "no such file or directory: ",
      "s3.",
      "--a ",
      "'a' == ",
      "Tried to allocate 2.00 GiB ",
      "successfully assigned ",
      "\t",
      "\\n",
  };
  for (const std::string_view unit : kUnits)
    out.push_back({unit, [unit](Numbers&) { return repeated(unit); }});
  return out;
}

// What can stand on one line of a table.
std::string shown(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c >= 0 && c < ' ') c = '?';
  return out;
}

// On one line, or broken into lines of `width` bytes and a bit.
std::vector<std::string> text_of(const Kind& kind, std::size_t size, std::size_t width) {
  Numbers numbers;
  std::vector<std::string> out(1);
  for (std::size_t all = 0; all < size;) {
    if (width > 0 && out.back().size() >= width) out.emplace_back();
    const std::string piece = kind.piece(numbers).substr(0, size - all - 1);
    out.back() += piece;
    all += piece.size() + (out.size() > 1 && out.back() == piece ? 1 : 0);
    if (piece.empty()) break;
  }
  return out;
}

void diagnose_lines(std::string_view name, const std::vector<std::string>& text) {
  const std::vector<std::string_view> lines(text.begin(), text.end());
  diagnose_one(lines.data(), lines.size());
  std::puts(std::string(name).c_str());
}

int diagnose_file(const char* path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto document = json::Document::parse(line);
    if (!document) {
      std::fprintf(stderr, "diagnose_bench: %s: %s\n", path, document.error().message.c_str());
      return 1;
    }
    const auto tail = document->root().find_present("log_tail");
    std::vector<std::string> text;
    if (tail && tail->is_array())
      for (const json::Value one : tail->elements()) text.emplace_back(one.as_string());
    diagnose_lines("case", text);
  }
  return 0;
}

}  // namespace
}  // namespace trainwarden

int main(int argc, char** argv) {
  using namespace trainwarden;
  if (argc > 1) return diagnose_file(argv[1]);  // NOLINT: the first argument
  constexpr std::size_t kKiB = 1024;
  // What the first text costs is more: the vocabulary is indexed.
  diagnose_lines("first", {"none"});
  for (const Kind& kind : kinds())
    for (const std::size_t width : {std::size_t{0}, std::size_t{100}, 4 * kKiB})
      for (const std::size_t size : {32 * kKiB, 64 * kKiB})
        diagnose_lines(
            std::to_string(size / kKiB) + "\t" + std::to_string(width) + "\t" + shown(kind.name),
            text_of(kind, size, width));
  return 0;
}
