#include "async.h"
#include "wait.h"

void pdo_pool_async_start(PGconn *server)
{
	PQsetnonblocking(server, 1);
}

/* Sends all; reads meanwhile, as the server may not take more before it is rid of what it has to say. */
static bool flush(PGconn *server)
{
	int left;

	while ((left = PQflush(server)) > 0) {
		if (pdo_pool_wait_socket(PQsocket(server), POLLIN | POLLOUT, 0) == PDO_POOL_INTERRUPTED) {
			return false;
		}
		if (!PQconsumeInput(server)) {
			break; /* PQgetResult() will tell */
		}
	}
	return true;
}

/* The next result, NULL behind the last. False where the wait was interrupted. */
static bool next(PGconn *server, PGresult **result)
{
	while (PQisBusy(server)) {
		if (pdo_pool_wait_socket(PQsocket(server), POLLIN, 0) == PDO_POOL_INTERRUPTED) {
			return false;
		}
		if (!PQconsumeInput(server)) {
			break;
		}
	}
	*result = PQgetResult(server);
	return true;
}

PGresult *pdo_pool_async_finish(pdo_pool_slot *slot, int sent)
{
	PGconn *server = slot->server;
	PGresult *last = NULL, *result;
	ExecStatusType status;

	if (!sent || !flush(server)) {
		slot->broken = slot->broken || sent;
		PQsetnonblocking(server, 0);
		return PQmakeEmptyPGresult(server, PGRES_FATAL_ERROR);
	}
	PQsetnonblocking(server, 0);
	for (;;) {
		if (!next(server, &result)) {
			slot->broken = true; /* an answer is under way that nobody waits for */
			PQclear(last);
			return PQmakeEmptyPGresult(server, PGRES_FATAL_ERROR);
		}
		if (!result) {
			return last ? last : PQmakeEmptyPGresult(server, PGRES_FATAL_ERROR);
		}
		PQclear(last);
		last = result;
		status = PQresultStatus(result);
		if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH
				|| PQstatus(server) == CONNECTION_BAD) {
			return last;
		}
	}
}
