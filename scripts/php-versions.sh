#!/bin/sh
# The profiler's tests of truth on PHP of other releases, in roots that are made once; as root.
set -eu
cd "$(dirname "$0")/.."

doors=target/doors
mkdir -p "$doors"
while read -r release version; do
	php=$PWD/$doors/php$version
	echo "== PHP $version ($release)"
	cargo run --quiet --package phperf-testbed --example door -- "$release" "$version" "$php" </dev/null
	PHPERF_PHP=$php cargo test --quiet --package phperf-zend --test live -- stack:: fibers:: without_names </dev/null
	PHPERF_PHP=$php cargo test --quiet --package phperf --test truth -- --nocapture --test-threads 1 </dev/null
	PHPERF_PHP=$php cargo test --quiet --package phperf --test native -- c_is_between </dev/null
	PHPERF_PHP_FPM=$php-fpm cargo test --quiet --package phperf --test fpm --test requests --test churn </dev/null
done <<-'END'
	bullseye 7.4
	jammy 8.1
	noble 8.3
	trixie 8.4
	experimental 8.5
	experimental 8.6
END

echo "== PHP 7.4, 8.2, 8.4 and 8.6 at once"
cargo test --quiet --package phperf --test mixed -- --ignored </dev/null

echo "== PHP 8.4 with threads"
php=$(cargo run --quiet --package phperf-testbed --example zts </dev/null)
PHPERF_PHP=$php cargo test --quiet --package phperf-zend --test live -- fibers:: without_names </dev/null
PHPERF_PHP=$php cargo test --quiet --package phperf --test native -- c_is_between </dev/null
cargo test --quiet --package phperf --test threads -- --ignored --nocapture </dev/null

echo "== FPM whose workers live for a fraction of a second"
cargo test --quiet --package phperf --test churn -- --ignored --nocapture --test-threads 1 </dev/null
