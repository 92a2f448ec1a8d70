#!/usr/bin/env bash
# Formatting and clang-tidy, both by version 14 (Debian 12, Ubuntu 22.04-24.04 as clang-*-14).
set -euo pipefail
cd "$(dirname "$0")/.."

pick() { command -v "$1-14" || { "$1" --version 2>/dev/null | grep -q 'version 14\.' && command -v "$1"; }; }
format=$(pick clang-format) || { echo "lint: clang-format 14 is missing: apt-get install clang-format-14" >&2; exit 1; }
git ls-files -- '*.h' '*.cpp' '*.cu' '*.cuh' | xargs "$format" --dry-run --Werror

[ "${1:-}" = --format-only ] && exit 0
tidy=$(pick clang-tidy) || { echo "lint: clang-tidy 14 is missing: apt-get install clang-tidy-14" >&2; exit 1; }
cmake --preset cpu -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >&2
cmake --build --preset cpu --target fa3prof_version >&2
git ls-files -- 'src/*.cpp' 'sim/*.cpp' | grep -v _cuda.cpp | xargs -P "$(nproc)" -n 4 "$tidy" -p build/cpu --quiet
