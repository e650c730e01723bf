#!/bin/bash
# usage: build.sh [x86_64|arm64]
# Builds what the project stands on, once for all clones and presets, and prints the folder as its last line:
#   ${XDG_CACHE_HOME:-~/.cache}/trainwarden/<hash of these scripts, the compiler, the architecture, the headers copied>
#     lib/libcurl.a libssl.a libcrypto.a     minimal and static, non-PIC
#     include/{curl,openssl,httplib}         from the sources that fetch.sh brings
#     lib/libfmt.a                           its formatting code, compiled once instead of in every file
#     include/fmt                            from the same sources
#     include/rapidjson                      a copy of the distribution's headers, so that /usr/include is never named
#     licenses/<name>                        the licence that each of them comes under
#     SOURCES                                which sources these are: the lines of fetch.sh's manifest, and one for
#                                            RapidJSON: `rapidjson <version> machine <folder> <SHA-256 of its headers>`,
#                                            with the version `unknown` where no dpkg tells it
# A folder under that name is complete: it is filled under another one and renamed at the end.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
arch=${1:-$(uname -m)}
case $arch in
  x86_64 | amd64)  arch=x86_64; openssl_target=linux-x86_64; cross=; toolchain=() ;;
  arm64 | aarch64) arch=arm64; openssl_target=linux-aarch64; cross=aarch64-linux-gnu-
                   toolchain=("-DCMAKE_TOOLCHAIN_FILE=$here/aarch64.cmake")
                   case $(uname -m) in aarch64 | arm64) cross=; toolchain=() ;; esac ;;
  *) echo "build.sh: unknown architecture '$arch': expected x86_64 or arm64" >&2; exit 2 ;;
esac
cc=${cross}gcc
cxx=${cross}g++

for tool in "$cc" "$cxx" "${cross}objcopy" cmake make perl flock sha256sum; do
  command -v "$tool" >/dev/null || { echo "build.sh: $tool is missing (./dev setup installs what is needed)" >&2; exit 1; }
done
[ -d /usr/include/rapidjson ] || { echo "build.sh: /usr/include/rapidjson is missing: install rapidjson-dev" >&2; exit 1; }

