#!/usr/bin/env bash
# Fuzzes every kind of file that fa3prof reads, each for so many seconds (default 600), one after the
# other: scripts/fuzz.sh [SECONDS [TARGET...]]. Needs clang with libFuzzer. What breaks the program is left
# in build/fuzz/found: mend the program, minimise the file (fuzz_TARGET -minimize_crash=1) and add it to
# tests/fuzz/corpus, which every build replays.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(machine model npy pipeline report safetensors scenario)

cmake --preset fuzz >&2
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" >&2

# The words of our files, so that a changed key is often another key.
words=build/fuzz/words.txt
grep -ohE '"[a-z0-9_]+"' -r configs/machines configs/models configs/pipelines configs/scenarios configs/guide.json \
  configs/schemas tests/reports | sort -u | sed 's/^"\(.*\)"$/"\\"\1\\""/' > "$words"

# Seeds of one target, from what the repository has anyway.
seed() {
  case "$1" in
    machine | model | pipeline) cp "configs/$1s"/*.json "$2" ;;
    scenario) cp configs/scenarios/*.json configs/guide.json "$2" ;;
    report) cp tests/reports/*/*.json tests/golden/report*.json "$2" ;;
    npy | safetensors) python3 tests/fuzz/seed_tensors.py "$1" "$2" ;;
  esac
  [ ! -d "tests/fuzz/corpus/$1" ] || cp "tests/fuzz/corpus/$1"/* "$2"
}

failed=0
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  found=build/fuzz/found/$target
  mkdir -p "$corpus" "$found"
  seed "$target" "$corpus"
  build/fuzz/tests/fuzz/fuzz_"$target" "$corpus" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 \
    -dict="$words" -artifact_prefix="$found/" -print_final_stats=1 || failed=1
done
exit "$failed"
