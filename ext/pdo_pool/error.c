#include "dbh.h"

char *pdo_pool_trimmed(const char *message, bool persistent)
{
	size_t length = strlen(message);
	char *copy;

	if (length > 2 && message[length - 1] == '.' && (message[length - 2] == '\n' || message[length - 2] == '\r')) {
		length--;
	}
	while (length > 1 && (message[length - 1] == '\n' || message[length - 1] == '\r')) {
		length--;
	}
	copy = pemalloc(length + 1, persistent);
	memcpy(copy, message, length);
	copy[length] = '\0';
	return copy;
}

static void note(pdo_dbh_t *dbh, pdo_error_type *code, unsigned int status, const char *sqlstate, const char *message)
{
	pdo_pool_pg_handle *H = pdo_pool_handle(dbh);

	H->error.file = __FILE__;
	H->error.line = __LINE__;
	H->error.errcode = status;
	if (H->error.errmsg) {
		pefree(H->error.errmsg, dbh->is_persistent);
	}
	H->error.errmsg = pdo_pool_trimmed(message, dbh->is_persistent);
	if (!sqlstate || strlen(sqlstate) >= sizeof(pdo_error_type)) {
		sqlstate = "HY000";
	}
	memcpy(*code, sqlstate, strlen(sqlstate) + 1);
}

static void note_result(pdo_dbh_t *dbh, pdo_error_type *code, const PGresult *result)
{
	note(dbh, code, PQresultStatus(result), PQresultErrorField(result, PG_DIAG_SQLSTATE),
		PQerrorMessage(pdo_pool_handle(dbh)->server));
}

void pdo_pool_stmt_error(pdo_stmt_t *stmt, const PGresult *result)
{
	note_result(stmt->dbh, &stmt->error_code, result);
}

void pdo_pool_dbh_error(pdo_dbh_t *dbh, const PGresult *result)
{
	if (!EG(exception)) { /* else PDO would throw another one */
		note_result(dbh, &dbh->error_code, result);
	}
}

void pdo_pool_dbh_fail(pdo_dbh_t *dbh, const char *sqlstate, const char *message)
{
	note(dbh, &dbh->error_code, PGRES_FATAL_ERROR, sqlstate, message);
}

bool pdo_pool_raised_by(const PGresult *result, const char *sqlstate, const char *function)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *source = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);

	return state && !strcmp(state, sqlstate) && (!source || !strcmp(source, function));
}

/* The server failed to make sense of the statement, or to read a parameter. Either is before it did anything, and the
 * context shows it: there is none, or the outermost one is a parameter, by its number in any language. */
bool pdo_pool_may_be_for_types(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *context = PQresultErrorField(result, PG_DIAG_CONTEXT);
	const char *outermost = context ? strrchr(context, '\n') : NULL;

	if (!state) {
		return false;
	}
	if (!context) {
		return !strncmp(state, "42", 2);
	}
	return !strncmp(state, "22", 2) && strchr(outermost ? outermost : context, '$');
}
