#include "handlers/cli/report/report_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "handlers/cli/backtest/findings_words.h"
#include "handlers/cli/terminal/amounts.h"
#include "handlers/cli/terminal/html.h"

namespace trainwarden::cli {
namespace {

using rules::Spending;

// From the bottom of a column to its top: what was useful, what was not, what the policy changes.
constexpr std::array kStack = {Spending::kCompleted, Spending::kNotOver, Spending::kStopped,
                               Spending::kFailed,    Spending::kOther,   Spending::kKept,
                               Spending::kDestroyed};
constexpr double kWidth = 1000;
constexpr double kHeight = 200;
constexpr std::size_t kManySpans = 6;
constexpr double kPercent = 100;

std::string rect(std::string_view fill, double x, double y, double width, double height,
                 std::string_view title) {
  return fmt::format(
      R"(<rect class="f-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
      fill, x, y, width, height, escaped(title));
}

std::string svg_begin(double width, double height, std::string_view title) {
  return fmt::format(
      R"(<svg viewBox="0 0 {:.0f} {:.0f}" preserveAspectRatio="none" role="img" aria-label="{}"><title>{}</title>)",
      width, height, escaped(title), escaped(title));
}

// The next round number: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten.
double round_up(double number) {
  if (number <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(number)));
  for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (number <= factor * power) return factor * power;
  return 10 * power;
}

std::string span_title(std::string_view name, const rules::SpanTotal& span, Spending spending) {
  return fmt::format("{} {}: {} {}, of {}", name, long_day(sys_seconds(span.begin)),
                     dollars(span.sum.of(spending)), label(spending), dollars(span.sum.usd()));
}

double seconds_of(std::chrono::seconds span) {
  return static_cast<double>(std::max(std::chrono::seconds(0), span).count());
}

sys_seconds from_of(const rules::JobFinding& job) { return job.trained_from.value_or(job.created); }

Spending before_stop(const rules::JobFinding& job) {
  if (job.stop && !job.stop->restarts && job.stop->verdict == rules::StopVerdict::kWrong)
    return Spending::kDestroyed;
  rules::JobFinding plain;  // as if no rule had stopped it
  plain.status = job.status;
  plain.usd = 1;
  const rules::Split split = rules::split_of(plain);
  return static_cast<Spending>(std::ranges::max_element(split) - split.begin());
}

Spending after_stop(const rules::JobFinding& job) {
  if (job.stop->restarts) return Spending::kOther;
  if (job.stop->verdict == rules::StopVerdict::kRight) return Spending::kKept;
  if (job.stop->verdict != rules::StopVerdict::kWrong) return Spending::kOther;
  return job.status == rules::JobStatus::kCompleted ? Spending::kCompleted : Spending::kStopped;
}

// A job's bar on the common time scale.
struct Bar {
  const rules::JobFinding& job;
  double scale;  // horizontal units per second
  double end;

  double x(sys_seconds time) const {
    return std::clamp(seconds_of(time - from_of(job)) * scale, 0.0, end);
  }
};

std::string bar_of(const Bar& bar, const rules::Findings& findings) {
  const rules::JobFinding& job = bar.job;
  std::string title = fmt::format("{}: {}, {}", job.name, hours_text(job.paid_hours), job.state);
  if (job.stop)
    title += fmt::format("; {} would have {} it", rule_name(findings, job.stop->rule),
                         job.stop->restarts ? "restarted" : "stopped");
  std::string out = svg_begin(kWidth, 22, title);
  const double stop = job.stop ? bar.x(job.stop->at) : bar.end;
  const Spending before = before_stop(job);
  out += rect(rules::name(before), 0, 0, std::max(stop, 1.0), 22, label(before));
  if (job.stop) {
    const Spending after = after_stop(job);
    out += rect(rules::name(after), stop, 0, std::max(bar.end - stop, 1.0), 22, label(after));
    out += fmt::format(R"(<line class="act" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="22"/>)",
                       std::clamp(stop, 2.0, kWidth - 2));
  }
  return out + "</svg>";
}

std::string curve_of(const Bar& bar, const rules::Curve& curve) {
  double top = 0;
  for (const auto& value : curve.values) top = std::max(top, value.value_or(0));
  const bool is_percent = curve.metric.ends_with("Utilization") && top <= kPercent;
  const double full = is_percent ? kPercent : top;
  std::string out = svg_begin(
      kWidth, 24, fmt::format("{} of {}, at most {:.4g}", curve.metric, bar.job.name, top));
  out.replace(out.find("<svg"), 4, R"(<svg class="strip")");
  out += fmt::format(R"(<rect class="f-card" width="{:.1f}" height="24"/>)", bar.end);
  std::string path;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    if (!curve.values[i] || full <= 0) continue;
    const auto period = std::chrono::seconds(curve.period_seconds);
    const auto at = curve.begin + period * static_cast<std::int64_t>(i);
    const double left = bar.x(at);
    const double right = bar.x(at + period);
    const double height = std::clamp(*curve.values[i] / full, 0.0, 1.0) * 24;
    if (right > left) path += fmt::format("M{:.1f} 24V{:.1f}H{:.1f}V24Z", left, 24 - height, right);
  }
  if (!path.empty()) out += fmt::format(R"(<path class="f-use" d="{}"/>)", path);
  return out + "</svg>";
}

