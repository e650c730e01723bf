#include "awsapi/s3.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "awsapi/uri.h"
#include "awsapi/xml.h"
#include "runtime/base/ascii.h"
#include "runtime/base/digits.h"

namespace trainwarden::aws {
namespace {

constexpr std::string_view kScheme = "s3://";
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html, and what older
// buckets of us-east-1 may have.
constexpr std::size_t kShortestBucket = 3;
constexpr std::size_t kLongestBucket = 255;

bool in_bucket_name(char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; }

std::string list_query(const S3Location& where, std::string_view token) {
  std::string out = "list-type=2&max-keys=1000";
  if (!where.prefix.empty())
    out.append("&prefix=").append(uri_encode(where.prefix, KeepSlash::kNo));
  if (!token.empty()) out.append("&continuation-token=").append(uri_encode(token, KeepSlash::kNo));
  return out;
}

std::unexpected<Error> odd_list(std::string_view what) {
  return fail(ErrorCode::kBadResponse, fmt::format("ListObjectsV2: expected {}", what));
}

Result<S3Object> read_object(std::string_view contents) {
  const auto key = element_text(contents, "Key");
  const auto size = element_text(contents, "Size");
  const auto written = parse_rfc3339(element_text(contents, "LastModified").value_or(""));
  S3Object out;
  if (!key || !size || !written) return odd_list("Key, Size and LastModified of each object");
  const auto bytes = whole_number(*size, 0);
  if (!bytes) return odd_list("a number as the Size of each object");
  out.size = *bytes;
  out.key = *key;
  out.written = *written;
  return out;
}

// The token of the next page; empty where this is the last one.
Result<std::string> read_list_page(std::string_view page,
                                   const std::function<void(const S3Object&)>& each) {
  constexpr std::string_view kOpen = "<Contents>";
  constexpr std::string_view kClose = "</Contents>";
  if (page.find("<ListBucketResult") == std::string_view::npos)
    return odd_list("XML with a ListBucketResult");
  std::size_t end = 0;
  for (std::size_t begin = page.find(kOpen); begin != std::string_view::npos;
       begin = page.find(kOpen, end)) {
    end = page.find(kClose, begin);
    if (end == std::string_view::npos) return odd_list("Contents that are closed");
    TRY(const S3Object object, read_object(page.substr(begin, end - begin)));
    each(object);
  }
  const auto truncated = element_text(page, "IsTruncated");
  if (truncated == "false") return std::string();
  auto token = element_text(page, "NextContinuationToken");
  if (truncated != "true" || !token || token->empty())
    return odd_list("IsTruncated, and a token where it is true");
  return *std::move(token);
}

}  // namespace

Result<S3Location> parse_s3_uri(std::string_view uri) {
  std::string_view rest = uri.starts_with(kScheme) ? uri.substr(kScheme.size()) : "";
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  S3Location out{std::string(rest.substr(0, slash)), {}};
  if (out.bucket.size() < kShortestBucket || out.bucket.size() > kLongestBucket ||
      !std::ranges::all_of(out.bucket, in_bucket_name))
    return fail(ErrorCode::kInvalidInput,
                fmt::format("expected a location such as s3://bucket/folder, found `{}`", uri));
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  out.prefix = rest;
  // An object in the folder `a/b` is not one in `a/b-2`.
  if (!out.prefix.empty() && !out.prefix.ends_with('/')) out.prefix += '/';
  return out;
}

Result<bool> S3::list_objects_v2(const S3Location& where, int most_pages,
                                 const std::function<void(const S3Object&)>& each,
                                 const CallContext& context) const {
  std::string token;
  for (int page = 0; page < most_pages; ++page) {
    const Call call{&kS3,         "ListObjectsV2",          {},
                    where.bucket, list_query(where, token), where.bucket};
    TRY(const std::string answer, client_.read_page(call, context));
    TRY(std::string next, read_list_page(answer, each));
    if (next.empty()) return true;
    if (next == token) return odd_list("another page, found the same one again");
    token = std::move(next);
  }
  return false;
}

}  // namespace trainwarden::aws
