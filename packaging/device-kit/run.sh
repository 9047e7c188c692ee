#!/usr/bin/env bash
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests and measures the backend for NVIDIA devices on this machine. This script needs
# bash, a driver, cuBLAS 13, and the folder that it is in, which scripts/device-kit made.
#
# Usage: run.sh correctness|sanitizers|speed [RESULTS]
#   correctness  every test suite of cuda/, and trainings by the program
#   sanitizers   suites again under the four tools of compute-sanitizer
#   speed        the goals of bench/, with PyTorch as a peer if PYTHON, or python3,
#                has it
#   RESULTS      a folder for the logs; results, beside this script, without it
#
# A step that fails or takes too long does not end the run. The last lines are the
# summary. Exits with 1 if a step failed, and with 77 if there is no device.
set -uo pipefail

readonly no_device=77
readonly least_driver=580
part="${1:-}"
case "$part" in
  correctness | sanitizers | speed) ;;
  *)
    echo "run.sh: expected correctness, sanitizers or speed; got ${part:-nothing}" >&2
    exit 2
    ;;
esac
kit="$(cd "$(dirname "$0")" && pwd)"
results="${2:-$kit/results}"
mkdir -p "$results"
results="$(cd "$results" && pwd)"
cd "$kit"
python="${PYTHON:-python3}"

# Prints the folder of cuBLAS, if the loader does not know it.
find_cublas() {
  local folder
  if ldconfig -p 2>/dev/null | grep -q 'libcublas\.so\.13'; then return; fi
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/*/lib \
    "$("$python" -c 'import sys
print(*(path + "/nvidia/cu13/lib" for path in sys.path), sep="\n")' 2>/dev/null |
      while read -r path; do [[ ! -d "$path" ]] || echo "$path"; done | head -n 1)"; do
    if [[ -e "$folder/libcublas.so.13" ]]; then
      echo "$folder"
      return
    fi
  done
}
cublas="$(find_cublas)"
export LD_LIBRARY_PATH="${cublas:+$cublas:}${LD_LIBRARY_PATH:-}"

summary=()
num_passed=0
num_failed=0
num_skipped=0
note() {
  summary+=("$1")
  echo "$1"
}

# Runs a step: step NAME SECONDS COMMAND.... Its output is in RESULTS/NAME.log.
step() {
  local name="$1" limit="$2" status=0 start="$SECONDS" took
  shift 2
  timeout --kill-after=5 "$limit" "$@" >"$results/$name.log" 2>&1 || status=$?
  took="$((SECONDS - start)) s"
  case "$status" in
    0)
      num_passed=$((num_passed + 1))
      note "passed   $name ($took)"
      ;;
    "$no_device")
      num_skipped=$((num_skipped + 1))
      note "skipped  $name: $(tail -n 1 "$results/$name.log")"
      ;;
    124 | 137)
      num_failed=$((num_failed + 1))
      note "failed   $name: it took more than $limit s"
      ;;
    *)
      num_failed=$((num_failed + 1))
      note "failed   $name with status $status ($took)"
      grep -E -A 2 'ERROR:|TEST CASE:|error:' "$results/$name.log" | head -n 40
      # What compute-sanitizer found, once for each place.
      sed -nE 's/^=+ +at (.*)\+0x.*/\1/p' "$results/$name.log" |
        sort | uniq -c | head -n 20
      ;;
  esac
}

# Prints the names of the test suites.
suites() {
  bin/mlp_device_tests --list-test-suites --no-version=true |
    sed -n 's#^\(cuda/.*\)$#\1#p'
}

# All suites in one process. If it dies, or an error of the device makes all that follows
# fail, each suite is run in a process of its own.
test_correctness() {
  local suite
  step doctor 60 bin/mlp doctor
  step tests 240 bin/mlp_device_tests
  if [[ "$num_failed" -gt 0 ]] && ! grep -q '^\[doctest\] test cases:' "$results/tests.log" ||
    grep -qE 'cudaError(IllegalAddress|MisalignedAddress|LaunchFailure|LaunchTimeout)' \
      "$results/tests.log"; then
    while read -r suite; do
      step "${suite//[^a-z0-9_]/-}" 60 bin/mlp_device_tests --test-suite="$suite"
    done < <(suites)
  fi
  step train_iris 60 bash -c 'check_training iris --layers 4,5,4,3'
  step train_digits 60 bash -c 'check_training digits --layers 64,32,10'
}

