#!/usr/bin/env bash
# Installs what the build lacks on Debian 12, Ubuntu 24.04 and newer; `setup.sh tests` also the browser that
# the report page is tested in. CUDA is not installed: without nvcc >= 12.3 everything but the kernels is built.
set -euo pipefail

packages=(g++ cmake ninja-build git ca-certificates libfmt-dev nlohmann-json3-dev libcli11-dev catch2
          ccache python3 python3-jsonschema)

if ! command -v dpkg-query >/dev/null; then
  echo "setup: no Debian packages here; CMake fetches missing libraries (needs CMake >= 3.25, a C++20 compiler, Ninja)" >&2
  exit 0
fi
# Ubuntu has Chromium as a snap alone, which no container runs; that test then skips itself.
if [ "${1:-}" = tests ] && grep -qx 'ID=debian' /etc/os-release; then
  packages+=(chromium)
fi

# A tool that is there, from whatever source, needs no package.
is_there() {
  case "$1" in
    g++ | cmake | git | ccache | python3) command -v "$1" >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    chromium) command -v chromium >/dev/null || command -v google-chrome >/dev/null ;;
    *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac
}

missing=()
for package in "${packages[@]}"; do
  is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "setup: installing ${missing[*]}" >&2
root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: not root and no sudo: install by hand: ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
"${root[@]}" apt-get update -q >&2
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >&2
