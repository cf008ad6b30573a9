#include "dbh.h"

/* Without the line breaks, and the full stop before them, that libpq's messages end with. */
static char *trimmed(const char *message, bool persistent)
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
	H->error.errmsg = trimmed(message, dbh->is_persistent);
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