hash=$({ cat "$here/fetch.sh" "$here/build.sh" "$here/trim.pl" "$here/aarch64.cmake"
         find /usr/include/rapidjson -type f | LC_ALL=C sort | xargs cat
         echo "$arch"; "$cc" -dumpfullversion; "$cc" -dumpmachine; } | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/trainwarden
out=$cache/$hash
if [ -d "$out" ]; then echo "$out"; exit 0; fi

mkdir -p "$cache"
exec 9> "$cache/.lock"
flock 9
if [ -d "$out" ]; then echo "$out"; exit 0; fi

start=$SECONDS
echo "building curl, OpenSSL and fmt for $arch into $out (about two minutes on two cores)" >&2
rm -rf "$cache"/.work.*  # of runs that were killed: we hold the lock
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
work=$(mktemp -d "$cache/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
prefix=$work/out
mkdir -p "$prefix"
export SOURCE_DATE_EPOCH=0  # OpenSSL records when it was built

# Runs a step quietly; its output is shown only when it fails. In the background, because `set -e` sleeps left of ||.
step() {
  local name=$1; shift
  "$@" > "$work/$name.log" 2>&1 9>&- &
  wait $! || { tail -n 60 "$work/$name.log" >&2; echo "build.sh: $name failed" >&2; exit 1; }
}

sources=$cache/sources
"$here/fetch.sh" "$sources" 9>&-
# The folder that holds the (patched) source tree of a package, or the single file.
unpack() {  # name
  local name kind file
  while read -r name _ kind file _; do [ "$name" != "$1" ] || break; done < "$sources/manifest"
  if [ "$kind" = debian ]; then
    dpkg-source --no-copy -q -x "$sources/$file" "$work/src-$1"  # applies Debian's patches
  elif [ "${file##*.}" = h ]; then
    mkdir "$work/src-$1" && cp "$sources/$file" "$work/src-$1/httplib.h"
  else
    mkdir "$work/src-$1" && tar xzf "$sources/$file" -C "$work/src-$1" --strip-components=1
  fi
}
step unpack-openssl unpack openssl
step unpack-curl unpack curl
step unpack-fmtlib unpack fmtlib
step unpack-cpp-httplib unpack cpp-httplib

jobs=$(nproc)
# What hardens our own code (CMakeLists.txt) hardens theirs.
opt=(-Os -ffunction-sections -fdata-sections -fno-pie -fstack-protector-strong
     -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3 -fcf-protection=none)
# No exception passes through C: our callbacks throw none. The tables to unwind it were a tenth of the binaries.
c=("${opt[@]}" -fno-asynchronous-unwind-tables -fno-unwind-tables)
# So that it deflates well, as our own code (CMakeLists.txt).
[ "$arch" != x86_64 ] || c+=(-mforce-indirect-call -fno-schedule-insns2 -fno-caller-saves -fno-cse-follow-jumps)
without_unwind_tables() {  # archive: the assembler's sources ask for tables, too
  "${cross}objcopy" --remove-section .eh_frame "$1"
}

# Replaces one exact line piece and insists that it was there once: a patch that no longer applies must not pass.
replace() {  # file old new
  OLD=$2 NEW=$3 perl -0777 -pi -e '
    my $n = s/\Q$ENV{OLD}\E/$ENV{NEW}/g; die "$ARGV: found " . ($n || 0) . " times: $ENV{OLD}\n" unless $n == 1;' "$1"
}

# OpenSSL: a TLS 1.2/1.3 client and server with the ciphers, curves and signatures that AWS and modern servers use,
# plus digests and HMAC for Signature Version 4. Legacy ciphers, protocols and loadable modules are out, and what no option
# takes out, trim.pl does; error strings stay, since people need to read them, and the key exchange with ML-KEM, which
# AWS's endpoints negotiate. The AVX-512 forms of AES are left out on x86_64: 0.7 MB of code for bulk
# encryption (at gigabytes a second the AES-NI forms are still there), in a program that sends a few kilobytes.
build_openssl() {
  cd "$work/src-openssl"
  replace crypto/modes/asm/aes-gcm-avx512.pl 'if ($avx512vaes>0) { #<<<' 'if (0) { #<<<'
  replace crypto/aes/asm/aesni-xts-avx512.pl 'if ($avx512vaes) {' 'if (0) {'
  perl "$here/trim.pl" openssl .
  CC=$cc AR=${cross}ar RANLIB=${cross}ranlib perl ./Configure "$openssl_target" \
    --prefix=/usr --libdir=lib --openssldir=/etc/ssl \
    no-shared no-pic no-dso no-module no-engine no-legacy no-tests no-apps no-docs no-comp no-zlib \
    no-autoload-config no-ui-console no-async no-dtls no-srp no-psk no-srtp no-ct no-cms no-ts no-ocsp no-cmp \
    no-quic no-http no-argon2 no-rfc3779 no-nextprotoneg no-ssl3 no-tls1 no-tls1_1 no-tls1-method no-tls1_1-method \
    no-rc2 no-rc4 no-md4 no-mdc2 no-rmd160 no-whirlpool no-seed no-idea no-camellia no-aria no-bf no-cast no-des \
    no-sm2 no-sm3 no-sm4 no-gost no-scrypt no-ec2m no-dsa no-siphash no-siv no-blake2 no-ocb \
    no-ml-dsa no-slh-dsa no-tls-deprecated-ec no-thread-pool no-default-thread-pool \
    no-chacha no-poly1305 no-cmac no-dh no-dgram no-filenames no-integrity-only-ciphers no-multiblock no-secure-memory \
    no-ssl-trace "${c[@]}"
  make -j"$jobs" build_libs
  without_unwind_tables libcrypto.a
  without_unwind_tables libssl.a
  make install_dev DESTDIR="$work/stage"  # not --prefix: it would end up in the binaries, and differ in each
  cp -r "$work/stage/usr/include" "$work/stage/usr/lib" "$prefix/"
}

# curl: HTTP and HTTPS only. CURL_DISABLE_PROXY keeps http_proxy from hijacking 127.0.0.1 (the Runtime API); the
# threaded resolver gives name look-ups a time-out; no CA path is built in, the caller gives the roots. CMake compiles by
# absolute paths: without the prefix map the folder of this build, another each time, would be shipped.
build_curl() {
  local off=() x
  perl "$here/trim.pl" curl "$work/src-curl"
  for x in ALTSVC AWS BASIC_AUTH BEARER_AUTH BINDLOCAL COOKIES DIGEST_AUTH DOH FORM_API GETOPTIONS HEADERS_API HSTS IPFS \
           KERBEROS_AUTH LDAP LDAPS LIBCURL_OPTION MIME NEGOTIATE_AUTH NETRC NTLM PARSEDATE PROGRESS_METER PROXY \
           SHA512_256 SHUFFLE_DNS SRP VERBOSE_STRINGS WEBSOCKETS; do
    off+=("-DCURL_DISABLE_$x=ON")
  done
  cmake -S "$work/src-curl" -B "$work/build-curl" "${toolchain[@]}" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=${c[*]} -DNDEBUG -ffile-prefix-map=$work/=" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=OFF \
    -DBUILD_CURL_EXE=OFF -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DBUILD_TESTING=OFF \
    -DBUILD_LIBCURL_DOCS=OFF -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DPICKY_COMPILER=OFF -DHTTP_ONLY=ON \
    -DCURL_ENABLE_SSL=ON -DCURL_USE_OPENSSL=ON -DOPENSSL_INCLUDE_DIR="$prefix/include" \
    -DOPENSSL_SSL_LIBRARY="$prefix/lib/libssl.a" -DOPENSSL_CRYPTO_LIBRARY="$prefix/lib/libcrypto.a" \
    -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none \
    -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DCURL_USE_GSSAPI=OFF -DUSE_LIBIDN2=OFF -DUSE_NGHTTP2=OFF \
    -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DCURL_ZLIB=OFF -DENABLE_UNIX_SOCKETS=OFF -DENABLE_THREADED_RESOLVER=ON \
    -DENABLE_IPV6=ON "${off[@]}"
  cmake --build "$work/build-curl" --parallel "$jobs" --target install
}

# fmt: its formatting code once, here, instead of in each of our files (58 % of their compile time). A fixed separator
# keeps std::locale out of the binaries: half a megabyte. What is inlined into our files needs the same definition.
build_fmt() {
  "$cxx" -std=c++20 "${opt[@]}" -DNDEBUG -D_GLIBCXX_ASSERTIONS "-DFMT_STATIC_THOUSANDS_SEPARATOR=','" -I"$work/src-fmtlib/include" \
    -c "$work/src-fmtlib/src/format.cc" -o "$work/format.o"
  ${cross}ar rcsD "$prefix/lib/libfmt.a" "$work/format.o"
  mkdir -p "$prefix/include/fmt"
  cp "$work"/src-fmtlib/include/fmt/*.h "$prefix/include/fmt/"
}

# RapidJSON 1.1.0 as Debian ships it, mended where clang 19 and UBSan rightly object: an assignment to const members,
# and arithmetic on the null pointers of an empty stack. (Later RapidJSON has the same changes.)
copy_headers() {
  cp -rL /usr/include/rapidjson "$prefix/include/"
  mkdir "$prefix/include/httplib"
  cp "$work/src-cpp-httplib/httplib.h" "$prefix/include/httplib/"
  local r=$prefix/include/rapidjson
  if grep -q 'operator=(const GenericStringRef& rhs) {' "$r/document.h"; then
    replace "$r/document.h" 'operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }' \
      'operator=(const GenericStringRef& rhs) = delete;'
  fi
  if grep -q 'stackTop_ + sizeof(T) \* count > stackEnd_' "$r/internal/stack.h"; then
    replace "$r/internal/stack.h" 'stackTop_ + sizeof(T) * count > stackEnd_' \
      'sizeof(T) * count > static_cast<size_t>(stackEnd_ - stackTop_)'
    replace "$r/internal/stack.h" 'stackTop_ + sizeof(T) * count <= stackEnd_' \
      'sizeof(T) * count <= static_cast<size_t>(stackEnd_ - stackTop_)'
  fi
}

# The texts that a package of our binaries must carry, and where the headers of RapidJSON come from.
record() {
  local rapidjson=/usr/include/rapidjson version=unknown
  mkdir "$prefix/licenses"
  cp "$work/src-curl/COPYING" "$prefix/licenses/curl"
  cp "$work/src-openssl/LICENSE.txt" "$prefix/licenses/openssl"
  cp "$work"/src-fmtlib/LICENSE* "$prefix/licenses/fmtlib"
  if [ -f /usr/share/doc/rapidjson-dev/copyright ]; then
    cp /usr/share/doc/rapidjson-dev/copyright "$prefix/licenses/rapidjson"
  else  # the notice at the head of every file
    sed '/^$/q' "$rapidjson/rapidjson.h" > "$prefix/licenses/rapidjson"
  fi
  if dpkg-query -S "$rapidjson/rapidjson.h" >/dev/null 2>&1; then
    version=$(dpkg-query -W -f '${Version}' rapidjson-dev)
  fi
  cp "$sources/manifest" "$prefix/SOURCES"
  echo "rapidjson $version machine $rapidjson $(cd "$rapidjson" && find . -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1)" \
    >> "$prefix/SOURCES"
}

step openssl build_openssl
step curl build_curl
step fmt build_fmt
step headers copy_headers
step record record
rm -rf "$prefix/lib/cmake" "$prefix/lib/pkgconfig" "${prefix:?}/share" "${prefix:?}/bin"
mv "$prefix" "$out"
echo "done in $((SECONDS - start)) s" >&2
echo "$out"
