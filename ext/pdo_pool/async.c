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

static void no_notice(void *unused, const char *message)
{
	(void) unused;
	(void) message;
}

static PGconn *start(const PQconninfoOption *options, double *deadline)
{
	const PQconninfoOption *option;
	const char **keywords, **values;
	size_t count = 0;
	PGconn *server;

	for (option = options; option->keyword; option++) {
		count++;
	}
	keywords = safe_emalloc(count + 1, sizeof(*keywords), 0);
	values = safe_emalloc(count + 1, sizeof(*values), 0);
	count = 0;
	for (option = options; option->keyword; option++) {
		if (option->val && *option->val) {
			keywords[count] = option->keyword;
			values[count++] = option->val;
		}
		if (option->val && !strcmp(option->keyword, "connect_timeout") && atoi(option->val) > 0) {
			*deadline = pdo_pool_now() + atoi(option->val);
		}
	}
	keywords[count] = values[count] = NULL;
	server = PQconnectStartParams(keywords, values, 0);
	efree(keywords);
	efree(values);
	return server;
}

PGconn *pdo_pool_async_connect(const PQconninfoOption *like)
{
	double deadline = 0;
	PGconn *server = start(like, &deadline);
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	pdo_pool_outcome outcome = PDO_POOL_READY;

	if (!server) {
		pdo_pool_throw("08006", "the pool is out of memory for another connection");
		return NULL;
	}
	PQsetNoticeProcessor(server, no_notice, NULL);
	while (PQstatus(server) != CONNECTION_BAD && status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
		outcome = pdo_pool_wait_socket(
			PQsocket(server), status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
		if (outcome != PDO_POOL_READY) {
			break;
		}
		status = PQconnectPoll(server);
	}
	if (status == PGRES_POLLING_OK) {
		return server;
	}
	if (outcome == PDO_POOL_TIMED_OUT) {
		pdo_pool_throw("08006", "another connection of the pool could not be made in time (PDO::ATTR_TIMEOUT)");
	} else if (outcome == PDO_POOL_READY) {
		pdo_pool_throw("08006", "another connection of the pool could not be made: %s", PQerrorMessage(server));
	}
	PQfinish(server);
	return NULL;
}
