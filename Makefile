# What README names, and nothing else knows how.
.PHONY: demo build install test test-php-versions test-kernels lint bench-profiler bench-compare bench-bench bench-pdo bench-hugepages bench-build

export CARGO_TERM_COLOR ?= auto

# A static binary needs no library of the machine that it is copied to, and starts with a third less memory. Procedural
# macros cannot be static, so that the target has to be named although it is the host. At a fixed address there is nothing to
# relocate: 100 KB less in the file, and 60 KB fewer pages that are written at the start. cold.ld says what lies where.
TARGET := $(shell rustc -vV | sed -n 's/^host: //p')
COLD := -Clink-arg=-Wl,-T,$(CURDIR)/crates/cli/cold.ld
STATIC := --config 'target.$(TARGET).rustflags=["-Ctarget-feature=+crt-static","-Crelocation-model=static","$(COLD)"]' --target $(TARGET) --release
BUILT := $(or $(CARGO_TARGET_DIR),target)/$(TARGET)/release
export PHPERF := $(BUILT)/phperf
PREFIX ?= /usr/local
# What hangs is named after a quarter of an hour (cargo says which program it was, the program which test), and ended with
# all that it started; where somebody looks on, Ctrl-C has to reach it.
LIMIT := timeout --verbose --kill-after 30 $(shell [ -t 0 ] && echo --foreground) 15m
LIMITED := CARGO_TARGET_$(shell echo $(TARGET) | tr a-z- A-Z_)_RUNNER="$(LIMIT)"

demo: ## installs PHP where it is missing, builds, records a PHP program, shows where its time went
	scripts/setup.sh demo
	$(MAKE) build
	scripts/demo.sh

build: ## the static binary; FEATURES=profiler leaves out the benchmarks
	cargo build $(STATIC) --package phperf $(if $(FEATURES),--no-default-features --features $(FEATURES))

install: build ## the binary, man pages and completions, below PREFIX
	install -D $(PHPERF) $(DESTDIR)$(PREFIX)/bin/phperf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 man/*.1
	install -D -m 644 completions/phperf.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/phperf
	install -D -m 644 completions/_phperf $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_phperf
	install -D -m 644 completions/phperf.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/phperf.fish

lint: ## formatting, clippy, and whether what is generated is current
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo xtask layouts --check
	cargo xtask bpf --check
	cargo xtask man --check
	cargo xtask completions --check

test: ## installs what the tests need, and runs them all
	scripts/setup.sh test
	scripts/suites.sh
	$(MAKE) lint
	cargo build --workspace --quiet
	$(LIMITED) cargo test --workspace

test-php-versions: ## the profiler and pdo_pool under other versions of PHP: roots of other releases, builds from source; as root
	scripts/setup.sh test
	scripts/php-versions.sh
	cargo test --package phperf-testbed --test pdo -- --ignored --nocapture
	cargo test --package phperf --test build -- --ignored --nocapture

test-kernels: ## the kernel source under Linux 5.10 to 6.12, each in a virtual machine
	scripts/setup.sh kernels
	cargo test --release --package phperf --test kernels -- --ignored --nocapture --test-threads 1

bench-profiler: ## the tables of docs/benchmarks.md; PHPSPY=/path/to/phpspy adds the peer's columns
	scripts/setup.sh bench
	$(MAKE) build
	cargo run --release --package bench-profiler -- $(ARGS)

bench-compare: ## how often comparisons of real PHP are wrong, and find what is there; an hour, as root; ARGS=--quick
	scripts/setup.sh bench
	$(MAKE) build
	cargo run --release --package bench-trial -- $(ARGS)

bench-bench: ## what `phperf bench run` costs, and how true it is; PHPBENCH=/path/to/phpbench adds the peer
	scripts/setup.sh bench
	$(MAKE) build
	cargo run --release --package bench-suite -- $(ARGS)

bench-pdo: ## the tables of docs/pdo-pool-benchmarks.md
	scripts/setup.sh bench
	cargo run --release --package bench-pdo -- $(ARGS)

bench-hugepages: ## whether all of PHP-FPM's code lies on huge pages in each of 40 starts, and what that gains on WordPress and DokuWiki; as root
	scripts/setup.sh bench
	cargo test --package phperf --test hugepages -- --ignored --nocapture --test-threads 1
	$(MAKE) bench-build ARGS="--only 'plain, huge' $(ARGS)"

bench-build: ## the table of docs/build.md: Debian's PHP built anew and trained, on WordPress and DokuWiki; an hour, as root
	scripts/setup.sh bench
	$(MAKE) build
	cargo build $(STATIC) --package bench-build
	$(BUILT)/bench-build $(ARGS)
