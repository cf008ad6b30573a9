#!/bin/sh
# Builds the fuzz targets and runs each for so many seconds: fuzz.sh [SECONDS [TARGET…]]. What they find stays in
# fuzz/artifacts, what they learn in fuzz/corpus. Any Rust will do: what only a nightly one permits is asked of it all the same.
set -eu
cd "$(dirname "$0")/../fuzz"

seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- walk naming elf core_file records

host=$(rustc -vV | sed -n 's/^host: //p')
folder=${CARGO_TARGET_DIR:-target}
# As cargo-fuzz has it: libFuzzer is told which edges were taken and what was compared, and bad accesses end the run.
flags="--cfg fuzzing -Zsanitizer=address -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1"
flags="$flags -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares"
RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags cargo build --quiet --release --target "$host" --target-dir "$folder/fuzz"

failed=0
for target; do
	echo "== $target"
	mkdir -p "corpus/$target" "artifacts/$target"
	"$folder/fuzz/$host/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="artifacts/$target/" "corpus/$target" || failed=1
done
exit $failed
