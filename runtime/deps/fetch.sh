#!/bin/bash
# Brings the pinned sources of curl, OpenSSL and cpp-httplib into DIR and writes DIR/manifest, one line each:
#   <name> <version> <debian|upstream> <file>
# First choice is Debian's source package (upstream's tarball plus Debian's security patches), pinned by the SHA-256 of
# its .dsc, which in turn names the SHA-256 of every file. It comes from whatever Debian archive the machine's own apt
# configuration points to. If the archive has moved on to a newer revision, that one is used, verified by apt's
# signature instead of the pin, and a warning says so. Where there is no Debian archive, upstream's own file is used,
# pinned by SHA-256, and a warning says that it lacks Debian's patches.
set -euo pipefail

suite=trixie
#     name         upstream  Debian revision     SHA-256 of the .dsc
pins="curl         8.14.1    8.14.1-2+deb13u5    9a9a2c95cdc8b5d76892c70858f25eaf2dc0b0a475a1e43e0b4ad428414752df
      openssl      3.5.7     3.5.7-1~deb13u2     25904642004d30c5c3da4642a72a7d09f8d9eb6e5ce62dab53c0371114faf8f2
      cpp-httplib  0.18.7    0.18.7-1+deb13u1    2bd292aea7bf4326ff43f4d9263291c444e4cb18aca4d9acf686598cd7c14711"
#         name         SHA-256 of upstream's file                                        address
upstreams="curl        6766ada7101d292b42b8b15681120acd68effa4a9660935853cf6d61f0d984d4  https://curl.se/download/curl-8.14.1.tar.gz
           openssl     a8c0d28a529ca480f9f36cf5792e2cd21984552a3c8e4aa11a24aa31aeac98e8  https://github.com/openssl/openssl/releases/download/openssl-3.5.7/openssl-3.5.7.tar.gz
           cpp-httplib 4770f8ea3d3fcd27b0b713c783d9b53bce3baddbd5adad13714011df96142526  https://raw.githubusercontent.com/yhirose/cpp-httplib/v0.18.7/httplib.h"

dir=${1:?usage: fetch.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

warn() { printf 'fetch.sh: WARNING: %s\n' "$*" >&2; }

sha_is() { [ -f "$2" ] && printf '%s  %s\n' "$1" "$2" | sha256sum --check --status; }

# Every file that a .dsc names is here and has the SHA-256 it states.
dsc_files_ok() {
  (cd "$dir" && sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ \([0-9a-f]\{64\}\) [0-9]* \(.*\)/\1  \2/p' "$1" |
    sha256sum --check --status 2>/dev/null)
}

apt_options=(-o "Dir::Etc::sourcelist=$dir/apt/src.list" -o Dir::Etc::sourceparts=/dev/null
             -o "Dir::State::lists=$dir/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
             -o APT::Sandbox::User=root)
apt_state=unknown

# A private source list for the suite, so that neither the machine's lists nor its configuration change.
apt_ready() {
  if [ "$apt_state" = unknown ]; then
    apt_state=no
    local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null && [ -f "$keyring" ] || return 1
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | sort -u | sed q)
    [ -n "$uri" ] || return 1
    mkdir -p "$dir/apt/lists/partial"
    printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$suite" > "$dir/apt/src.list"
    apt-get "${apt_options[@]}" -qq update >&2 && apt_state=yes
  fi
  [ "$apt_state" = yes ]
}

apt_source() {  # name revision
  (cd "$dir" && apt-get "${apt_options[@]}" -qq source --download-only --only-source "$1=$2") >/dev/null 2>"$dir/apt/log" ||
    { cat "$dir/apt/log" >&2; return 1; }
}

# The archive's newest revision of the pinned version, else of its x.y series.
apt_newest() {  # name upstream
  local all found
  all=$(apt-cache "${apt_options[@]}" showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -V)
  found=$(grep -F "$2-" <<< "$all" | tail -n 1) || found=$(grep -F "${2%.*}." <<< "$all" | tail -n 1)
  [ -n "$found" ] && printf '%s\n' "$found"
}

from_debian() {  # name upstream revision sha
  local dsc="$1_$3.dsc" newest
  if sha_is "$4" "$dir/$dsc" && dsc_files_ok "$dsc"; then
    echo "$1 $3 debian $dsc"; return
  fi
  apt_ready || return 1
  if apt_source "$1" "$3" 2>/dev/null && sha_is "$4" "$dir/$dsc" && dsc_files_ok "$dsc"; then
    echo "$1 $3 debian $dsc"; return
  fi
  newest=$(apt_newest "$1" "$2") && [ "$newest" != "$3" ] && apt_source "$1" "$newest" || return 1
  dsc="$1_${newest#*:}.dsc"
  dsc_files_ok "$dsc" || return 1
  warn "the archive no longer has $1 $3: using $newest, verified by apt's signature, not by our pin"
  echo "$1 $newest debian $dsc"
}

from_upstream() {  # name upstream
  local name sha url file
  while read -r name sha url; do [ "$name" != "$1" ] || break; done <<< "$upstreams"
  file="$1-$2-${url##*/}"
  if ! sha_is "$sha" "$dir/$file"; then
    curl -fsSL --retry 2 --max-time 300 -o "$dir/$file.part" "$url" || return 1
    sha_is "$sha" "$dir/$file.part" || { warn "$url does not have the pinned SHA-256"; return 1; }
    mv "$dir/$file.part" "$dir/$file"
  fi
  warn "$1 $2 comes from upstream, without Debian's patches"
  echo "$1 $2 upstream $file"
}

: > "$dir/manifest.part"
while read -r name upstream revision sha; do
  from_debian "$name" "$upstream" "$revision" "$sha" >> "$dir/manifest.part" ||
    from_upstream "$name" "$upstream" >> "$dir/manifest.part" ||
    { echo "fetch.sh: cannot get $name $upstream, neither from a Debian archive nor from upstream" >&2; exit 1; }
done <<< "$pins"
mv "$dir/manifest.part" "$dir/manifest"
