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

void pdo_pool_stmt_error(pdo_stmt_t *stmt, const PGresult *result)
{
	pdo_dbh_t *dbh = stmt->dbh;
	pdo_pool_pg_handle *H = pdo_pool_handle(dbh);
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	H->error.file = __FILE__;
	H->error.line = __LINE__;
	H->error.errcode = PQresultStatus(result);
	if (H->error.errmsg) {
		pefree(H->error.errmsg, dbh->is_persistent);
	}
	H->error.errmsg = trimmed(PQerrorMessage(H->server), dbh->is_persistent);
	if (!sqlstate || strlen(sqlstate) >= sizeof(pdo_error_type)) {
		sqlstate = "HY000";
	}
	memcpy(stmt->error_code, sqlstate, strlen(sqlstate) + 1);
}