std::string what_would_be(const rules::JobFinding& job, const rules::Findings& findings) {
  if (!job.stop) return {};
  const rules::ReplayedStop& stop = *job.stop;
  return fmt::format(R"(<p class="what"><b>{}</b>: {}. <span class="{}">{}</span>: {}{}.</p>)",
                     escaped(rule_name(findings, stop.rule)),
                     escaped(stop_text(job, stop, findings.until)), rules::name(stop.verdict),
                     escaped(verdict_text(stop)), escaped(ground_text(stop.ground)),
                     stop.noticed_after ? "; it had lasted " + span_text(*stop.noticed_after) : "");
}

std::string who(const rules::JobFinding& job) {
  std::string out = escaped(job.machines);
  const std::string& person = job.team.empty() ? job.owner : job.team;
  if (!person.empty()) out += (out.empty() ? "" : " · ") + escaped(person);
  if (job.spot) out += " · Spot";
  return out;
}

}  // namespace

std::string legend(const rules::Split& split) {
  std::string out = R"(<ul class="legend">)";
  for (const Spending spending : kStack)
    if (split[static_cast<std::size_t>(spending)] > 0)
      out += fmt::format(R"(<li><span class="key b-{}"></span>{}</li>)", rules::name(spending),
                         label(spending));
  return out + "</ul>";
}

std::string split_bar(const rules::Sum& sum, double whole) {
  if (whole <= 0) return {};
  std::string title;
  for (const Spending spending : kStack)
    if (sum.of(spending) > 0)
      title += fmt::format("{}{} {}", title.empty() ? "" : ", ", dollars(sum.of(spending)),
                           label(spending));
  std::string out = svg_begin(kWidth, 12, title);
  double x = 0;
  for (const Spending spending : kStack) {
    const double width = sum.of(spending) / whole * kWidth;
    if (width > 0) out += rect(rules::name(spending), x, 0, width, 12, label(spending));
    x += width;
  }
  return out + "</svg>";
}

std::string spans_chart(const rules::Totals& totals) {
  const bool by_day = !totals.days.empty();
  const std::vector<rules::SpanTotal>& spans = by_day ? totals.days : totals.weeks;
  double top = 0;
  for (const rules::SpanTotal& span : spans) top = std::max(top, span.sum.usd());
  if (top <= 0) return {};
  top = round_up(top);
  const double column = kWidth / static_cast<double>(spans.size());
  const double width = std::min(column * 0.8, 140.0);
  std::string out = fmt::format(
      R"(<div class="weeks"><div class="scale" aria-hidden="true"><span>{}</span><span>{}</span><span>$0</span></div>)",
      dollars(top), dollars(top / 2));
  out +=
      svg_begin(kWidth, kHeight,
                fmt::format("What the jobs of each {} have cost; the table below has the numbers",
                            by_day ? "day" : "week"));
  for (const double y : {0.5, kHeight / 2, kHeight - 0.5})
    out += fmt::format(R"(<line class="grid" x1="0" x2="1000" y1="{0:.1f}" y2="{0:.1f}"/>)", y);
  std::string names;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const rules::SpanTotal& span = spans[i];
    double y = kHeight;
    for (const Spending spending : kStack) {
      const double height = span.sum.of(spending) / top * kHeight;
      y -= height;
      if (height > 0)
        out += rect(rules::name(spending), column * (static_cast<double>(i) + 0.5) - width / 2, y,
                    width, height, span_title(by_day ? "on" : "week of", span, spending));
    }
    names += fmt::format("<span>{}</span>", short_day(sys_seconds(span.begin)));
  }
  return out + fmt::format(R"(</svg><div class="names{}" aria-hidden="true">{}</div></div>)",
                           spans.size() > kManySpans ? " many" : "", names);
}

std::string jobs_chart(const rules::Findings& findings, const std::vector<std::size_t>& jobs) {
  double longest = 1;
  for (const std::size_t i : jobs) {
    const rules::JobFinding& job = findings.jobs[i];
    longest = std::max(longest, seconds_of(job.ended.value_or(findings.until) - from_of(job)));
  }
  std::string out = R"(<ol class="bars">)";
  for (const std::size_t i : jobs) {
    const rules::JobFinding& job = findings.jobs[i];
    const double scale = kWidth / longest;
    const double end = seconds_of(job.ended.value_or(findings.until) - from_of(job)) * scale;
    const Bar bar{job, scale, std::clamp(end, 1.0, kWidth)};
    out += fmt::format(
        R"(<li><div class="who"><b>{}</b><span class="mute">{}</span></div><div class="bar">{})",
        escaped(job.name), who(job), bar_of(bar, findings));
    for (const rules::Curve& curve : job.curves) out += curve_of(bar, curve);
    if (job.curves.empty())
      out += fmt::format(R"(<span class="mute">{}, {}</span>)", escaped(job.state),
                         hours_text(job.paid_hours));
    else
      out += fmt::format(R"(<span class="mute">{}, {}; {}</span>)", escaped(job.state),
                         hours_text(job.paid_hours), escaped(job.curves.front().metric));
    out += fmt::format(R"({}</div><div class="usd">{}</div></li>)", what_would_be(job, findings),
                       dollars(job.usd, job.usd_is_bound));
  }
  return out + "</ol>";
}

}  // namespace trainwarden::cli
