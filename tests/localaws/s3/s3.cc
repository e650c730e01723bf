#include "tests/localaws/s3/s3.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "runtime/base/ascii.h"
#include "tests/localaws/service/input.h"
#include "tests/localaws/service/xml_text.h"

namespace trainwarden::localaws {
namespace {

using json::Value;

constexpr std::int64_t kMostKeys = 1000;

// What path and query say comes as text.
Shapes inputs() {
  const Shape bucket = text(3, 63);
  return {
      {"CreateBucket", object({required("Bucket", bucket)})},
      {"PutObject", object({required("Bucket", bucket), required("Key", text(1, 1024)),
                            required("Size", text(1, 20))})},
      {"ListObjectsV2",
       object({required("Bucket", bucket), optional("Prefix", text({}, 1024)),
               optional("ContinuationToken", text(1, {})), optional("StartAfter", text({}, 1024)),
               optional("MaxKeys", text(1, 10)), optional("EncodingType", choice({"url"})),
               optional("Delimiter", text({}, 1024))})},
  };
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// As `encoding-type=url` wants it; slashes stay.
std::string url_encoded(std::string_view key) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '*' || c == '/';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

// "2009-10-12T17:50:30.000Z"
std::string stamp(sys_millis t) {
  const std::string whole_seconds = rfc3339(std::chrono::floor<std::chrono::seconds>(t));
  return whole_seconds.substr(0, whole_seconds.size() - 1) + ".000Z";
}

std::string element(std::string_view name, std::string_view value) {
  return fmt::format("<{0}>{1}</{0}>", name, xml_text(value));
}

}  // namespace

S3::S3(std::string region) : Service(inputs()), region_(std::move(region)) {}

void S3::place_bucket(std::string_view name, std::string_view region) {
  buckets_[std::string(name)].region = region;
}

void S3::put(std::string_view bucket, std::string_view key, sys_millis written, std::int64_t size) {
  Bucket& to = buckets_[std::string(bucket)];
  if (to.region.empty()) to.region = region_;
  to.objects.insert_or_assign(std::string(key), Object{written, size});
}

Answer<std::string> S3::call(std::string_view operation, Value given, sys_millis now) {
  const std::string_view name = input::text(given, "Bucket");
  if (operation == "CreateBucket") {
    const auto [at, added] = buckets_.try_emplace(std::string(name), Bucket{region_, {}});
    if (!added)
      return refuse(409, "BucketAlreadyOwnedByYou",
                    "Your previous request to create the named bucket succeeded and you already "
                    "own it.");
    return "";
  }
  const auto bucket = bucket_of(given);
  if (!bucket) return std::unexpected(bucket.error());
  if (operation == "ListObjectsV2") return list(**bucket, given);
  put(name, input::text(given, "Key"), now, whole(input::text(given, "Size")).value_or(0));
  return "";
}

Answer<S3::Bucket*> S3::bucket_of(Value given) {
  const auto found = buckets_.find(input::text(given, "Bucket"));
  if (found == buckets_.end())
    return refuse(404, "NoSuchBucket", "The specified bucket does not exist");
  if (found->second.region != region_)
    return std::unexpected(AwsError{
        301, "PermanentRedirect",
        "The bucket you are attempting to access must be addressed using the specified endpoint. "
        "Please send all future requests to this endpoint.",
        fmt::format(R"({{"Region":"{}"}})", found->second.region)});
  return &found->second;
}

Answer<std::string> S3::list(const Bucket& bucket, Value given) const {
  const std::string_view prefix = input::text(given, "Prefix");
  const auto asked = whole(input::has(given, "MaxKeys") ? input::text(given, "MaxKeys") : "1000");
  if (!asked || *asked < 0)
    return refuse(400, "InvalidArgument",
                  "Provided max-keys not an integer or within integer range");
  if (!input::text(given, "Delimiter").empty())
    return refuse(501, "NotImplemented", "localaws lists without a delimiter");
  const auto most = static_cast<std::size_t>(std::min(*asked, kMostKeys));
  // A token is the last key of the page before.
  const std::string_view token = input::text(given, "ContinuationToken");
  const std::string after(token.empty() ? input::text(given, "StartAfter") : token);
  const bool url = input::text(given, "EncodingType") == "url";
  const auto key_text = [&](std::string_view key) {
    return url ? url_encoded(key) : std::string(key);
  };
  std::string contents;
  std::string last;
  std::size_t count = 0;
  bool truncated = false;
  for (auto at = bucket.objects.upper_bound(after); at != bucket.objects.end(); ++at) {
    const auto& [key, object] = *at;
    if (!key.starts_with(prefix)) continue;
    truncated = count == most;
    if (truncated) break;
    ++count;
    last = key;
    contents += "<Contents>" + element("Key", key_text(key)) +
                element("LastModified", stamp(object.written)) +
                element("ETag", "\"d41d8cd98f00b204e9800998ecf8427e\"") +
                element("Size", std::to_string(object.size)) + element("StorageClass", "STANDARD") +
                "</Contents>";
  }
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  out += element("Name", input::text(given, "Bucket")) + element("Prefix", key_text(prefix));
  if (!token.empty()) out += element("ContinuationToken", token);
  if (truncated) out += element("NextContinuationToken", last);
  out += element("KeyCount", std::to_string(count)) + element("MaxKeys", std::to_string(*asked));
  if (url) out += element("EncodingType", "url");
  out += element("IsTruncated", truncated ? "true" : "false") + contents;
  return out + "</ListBucketResult>";
}

}  // namespace trainwarden::localaws
