#!/bin/bash
# usage: fresh.sh [--suite bookworm|trixie] [--demo] [--cache DIR] [--gcc VERSION] [--keep]
# Runs the README's two commands as on a machine that has nothing but Debian's base system: makes such a root with
# debootstrap, clones the repository into it (what is committed, without the folder ../shared beside it), and runs
# `./dev demo` and then `./dev test` there, as root. Fails on any error, and on a test that was left out for another
# reason than that ../shared is not there, or cfn-lint or moto, which Debian does not have, or that the suite's botocore
# does not know what DynamoDB learned later.
#   --demo         ./dev demo only
#   --cache DIR    the root sees this folder as its ~/.cache: third parties and compiled files are taken from it
#   --gcc VERSION  with this g++ (13 on trixie, say) instead of the suite's own
#   --keep         leaves the root where it is, and says where
# The root's apt knows the suite, its updates and its security archive on the mirror that this machine's apt names.
# Needs root, and debootstrap, which it installs.
set -euo pipefail

suite=bookworm demo_only= cache= gcc= keep=
while [ $# -gt 0 ]; do
  case $1 in
    --suite) suite=${2:?--suite needs a name}; shift ;;
    --cache) cache=$(cd "${2:?--cache needs a folder}" && pwd); shift ;;
    --gcc) gcc=${2:?--gcc needs a version}; shift ;;
    --demo) demo_only=1 ;;
    --keep) keep=1 ;;
    *) sed -n '2,3p' "$0" | sed 's/^# //' >&2; exit 2 ;;
  esac
  shift
done
fail() { echo "fresh.sh: $*" >&2; exit 1; }
case $suite in bookworm | trixie) ;; *) fail "expected --suite bookworm or trixie, found \`$suite\`" ;; esac
[ "$(id -u)" = 0 ] || fail "must run as root: it makes a root file system and changes into it"
repository=$(cd "$(dirname "$0")/../.." && git rev-parse --show-toplevel) || fail "needs git and a clone of the repository"

if ! command -v debootstrap >/dev/null; then
  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install debootstrap >/dev/null ||
    fail "could not install debootstrap"
fi
uris=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u)
mirror=$(grep -E '/debian/?$' <<< "$uris" | sed q) || true
security=$(grep -E '/debian-security/?$' <<< "$uris" | sed q) || true
[ -n "$mirror" ] || fail "this machine's apt names no Debian mirror"

root=$(mktemp -d "${TMPDIR:-/tmp}/trainwarden-fresh.XXXXXX")
leave() {
  for folder in proc dev root/.cache; do umount -l "$root/$folder" 2>/dev/null || true; done
  # A folder of this machine that is still seen through the root must not be emptied with it.
  if grep -qF " $root/" /proc/self/mounts; then echo "fresh.sh: could not unmount all of $root: it is left there" >&2
  elif [ -n "$keep" ]; then echo "fresh.sh: the root is left in $root"
  else rm -rf --one-file-system "$root"; fi
}
trap leave EXIT

echo "== a fresh $suite in $root"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -n 20 "$root.log" >&2; fail "debootstrap failed; its output: $root.log"; }
rm -f "$root.log"
{ echo "deb $mirror $suite main"
  echo "deb $mirror $suite-updates main"
  [ -z "$security" ] || echo "deb $security $suite-security main"; } > "$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cp /etc/hosts "$root/etc/hosts" 2>/dev/null || true
# How this machine's apt reaches its mirror (a proxy, say) belongs to the mirror.
apt-config dump | grep -E '^Acquire::(http|https)::(Proxy|proxy)' > "$root/etc/apt/apt.conf.d/90-mirror" || true
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mkdir -p "$root/root/.cache"
[ -z "$cache" ] || mount --bind "$cache" "$root/root/.cache"

# What is committed, with its history: as `git clone` leaves it.
git clone -q --no-hardlinks "$repository" "$root/root/trainwarden"
git -C "$root/root/trainwarden" checkout -q "$(git -C "$repository" rev-parse HEAD)"

inside() {  # command...
  chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/opt/gcc:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c 'cd /root/trainwarden && exec "$@"' sh "$@"
}

if [ -n "$gcc" ]; then
  inside sh -c "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install gcc-$gcc g++-$gcc" \
    >"$root/apt.log" 2>&1 || { tail -n 20 "$root/apt.log" >&2; fail "could not install g++-$gcc"; }
  mkdir -p "$root/opt/gcc"
  for tool in gcc g++; do ln -s "/usr/bin/$tool-$gcc" "$root/opt/gcc/$tool"; done
fi

run() {  # log command...
  local log=$1 status=0; shift
  echo "== $* (on $suite)"
  inside "$@" 2>&1 | tee "$log" || status=$?
  [ $status = 0 ] || fail "\`$*\` ended with $status on $suite"
}

run "$root/demo.log" ./dev demo
if [ -n "$demo_only" ]; then echo "fresh.sh: ./dev demo works on a fresh $suite"; exit 0; fi
run "$root/test.log" ./dev test
unexplained=$(sed -n '/^Left out (/,/^[0-9]*% tests passed/p' "$root/test.log" | grep -E '^  ' | grep -vE '^  test |\.\./shared|cfn-lint is not installed|moto cannot be imported|this botocore does not know' || true)
[ -z "$unexplained" ] || fail "tests were left out for other reasons than ../shared, cfn-lint, moto and an old botocore:
$unexplained"
echo "fresh.sh: ./dev demo and ./dev test work on a fresh $suite"
