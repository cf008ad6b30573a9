# What README names, and nothing else knows how.
.PHONY: demo test lint bench-profiler build

export CARGO_TERM_COLOR ?= auto

demo: ## installs PHP where it is missing, builds, records a PHP program, shows where its time went
	scripts/setup.sh demo
	cargo build --release --package phperf
	scripts/demo.sh

build:
	cargo build --release --package phperf

lint: ## formatting, clippy, and whether what is generated is current
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo xtask layouts --check
	cargo xtask bpf --check
	cargo xtask man --check
	cargo xtask completions --check

test: ## installs what the tests need, and runs them all
	scripts/setup.sh test
	$(MAKE) lint
	cargo build --workspace --quiet
	cargo test --workspace

bench-profiler: ## the tables of docs/benchmarks.md; PHPSPY=/path/to/phpspy adds the peer's columns
	scripts/setup.sh demo
	cargo build --release --package phperf --package bench-profiler
	target/release/bench-profiler $(ARGS)
