#include "handlers/rules/failure/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "handlers/rules/failure/word_lists.h"
#include "runtime/base/digits.h"
#include "runtime/base/leading_double.h"

namespace trainwarden::rules {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\n')) text.remove_prefix(1);
  return text;
}

// A number at the beginning of the text, which it is cut from.
std::optional<double> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && length < 20 && (is_digit(text[length]) || text[length] == '.'))
    ++length;
  if (length == 0 || !is_digit(text[0])) return std::nullopt;
  const double out = leading_double(text.substr(0, length)).value;
  text.remove_prefix(length);
  return out;
}

// "896.00 mib" in bytes; nullopt where the text begins with nothing of the kind.
std::optional<double> take_bytes(std::string_view& text) {
  struct Unit {
    std::string_view name;
    int power;
  };
  static constexpr std::array<Unit, 10> kUnits = {{{"gib", 3},
                                                   {"gb", 3},
                                                   {"mib", 2},
                                                   {"mb", 2},
                                                   {"kib", 1},
                                                   {"kb", 1},
                                                   {"tib", 4},
                                                   {"bytes", 0},
                                                   {"g", 3},
                                                   {"m", 2}}};
  text = without_blanks(text);
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  text = without_blanks(text);
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return *number * std::pow(1024.0, unit.power);
  }
  return std::nullopt;
}

// The amount after `words`; nullopt where they are not there.
std::optional<double> bytes_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + words.size());
  return take_bytes(rest);
}

// The bare number after `words`.
std::optional<double> count_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + words.size());
  return take_number(rest);
}

// The amount before `words`.
std::optional<double> bytes_before(std::string_view text, std::string_view words) {
  std::size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  // Over the unit, then over the number.
  std::size_t begin = at;
  while (begin > 0 && !is_digit(text[begin - 1]) && at - begin < 8) --begin;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  std::string_view rest = text.substr(begin, at - begin);
  return take_bytes(rest);
}

// Whether most of a device is neither free nor PyTorch's own: another process has it. "23.70 GiB
// total capacity; 1.10 GiB already allocated; 10.56 MiB free; 1.18 GiB reserved in total".
bool another_has_most(std::string_view message, std::optional<double> free) {
  const auto total = bytes_before(message, " total capacity");
  const auto own = bytes_before(message, " reserved in total");
  return total && own && free && *total - *own - *free > *total / 2;
}

// PyTorch: "Tried to allocate 304.00 MiB (GPU 0; 8.00 GiB total capacity; 142.76 MiB already
// allocated; 6.32 GiB free; …", and since 2.1 "… of which 759.38 MiB is free. Process 123 has 20.00
// GiB memory in use. Including non-PyTorch memory, this process has 1.00 GiB memory in use."
bool was_free_or_held_by_another(std::string_view message) {
  constexpr std::string_view kTried = "tried to allocate";
  // Another process may say the same next.
  const std::size_t first = message.find(kTried);
  if (first != message.npos) message = message.substr(0, message.find(kTried, first + 1));
  auto wanted = bytes_after(message, kTried);
  auto free = bytes_before(message, " free;");
  if (!free) free = bytes_before(message, " is free");
  // XLA: "Attempting to reserve 6.48G at the bottom of memory. That was not possible. There
  // are 6.78G free, 0B reserved, and 3.33G reservable."
  if (!wanted) {
    wanted = bytes_after(message, "attempting to reserve");
    if (!wanted) wanted = bytes_after(message, "attempting to allocate");
    free = bytes_after(message, "there are");
  }
  // XGBoost: "- Free memory: 224067584\n- Requested memory: 878511352", in bytes.
  if (!wanted) {
    wanted = count_after(message, "requested memory: ");
    free = count_after(message, "free memory: ");
  }
  if (wanted && free && *free > *wanted) return true;
  if (another_has_most(message, free)) return true;
  auto own = bytes_after(message, "this process has");
  double others = 0;
  constexpr std::string_view kProcess = ". process ";
  for (std::size_t at = message.find(kProcess); at != std::string_view::npos;
       at = message.find(kProcess, at + 1)) {
    std::string_view rest = message.substr(at + kProcess.size());
    if (!take_number(rest) || !rest.starts_with(" has ")) continue;
    rest.remove_prefix(5);
    others += take_bytes(rest).value_or(0);
  }
  // In a container a process does not know which of them it is itself.
  if (!own) {
    own = bytes_before(message, " is allocated by pytorch");
    others -= own.value_or(0) + bytes_before(message, " is reserved by pytorch").value_or(0);
  }
  // The few hundred MiB of a context are nobody's fault.
  return own && (others > *own || (wanted && others > *wanted && others > *own / 5));
}

