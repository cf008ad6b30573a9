/* The loop of workloads/pdo/loop.php in C: a statement that is prepared once, and nothing around it. Prints the nanoseconds
 * of one iteration.
 * usage: libpq CONNINFO ITERATIONS polls|tries|blocks
 * It waits for the answer as libpq does; or tries to receive before it waits; or waits by receiving, on a socket that
 * blocks. */
#include <fcntl.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static PGresult *execute(PGconn *server, const char *const *values, int polls)
{
	PGresult *row, *next;

	if (polls) {
		return PQexecPrepared(server, "sum", 2, values, NULL, NULL, 0);
	}
	PQsendQueryPrepared(server, "sum", 2, values, NULL, NULL, 0);
	PQconsumeInput(server);
	row = PQgetResult(server);
	while ((next = PQgetResult(server))) {
		PQclear(next);
	}
	return row;
}

int main(int count, char **arguments)
{
	int iterations = count == 4 ? atoi(arguments[2]) : 0, polls, i;
	PGconn *server = PQconnectdb(count > 1 ? arguments[1] : "");
	double start = 0;

	if (PQstatus(server) != CONNECTION_OK || iterations < 1) {
		return fail(server);
	}
	polls = !strcmp(arguments[3], "polls");
	if (!strcmp(arguments[3], "blocks")) {
		fcntl(PQsocket(server), F_SETFL, fcntl(PQsocket(server), F_GETFL) & ~O_NONBLOCK);
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
		row = execute(server, values, polls);
		if (PQntuples(row) != 1 || atoi(PQgetvalue(row, 0, 0)) != i + 1) {
			return fail(server);
		}
		PQclear(row);
	}
	printf("%f\n", (now() - start) / iterations);
	PQfinish(server);
	return 0;
}
