// Amazon S3: buckets, objects (their names, sizes and times) and ListObjectsV2, at paths, as a
// client with an endpoint of its own asks. A bucket whose LocationConstraint is another region
// answers as one of that region does.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/localaws/service/service.h"

namespace trainwarden::localaws {

class S3 final : public Service {
 public:
  explicit S3(std::string region);

  Answer<std::string> call(std::string_view operation, json::Value input, sys_millis now) override;
  void clear() { buckets_.clear(); }
  // A bucket of another region, where CreateBucket would not be asked here.
  void place_bucket(std::string_view name, std::string_view region);
  // An object as somebody else wrote it.
  void put(std::string_view bucket, std::string_view key, sys_millis written,
           std::int64_t size = 1);

 private:
  struct Object {
    sys_millis written;
    std::int64_t size;
  };
  struct Bucket {
    std::string region;
    std::map<std::string, Object, std::less<>> objects;
  };

  Answer<Bucket*> bucket_of(json::Value input);
  Answer<std::string> list(const Bucket& bucket, json::Value input) const;

  std::string region_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace trainwarden::localaws
