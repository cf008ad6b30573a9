#!/bin/sh
# Records the WordPress-like workload for five seconds, and shows where its time went.
set -eu
cd "$(dirname "$0")/.."

php=${PHPERF_PHP:-$(command -v php8.2 || command -v php)}
phperf=${PHPERF:-target/release/phperf}
mkdir -p out
svg=out/wordpress.svg

sudo=""
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	sudo=sudo
fi
echo "\$ phperf record -H 999 -o $svg -- $php workloads/wordpress.php --seconds 5"
$sudo "$phperf" record -H 999 -o "$svg" -- "$php" workloads/wordpress.php --seconds 5 >/dev/null
echo
echo "\$ phperf report $svg"
"$phperf" report --top 10 "$svg"
echo
echo "The flame graph: file://$PWD/$svg"
