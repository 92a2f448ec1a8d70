#!/usr/bin/env bash
# Builds one preset (default: release) and passes its tests. GPU tests skip themselves without a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
scripts/setup.sh tests
scripts/build.sh "$preset"
ctest --preset "$preset"