// Progress bars: "[1:57:09<15:46:00".
bool hours_on_a_progress_bar(std::string_view line) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    std::string_view rest = line.substr(at + 1);
    if (!take_number(rest) || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    if (!take_number(rest) || !rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    if (take_number(rest) && rest.starts_with('<')) return true;
  }
  return false;
}

// Hours of it, and not the end of it. Other bars may stand in the lines before.
bool long_progress(std::string_view before) {
  while (!before.empty()) {
    const std::string_view line = before.substr(0, before.find('\n'));
    if (hours_on_a_progress_bar(line) && !line.contains("100%")) return true;
    before.remove_prefix(std::min(line.size() + 1, before.size()));
  }
  return false;
}

// A driver's own "out of memory" while processes find each other, before there is a model.
bool before_the_model(std::string_view before) {
  static constexpr auto kEarly =
      word_list("barrier", "init_process_group", "set_device", "_lazy_init", "init_distributed",
                "initialize_megatron", "torch._c._cuda_init", "cudagetdevice", "ncclcomminit");
  return has_one(before, kEarly);
}

// What one Xid says; nullopt where it is only what another one leaves behind.
std::optional<XidMeaning> meaning_of_xid(int xid) {
  static constexpr auto kHardware = std::to_array<std::uint8_t>(
      {48,  54,  63,  64,  74,  79,  92,  94,  95,  110, 119, 120, 122, 123, 124, 140, 142,
       143, 144, 145, 146, 147, 148, 149, 150, 151, 154, 155, 156, 157, 158, 171, 172});
  // A halted controller or a context switch that timed out may be the program's or the driver's.
  static constexpr auto kDoubtful = std::to_array<std::uint8_t>({61, 62, 109});
  static constexpr auto kApplication = std::to_array<std::uint8_t>({13, 43, 69});
  const auto is_of = [xid](const auto& xids) { return std::ranges::find(xids, xid) != xids.end(); };
  if (is_of(kHardware))
    return XidMeaning{0, Rank::kMachine, FailureLabel::kHardware, RunAgain::kYes};
  if (is_of(kDoubtful))
    return XidMeaning{0, Rank::kMachine, FailureLabel::kHardware, RunAgain::kOnce};
  // A rare race, or a bug that comes again.
  if (xid == 31) return XidMeaning{0, Rank::kException, FailureLabel::kUserCode, RunAgain::kOnce};
  if (is_of(kApplication))
    return XidMeaning{0, Rank::kException, FailureLabel::kUserCode, RunAgain::kNo};
  return std::nullopt;
}

