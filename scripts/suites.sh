#!/bin/sh
# Fetches public benchmark suites, from Debian's source packages, into a folder outside of the checkout:
# PHPERF_SUITES, or ~/.cache/phperf/suites. Does nothing where they are there.
set -eu

fixtures=$(cd "$(dirname "$0")/../tests/fixtures/bench" && pwd)
folder=${PHPERF_SUITES:-${XDG_CACHE_HOME:-$HOME/.cache}/phperf/suites}
[ -e "$folder/.complete" ] && exit 0
mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# A list of sources of our own: the machine's stays as it is.
echo 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main' >list
mkdir -p lists/partial
apt() {
	apt-get -qq -o Dir::Etc::sourcelist="$work/list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
		-o APT::Sandbox::User=root "$@"
}
apt update
for name in php-ramsey-uuid doctrine php-doctrine-instantiator; do
	apt source --download-only "$name" >/dev/null
	rm -rf "${folder:?}/$name"
	dpkg-source --no-check -x "$name"_*.dsc "$folder/$name" >/dev/null
	mkdir -p "$folder/$name/vendor"
	cp "$fixtures/autoload.php" "$folder/$name/vendor/autoload.php"
done
rm -f "$folder"/*.orig.tar.*
touch "$folder/.complete"
