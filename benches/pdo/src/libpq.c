/* The loop of workloads/pdo/loop.php in C: a statement that is prepared once, and nothing around it. Prints the nanoseconds
 * of one iteration.
 * usage: libpq CONNINFO ITERATIONS */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WARM_UP 20

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static int fail(PGconn *server)
{
	fputs(PQerrorMessage(server), stderr);
	return 1;
}

int main(int count, char **arguments)
{
	int iterations = count == 3 ? atoi(arguments[2]) : 0, i;
	PGconn *server = PQconnectdb(count > 1 ? arguments[1] : "");
	double start = 0;

	if (PQstatus(server) != CONNECTION_OK || iterations < 1) {
		return fail(server);
	}
	PQclear(PQprepare(server, "sum", "SELECT $1::int + $2::int AS r", 2, NULL));
	for (i = 0; i < WARM_UP + iterations; i++) {
		char number[16];
		const char *values[] = {number, "1"};
		PGresult *row;

		if (i == WARM_UP) {
			start = now();
		}
		snprintf(number, sizeof(number), "%d", i);
		row = PQexecPrepared(server, "sum", 2, values, NULL, NULL, 0);
		if (PQntuples(row) != 1 || atoi(PQgetvalue(row, 0, 0)) != i + 1) {
			return fail(server);
		}
		PQclear(row);
	}
	printf("%f\n", (now() - start) / iterations);
	PQfinish(server);
	return 0;
}
