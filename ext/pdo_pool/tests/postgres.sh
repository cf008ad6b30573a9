#!/bin/sh
# Runs a command beside a PostgreSQL of its own, which ends with it:
#     tests/postgres.sh make test
# The command finds the server in PDO_POOL_TEST_DSN (and in PDO_PGSQL_TEST_DSN, for PHP's own tests).
set -eu

bin=${PG_BINDIR:-}
for candidate in "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do
	[ -n "$bin" ] || { [ -x "$candidate/initdb" ] && bin=$candidate; }
done
[ -n "$bin" ] || {
	echo "postgres.sh: there is no initdb; install postgresql, or say where it is with PG_BINDIR" >&2
	exit 1
}

dir=$(mktemp -d /tmp/pdo_pool.XXXXXX)
as_postgres=
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses root
	chown postgres "$dir"
	as_postgres="setpriv --reuid=postgres --regid=postgres --init-groups"
fi
stop() {
	$as_postgres "$bin/pg_ctl" -D "$dir/data" -m immediate -s stop || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' INT TERM

cd "$dir"
$as_postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust --no-sync -E UTF8 --locale=C >/dev/null
# A free port: taken from the kernel, and tried again should somebody else have been faster.
tries=0
until
	port=$(php -r '$s = stream_socket_server("tcp://127.0.0.1:0"); echo explode(":", stream_socket_get_name($s, false))[1];')
	$as_postgres "$bin/pg_ctl" -D "$dir/data" -s -w -l "$dir/log" -o \
		"-c fsync=off -c max_prepared_transactions=2 -c unix_socket_directories=$dir -c listen_addresses=127.0.0.1 -p $port" start
do
	tries=$((tries + 1))
	[ $tries -lt 5 ] || { cat "$dir/log" >&2; exit 1; }
done
cd "$OLDPWD"

export PDO_POOL_TEST_DSN="${PDO_POOL_TEST_DSN:-pgsql:host=127.0.0.1 port=$port dbname=postgres user=postgres}"
export PDO_PGSQL_TEST_DSN="${PDO_PGSQL_TEST_DSN:-$PDO_POOL_TEST_DSN}"
export PDO_POOL_TEST_SOCKET_DSN="pgsql:host=$dir port=$port dbname=postgres user=postgres"
"$@"
