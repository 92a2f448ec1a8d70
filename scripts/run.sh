#!/usr/bin/env bash
# Builds fa3prof and does its main job: on a Hopper GPU it measures both kernels at 8192 tokens beside
# the model; elsewhere it runs the model on the same problem beside the recorded H200 run.
# Further flags go to `fa3prof run` or `fa3prof simulate`; --seq replaces the 8192.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release
fa3prof=build/release/src/fa3prof
[[ " $* " == *" --seq"* ]] || set -- --seq 8192 "$@"
if reason=$("$fa3prof" doctor 2>&1); then
  exec "$fa3prof" run "$@"
fi
echo "No measurement is possible here (fa3prof doctor):" >&2
echo "$reason" >&2
echo "Simulating the same problem beside the recorded H200 run instead." >&2
exec "$fa3prof" simulate --machine h200_sxm --pipeline fa2,fa3_fp16 \
  --against configs/recordings/h200_sxm_seq8192.json "$@"
