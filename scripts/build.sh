#!/usr/bin/env bash
# Sets up and builds one preset (default: release). Prints nothing on stdout.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
scripts/setup.sh
# CUDA's installer puts nvcc here but not on PATH.
if ! command -v nvcc >/dev/null && [ -z "${CUDACXX:-}" ] && [ -x /usr/local/cuda/bin/nvcc ]; then
  export CUDACXX=/usr/local/cuda/bin/nvcc
fi
cmake --preset "$preset" >&2
cmake --build --preset "$preset" >&2