// The number that stands behind `xid`: "(PCI:0000:91:00): 79, pid=…", " 79", " error: 79", "=79".
std::optional<int> number_of_xid(std::string_view rest) {
  rest = without_blanks(rest);
  if (rest.starts_with("xid")) return std::nullopt;
  if (rest.starts_with('(')) {
    const std::size_t end = rest.find(')');
    if (end == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  if (rest.starts_with('e') || rest.starts_with('c'))
    for (const std::string_view word : {"errors", "error", "code", "event"}) {
      rest = without_blanks(rest);
      if (rest.starts_with(word)) rest.remove_prefix(word.size());
    }
  rest.remove_prefix(std::min(rest.find_first_not_of(" :="), rest.size()));
  const auto number = take_number(rest);
  if (!number || *number > 1000 || rest.starts_with(" not seen") ||
      rest.starts_with(" not detected"))
    return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::optional<XidMeaning> meaning_of_xids(std::string_view line) {
  constexpr std::string_view kXid = "xid";
  constexpr std::size_t kNear = 80;
  std::optional<XidMeaning> out;
  for (std::size_t at = line.find(kXid); at != std::string_view::npos;
       at = line.find(kXid, at + kXid.size())) {
    const char before = at > 0 ? line[at - 1] : ' ';
    if ((before >= 'a' && before <= 'z') || before == '_' || before == '/') continue;
    // A name that a program looked for or compares: `KeyError: 'Xid 79'`.
    if (before == '\'') continue;
    const auto number = number_of_xid(line.substr(at + kXid.size(), kNear));
    auto found = number ? meaning_of_xid(*number) : std::nullopt;
    if (!found || (out && !outweighs(*found, *out))) continue;
    found->at = at;
    out = found;
  }
  return out;
}

bool device_memory_may_do(std::string_view message, std::string_view before) {
  constexpr std::size_t kMessage = 1200;
  message = message.substr(0, kMessage);
  if (was_free_or_held_by_another(message)) return true;
  // PyTorch's allocator would say "Tried to allocate": without it, it was the driver.
  if (message.find("tried to allocate") == std::string_view::npos && before_the_model(before))
    return true;
  return long_progress(before);
}

bool names_memory(std::string_view text) {
  static constexpr auto kFigures = word_list(
      "cpu memory usage", "ram usage", "host memory", "cpu mem", "maxrss", "memory used",
      "memory utilization", "virtual_memory", "used ram", "mem usage", "oom-kill", "oom_kill",
      "oomkilled", "oom killed", "out of memory: kill", "cgroup out of memory", "ran out-of-memory",
      "占满", "memory is full", "memory full", "ram is full");
  return has_one(text, kFigures);
}

bool limit_is_used_up_now(std::string_view text, std::size_t at) {
  const std::string_view message = text.substr(text.rfind('\n', at) + 1);
  constexpr std::string_view kUsed = "current utilization of ";
  // Negative where there is no number: to g++ 13 an optional looks uninitialized here.
  const auto number_at = [message](std::size_t at) {
    std::string_view rest = message.substr(std::min(at, message.size()));
    return take_number(rest).value_or(-1);
  };
  const auto number_after = [&](std::string_view words) {
    const std::size_t found = message.find(words);
    return found == std::string_view::npos ? -1 : number_at(found + words.size());
  };
  const auto may_be_free = [](double limit, double used, double delta) {
    return limit > 0 && used > 0 && delta >= 0 && delta <= limit;
  };
  // `QOSMaxSubmitJobPerUserLimit`, `AssocMaxSubmitJobLimit`: of Slurm, for jobs that are still
  // there
  if (message.contains("submitjob")) return true;
  // "Quota 'C2_CPUS' exceeded. Limit: 300.0 in region …", "Quota 'TPUV4s…' exhausted. Limit 20800
  // in region …", "is short '40.0'. project has a quota of '500.0'", of Google Cloud
  const double is_short = number_after("is short '");
  if (number_after("' exceeded. limit: ") > 0 || number_after("' exhausted. limit ") > 0 ||
      number_after("' exhausted.\nlimit ") > 0 ||
      may_be_free(number_after("project has a quota of '"), is_short, is_short))
    return true;
  // "Current Limit: 250, Current Usage: 144, Additional Required: 120, …", of Azure
  if (may_be_free(number_after("current limit: "), number_after("current usage: "),
                  number_after("additional required: ")))
    return true;
  // "exceeded quota: …, requested: cpu=4, used: cpu=14, limited: cpu=16", of Kubernetes
  if (const std::size_t used = message.find(", used: ");
      used != message.npos && message.contains("exceeded quota: "))
    return number_at(message.find('=', used) + 1) > 0;
  // "… service limit 'ml.p3.2xlarge for training job usage' is 2 Instances, with …"
  constexpr std::string_view kIs = " is ";
  const std::size_t is = message.rfind(kIs, message.find(kUsed));
  const double limit = is == std::string_view::npos ? -1 : number_at(is + kIs.size());
  return may_be_free(limit, number_after(kUsed), number_after("request delta of "));
}

}  // namespace trainwarden::rules
