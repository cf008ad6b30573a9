/* Another connection of a pool. */

#include "async.h"

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

/* How messages of the server show their SQLSTATE when they are verbose: libpq has no other way to tell it of a connection
 * that could not be made. */
#define TOO_MANY ":  53300: "

/* Takes the SQLSTATE out of a line. False where there is none. */
static bool strip_code(char *line)
{
	char *code = strstr(line, ":  ");

	if (!code || strspn(code + 3, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 5 || strncmp(code + 8, ": ", 2)) {
		return false;
	}
	memmove(code + 3, code + 10, strlen(code + 10) + 1);
	return true;
}

/* "LOCATION:  InitProcess, proc.c:358", in any language. */
static bool is_location(const char *line)
{
	const char *number = strstr(line, ".c:");

	return number && number[3] && !number[3 + strspn(number + 3, "0123456789")];
}

/* libpq's message, as it is when it is not verbose. */
static char *plain_message(const PGconn *server)
{
	char *message = pdo_pool_trimmed(PQerrorMessage(server), false), *plain = ecalloc(1, strlen(message) + 2);
	char *rest = NULL, *line;
	bool coded = false;

	for (line = php_strtok_r(message, "\n", &rest); line; line = php_strtok_r(NULL, "\n", &rest)) {
		if (strip_code(line)) {
			coded = true;
		} else if (coded && is_location(line)) {
			continue;
		}
		strcat(strcat(plain, *plain ? "\n" : ""), line);
	}
	efree(message);
	return plain;
}

static void tell(const pdo_pool *pool, const PGconn *server)
{
	char *message = plain_message(server);

	if (strstr(PQerrorMessage(server), TOO_MANY)) {
		pdo_pool_throw("53300", "the pool has %u connections and could not make another: %s; raise max_connections of the "
			"server, or the limit of the role or database, or lower PDO::ATTR_POOL_MAX (%u)",
			pdo_pool_count_open(pool), message, pool->options.max);
	} else {
		pdo_pool_throw("08006", "another connection of the pool could not be made: %s", message);
	}
	efree(message);
}

PGconn *pdo_pool_async_connect(pdo_pool_slot *slot)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	pdo_pool_outcome outcome = PDO_POOL_READY;
	double deadline = 0;
	PGconn *server = start(slot->pool->conninfo, &deadline);

	if (!server) {
		pdo_pool_throw("08006", "the pool is out of memory for another connection");
		return NULL;
	}
	PQfinish(slot->connecting); /* which a fatal error interrupted */
	slot->connecting = server;
	PQsetNoticeProcessor(server, no_notice, NULL);
	PQsetErrorVerbosity(server, PQERRORS_VERBOSE);
	while (PQstatus(server) != CONNECTION_BAD && status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
		outcome = pdo_pool_wait_socket(
			PQsocket(server), status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
		if (outcome != PDO_POOL_READY) {
			break;
		}
		status = PQconnectPoll(server);
	}
	slot->connecting = NULL;
	if (status == PGRES_POLLING_OK) {
		PQsetErrorVerbosity(server, PQERRORS_DEFAULT);
		return server;
	}
	if (outcome == PDO_POOL_TIMED_OUT) {
		pdo_pool_throw("08006", "another connection of the pool could not be made in time (PDO::ATTR_TIMEOUT)");
	} else if (outcome == PDO_POOL_READY) {
		tell(slot->pool, server);
	}
	PQfinish(server);
	return NULL;
}