# Trains with the program on the device and on the CPU; the predictions must agree.
check_training() {
  local data="data/$1.csv" folder
  shift
  folder="$(mktemp -d)" || return 1
  bin/mlp train "$data" "$@" --device cuda -o "$folder/cuda.json" &&
    bin/mlp train "$data" "$@" --device cpu -o "$folder/cpu.json" &&
    bin/mlp predict "$folder/cuda.json" "$data" --device cuda -o "$folder/cuda.csv" &&
    bin/mlp predict "$folder/cpu.json" "$data" -o "$folder/cpu.csv" &&
    bin/mlp evaluate "$folder/cuda.json" "$data" &&
    bin/mlp evaluate "$folder/cpu.json" "$data" &&
    cut -d , -f 1 "$folder/cuda.csv" | cmp - <(cut -d , -f 1 "$folder/cpu.csv")
  local status=$?
  rm -rf "$folder"
  return "$status"
}
export -f check_training

sanitize() {
  local tool="$1" suites="$2"
  shift 2
  step "$tool" 150 compute-sanitizer --tool "$tool" --error-exitcode 1 \
    --print-limit 2000 "$@" bin/mlp_device_tests --test-suite="$suites"
}

test_sanitizers() {
  PATH="$PATH:/usr/local/cuda/bin"
  if ! command -v compute-sanitizer >/dev/null; then
    num_skipped=$((num_skipped + 4))
    note "skipped  compute-sanitizer is not installed: its four checks were not made"
    return
  fi
  local kernels='cuda/kernels*,cuda/steps*,cuda/instances*'
  # Tests ask for what the device refuses, and expect an error.
  sanitize memcheck "$kernels,cuda/network*" --report-api-errors no
  sanitize initcheck "$kernels,cuda/solvers*" 
  sanitize racecheck "$kernels"
  sanitize synccheck "$kernels"
}

# The samples as bench/cuda/device_goals.py asks for them, for a machine without Python.
measure() {
  printf 'run %s\n' 1 5 5 5 |
    bin/mlp_cuda_bench evaluation "$1" 60000 "$2"
}
export -f measure

test_speed() {
  local precision
  for precision in f64 tf32 bf16; do
    step "products_mnist_$precision" 60 \
      bin/mlp_cuda_bench products 784,100,10 60000 "$precision"
    step "products_deep_$precision" 60 \
      bin/mlp_cuda_bench products 784,2500,2000,1500,1000,500,10 60000 "$precision"
  done
  if "$python" -c '' 2>/dev/null; then
    step goals 560 "$python" bench/cuda/device_goals.py --build bin \
      --python "$python" --samples "${SAMPLES:-10}" --save --results "$results"
    cat "$results/goals.log"
    return
  fi
  for precision in f64 tf32 bf16; do
    step "mnist_$precision" 120 bash -c "measure 784,100,10 $precision"
    step "deep_$precision" 120 \
      bash -c "measure 784,2500,2000,1500,1000,500,10 $precision"
  done
}

echo "mlp $(cat version) for compute capability $(cat capabilities)"
driver="$(nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem \
  --format=csv,noheader 2>/dev/null || true)"
echo "device and driver: ${driver:-none found by nvidia-smi}; CUDA 13 needs driver" \
  "$least_driver or later"
echo "cuBLAS: ${cublas:-found by the loader, or missing}"
status=0
bin/mlp_device_tests --count >"$results/device.log" 2>&1 || status=$?
if [[ "$status" -eq "$no_device" ]]; then
  tail -n 1 "$results/device.log"
  echo "0 passed, 1 skipped"
  exit "$no_device"
fi
"test_$part"
echo
echo "Summary"
printf '%s\n' "${summary[@]}" | tee "$results/$part.txt" | grep -v '^passed'
echo "$num_passed passed, $num_failed failed, $num_skipped skipped"
[[ "$num_failed" -eq 0 ]]
