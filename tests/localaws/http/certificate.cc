#include "tests/localaws/http/certificate.h"

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace trainwarden::localaws {
namespace {

constexpr long kDay = 86'400;

struct Free {
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::string content(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem(X509* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return content(bio.get());
}

std::string pem(EVP_PKEY* key) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return content(bio.get());
}

bool extend(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Owned<X509> begin(const char* name, EVP_PKEY* key, long serial) {
  Owned<X509> out(X509_new());
  X509_set_version(out.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), 30 * kDay);
  X509_set_pubkey(out.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  return out;
}

}  // namespace

Result<Certificates> make_certificates() {
  const Owned<EVP_PKEY> root_key(EVP_EC_gen("P-256"));
  const Owned<EVP_PKEY> host_key(EVP_EC_gen("P-256"));
  if (!root_key || !host_key) return fail(ErrorCode::kInternal, "no key could be made");
  const Owned<X509> root = begin("localaws root", root_key.get(), 1);
  const Owned<X509> host = begin("localhost", host_key.get(), 2);
  X509_set_issuer_name(root.get(), X509_get_subject_name(root.get()));
  X509_set_issuer_name(host.get(), X509_get_subject_name(root.get()));
  const bool extended =
      extend(root.get(), root.get(), NID_basic_constraints, "critical,CA:TRUE") &&
      extend(root.get(), root.get(), NID_key_usage, "critical,keyCertSign") &&
      extend(root.get(), root.get(), NID_subject_key_identifier, "hash") &&
      extend(host.get(), root.get(), NID_basic_constraints, "critical,CA:FALSE") &&
      extend(host.get(), root.get(), NID_key_usage, "critical,digitalSignature") &&
      extend(host.get(), root.get(), NID_ext_key_usage, "serverAuth") &&
      extend(host.get(), root.get(), NID_authority_key_identifier, "keyid") &&
      extend(host.get(), root.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  if (!extended || X509_sign(root.get(), root_key.get(), EVP_sha256()) == 0 ||
      X509_sign(host.get(), root_key.get(), EVP_sha256()) == 0)
    return fail(ErrorCode::kInternal, "no certificate could be made");
  return Certificates{pem(root.get()), pem(host.get()), pem(host_key.get())};
}

Result<TemporaryFile> TemporaryFile::write(const std::string& content) {
  std::error_code ignored;
  auto folder = std::filesystem::temp_directory_path(ignored);
  if (folder.empty()) folder = "/tmp";
  std::string path = (folder / "localaws-root-XXXXXX").string();
  const int file = ::mkstemp(path.data());
  if (file < 0)
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("cannot write `{}`: {}", path, std::strerror(errno)));
  TemporaryFile out(path);
  const ssize_t written = ::write(file, content.data(), content.size());
  ::close(file);
  if (written != static_cast<ssize_t>(content.size()))
    return fail(ErrorCode::kInvalidConfig, fmt::format("cannot write `{}`", path));
  return out;
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace trainwarden::localaws
