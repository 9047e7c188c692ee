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
# A step that fails or takes too long does not end the run; Ctrl-C does. The last lines
# are the summary. Exits with 1 if a step failed, and with 77 if there is no device.
set -uo pipefail

readonly no_device=77
readonly least_driver=580
part="${1:-}"
case "$part" in
  correctness | sanitizers | speed) ;;
  -h | --help)
    sed -n '5,18s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  *)
    echo "run.sh: expected correctness, sanitizers or speed; got ${part:-nothing}" >&2
    exit 2
    ;;
esac
refuse() {
  echo "run.sh: $1" >&2
  exit 2
}

kit="$(dirname "$(readlink -f "$0")")"
results="${2:-$kit/results}"
mkdir -p "$results" && results="$(cd "$results" && pwd)" && [[ -w "$results" ]] ||
  refuse "cannot write to the folder $results"
python="$(command -v "${PYTHON:-python3}")" && python="$(realpath -s "$python")" ||
  [[ -z "${PYTHON:-}" ]] || refuse "PYTHON is $PYTHON, which does not run"
cd "$kit" || exit 1

# Prints the folder of cuBLAS, if the loader does not know it.
find_cublas() {
  local folder
  if grep -q 'libcublas\.so\.13' <<<"$(ldconfig -p 2>/dev/null)"; then return; fi
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
[[ -z "$cublas" ]] ||
  export LD_LIBRARY_PATH="$cublas${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

summary=()
num_passed=0
num_failed=0
num_skipped=0
child=
note() {
  summary+=("$1")
  echo "$1"
}

# Prints the summary and ends the run.
finish() {
  echo
  echo "Summary"
  printf '%s\n' "${summary[@]}" | tee "$results/$part.txt" | grep -v '^passed'
  echo "$num_passed passed, $num_failed failed, $num_skipped skipped"
  [[ -z "${1:-}" ]] || exit "$1"
  [[ "$num_failed" -eq 0 ]]
  exit
}
interrupted() {
  [[ -z "$child" ]] || kill "$child" 2>/dev/null
  num_failed=$((num_failed + 1))
  note "failed   the run was interrupted"
  finish 130
}
trap interrupted INT TERM

# Runs a step: step NAME SECONDS COMMAND.... Its output is in RESULTS/NAME.log. There is
# a device, so that a step that finds none (77) has failed.
step() {
  local name="$1" limit="$2" status=0 start="$SECONDS" took
  shift 2
  # In the background, so that a signal is heeded at once.
  timeout --kill-after=5 "$limit" "$@" >"$results/$name.log" 2>&1 &
  child=$!
  wait "$child" || status=$?
  child=
  took=$((SECONDS - start))
  if [[ "$status" -eq 0 ]]; then
    num_passed=$((num_passed + 1))
    note "passed   $name ($took s)"
    return
  fi
  num_failed=$((num_failed + 1))
  if ((took >= limit)); then
    note "failed   $name: it took more than $limit s; its last lines:"
    tail -n 3 "$results/$name.log"
    return
  fi
  note "failed   $name with status $status ($took s)"
  grep -E -A 2 'ERROR:|TEST CASE:|error:' "$results/$name.log" | head -n 40
  # What compute-sanitizer found, once for each place.
  sed -nE 's/^=+ +at (.*)\+0x.*/\1/p' "$results/$name.log" |
    sort | uniq -c | head -n 20
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

# Trains with the program on the device and on the CPU; the accuracies must agree.
check_training() {
  local data="data/$1.csv" folder
  shift
  folder="$(mktemp -d)" || return 1
  bin/mlp train "$data" "$@" --device cuda -o "$folder/cuda.json" &&
    bin/mlp train "$data" "$@" --device cpu -o "$folder/cpu.json" &&
    bin/mlp predict "$folder/cuda.json" "$data" --device cuda -o "$folder/cuda.csv" &&
    bin/mlp predict "$folder/cpu.json" "$data" -o "$folder/cpu.csv" &&
    bin/mlp evaluate "$folder/cuda.json" "$data" >"$folder/cuda.txt" &&
    bin/mlp evaluate "$folder/cpu.json" "$data" >"$folder/cpu.txt" &&
    head -n 1 "$folder"/*.txt &&
    cmp <(head -n 1 "$folder/cuda.txt") <(head -n 1 "$folder/cpu.txt")
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
  if [[ -n "$python" ]] && "$python" -c '' 2>/dev/null; then
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
elif [[ "$status" -ne 0 ]]; then
  tail -n 3 "$results/device.log"
  refuse "bin/mlp_device_tests does not start: it ended with status $status"
fi
"test_$part"
finish
