#!/bin/sh
# Installs what is missing: for the `demo`, the `test`s, the tests of `kernels` or the `bench`marks. On Debian and Ubuntu;
# elsewhere it says what to install. Does nothing, and needs no root, where everything is there.
set -eu

want=${1:-demo}
missing=""
need() { # a command, the package that brings it
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

# A PHP that phperf knows; PHPERF_PHP names another one.
php=${PHPERF_PHP:-}
for candidate in php8.2 php; do
	[ -n "$php" ] && break
	command -v "$candidate" >/dev/null 2>&1 && php=$candidate
done
[ -n "$php" ] || missing="$missing php-cli"

command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
if [ "$want" = test ] || [ "$want" = bench ]; then
	need php-fpm8.2 php8.2-fpm
	need phpize8.2 php8.2-dev
	[ -e /usr/lib/php/20220829/pdo_pgsql.so ] || missing="$missing php8.2-pgsql"
	[ -x /usr/lib/postgresql/15/bin/initdb ] || missing="$missing postgresql"
	[ -e /usr/include/postgresql/libpq-fe.h ] || missing="$missing libpq-dev"
	need pgbouncer pgbouncer
	need strip binutils
	need valgrind valgrind
	need strace strace
	need debootstrap debootstrap
	need chrt util-linux
	need mariadbd mariadb-server
fi
if [ "$want" = test ]; then
	need php-cgi8.2 php8.2-cgi
	need phpdbg8.2 php8.2-phpdbg
	[ -e /usr/lib/apache2/modules/libphp8.2.so ] || missing="$missing libapache2-mod-php8.2"
	need apxs2 apache2-dev
	[ -e /usr/lib/php/20220829/pdo_mysql.so ] || missing="$missing php8.2-mysql"
	[ -e /usr/lib/php/20220829/pdo_sqlite.so ] || missing="$missing php8.2-sqlite3"
	need dpkg-source dpkg-dev
	need make make
	need xz xz-utils
	need systemd-analyze systemd
	need pecl php-pear
	[ -e /usr/lib/php/20220829/opcache.so ] || missing="$missing php8.2-opcache"
	need clang clang
	need llvm-strip llvm
	[ -n "$(ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.profile-* 2>/dev/null)" ] || missing="$missing libclang-rt-14-dev"
	[ -e /usr/include/bpf/bpf_helpers.h ] || missing="$missing libbpf-dev"
	need go golang-go
	need node nodejs
	need openssl openssl
	need npm npm
	need setpriv util-linux
	need valgrind valgrind
	need chromium chromium
	need tmux tmux
	need pgrep procps
	need gcore gdb
	# The suites that `phperf bench` is tested with, the libraries that they need, and those that pdo_pool is tested under.
	need valgrind valgrind
	need dpkg-source dpkg-dev
	for library in Ramsey/Uuid:php-ramsey-uuid Doctrine/ORM:php-doctrine-orm Doctrine/Common/Annotations:php-doctrine-annotations \
		Doctrine/Instantiator:php-doctrine-instantiator Symfony/Component/Cache:php-symfony-cache \
		Doctrine/DBAL:php-doctrine-dbal Illuminate/Database:php-illuminate-database; do
		[ -e "/usr/share/php/${library%%:*}/autoload.php" ] || missing="$missing ${library##*:}"
	done
	[ -e /usr/lib/php/20220829/pdo_sqlite.so ] || missing="$missing php8.2-sqlite3"
fi
if [ "$want" = kernels ]; then
	need qemu-system-x86_64 qemu-system-x86
	need cpio cpio
	need strip binutils
fi
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
	echo "phperf: missing:$missing (Debian's names); install them with your package manager, then try again" >&2
	exit 1
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || {
		echo "phperf: missing:$missing; install them as root with apt-get, then try again" >&2
		exit 1
	}
	sudo=sudo
fi
echo "phperf: installing$missing"
$sudo apt-get -qq update
# RUNLEVEL=1 keeps php-fpm from being started as a service.
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq install -y --no-install-recommends $missing >/dev/null
