#include "php.h"
#include "sql.h"

typedef struct {
	const char *start;
	const char *at;
	const char *end;
} scanner;

typedef struct {
	const char *start;
	size_t length;
} word;

static bool is(word w, const char *keyword)
{
	return strlen(keyword) == w.length && !zend_binary_strncasecmp(w.start, w.length, keyword, w.length, w.length);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char) c) || c == '_' || (c & 0x80);
}

/* Behind the comment that starts here, or NULL. Comments of C's kind nest. */
static const char *skip_comment(const scanner *s)
{
	const char *at = s->at;
	size_t depth = 0;

	if (s->end - at < 2) {
		return NULL;
	}
	if (at[0] == '-' && at[1] == '-') {
		at = memchr(at, '\n', s->end - at);
		return at ? at : s->end;
	}
	if (at[0] != '/' || at[1] != '*') {
		return NULL;
	}
	while (s->end - at >= 2) {
		if (at[0] == '/' && at[1] == '*') {
			depth++;
			at += 2;
		} else if (at[0] == '*' && at[1] == '/') {
			at += 2;
			if (!--depth) {
				return at;
			}
		} else {
			at++;
		}
	}
	return s->end;
}

/* Behind the quoted text that starts here. `escapes`: a backslash takes the next character with it. */
static const char *skip_quoted(const scanner *s, bool escapes)
{
	const char *at = s->at + 1;

	while (at < s->end) {
		if (escapes && *at == '\\') {
			at += 2; /* at most to the NUL byte behind the end */
		} else if (*at++ == *s->at) {
			return at; /* a doubled quote starts the next text at once */
		}
	}
	return s->end;
}

/* Behind the $tag$ … $tag$ that starts here, or NULL if it is something else. */
static const char *skip_dollar_quoted(const scanner *s)
{
	const char *tag_end = s->at + 1, *at;
	size_t length;

	while (tag_end < s->end && is_word_char(*tag_end)) {
		tag_end++;
	}
	if (tag_end >= s->end || *tag_end != '$' || (s->at[1] >= '0' && s->at[1] <= '9')) {
		return NULL;
	}
	length = ++tag_end - s->at;
	for (at = tag_end; (size_t) (s->end - at) >= length; at++) {
		if (*at == '$' && !memcmp(at, s->at, length)) {
			return at + length;
		}
	}
	return s->end;
}

/* The next word; an empty one at the end and before anything else. Parentheses before it do not matter. */
static word next_word(scanner *s)
{
	const char *behind;
	word w;

	while (s->at < s->end) {
		if (isspace((unsigned char) *s->at) || *s->at == '(') {
			s->at++;
		} else if ((behind = skip_comment(s)) != NULL) {
			s->at = behind;
		} else {
			break;
		}
	}
	w.start = s->at;
	while (s->at < s->end && is_word_char(*s->at)) {
		s->at++;
	}
	w.length = s->at - w.start;
	return w;
}

/* To behind the next semicolon; false where there is none. */
static bool next_statement(scanner *s)
{
	const char *behind;

	if (!memchr(s->at, ';', s->end - s->at)) {
		return false;
	}
	while (s->at < s->end) {
		switch (*s->at) {
			case ';':
				s->at++;
				return true;
			case '\'':
				s->at = skip_quoted(s, s->at > s->start && (s->at[-1] == 'e' || s->at[-1] == 'E'));
				break;
			case '"':
				s->at = skip_quoted(s, false);
				break;
			case '$':
				behind = skip_dollar_quoted(s);
				s->at = behind ? behind : s->at + 1;
				break;
			default:
				behind = skip_comment(s);
				s->at = behind ? behind : s->at + 1;
		}
	}
	return false;
}

static bool contains(const char *sql, const char *end, const char *what)
{
	return zend_memnstr(sql, what, strlen(what), end) != NULL;
}

/* SET search_path, SET SCHEMA and RESET ALL change what a name of a table means; other settings do not. */
static uint32_t effects_of_set(scanner *s)
{
	word w = next_word(s);

	if (is(w, "LOCAL") || is(w, "SESSION")) {
		w = next_word(s);
	}
	return is(w, "search_path") || is(w, "SCHEMA") || is(w, "ALL") ? PDO_POOL_SQL_SCHEMA : 0;
}

static uint32_t effects_of_forgetting(scanner *s, bool discard)
{
	word w = next_word(s);

	if (is(w, "PREPARE")) {
		w = next_word(s);
	}
	if (is(w, "ALL")) {
		return PDO_POOL_SQL_FORGETS | (discard ? PDO_POOL_SQL_SCHEMA : 0);
	}
	if (discard) {
		return PDO_POOL_SQL_SCHEMA;
	}
	/* Nobody but us should know a name of ours, but then it is gone. A quoted one may be. */
	return !w.length || (w.length > 3 && !strncmp(w.start, "pp_", 3)) ? PDO_POOL_SQL_FORGETS : 0;
}

static uint32_t effects_of_query(const scanner *s)
{
	if (contains(s->at, s->end, "set_config") && (contains(s->at, s->end, "search_path")
			|| contains(s->at, s->end, "set_config(?") || contains(s->at, s->end, "set_config(:"))) {
		return PDO_POOL_SQL_SCHEMA;
	}
	return PDO_POOL_SQL_CACHEABLE;
}

static uint32_t effects_of_statement(scanner *s)
{
	static const char *const queries[] = {"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES", "MERGE", "TABLE"};
	static const char *const harmless[] = {
		"BEGIN", "START", "SAVEPOINT", "RELEASE", "LOCK", "DECLARE", "FETCH", "MOVE", "CLOSE", "COPY", "SHOW",
		"EXPLAIN", "LISTEN", "UNLISTEN", "NOTIFY", "ANALYZE", "VACUUM", "TRUNCATE", "CHECKPOINT", "EXECUTE",
	};
	static const char *const ends[] = {"COMMIT", "END", "ROLLBACK", "ABORT"};
	word first = next_word(s);
	size_t i;

	if (!first.length) {
		return 0;
	}
	for (i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		if (is(first, queries[i])) {
			return effects_of_query(s);
		}
	}
	for (i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		if (is(first, harmless[i])) {
			return 0;
		}
	}
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (is(first, ends[i])) {
			return PDO_POOL_SQL_ENDS;
		}
	}
	if (is(first, "PREPARE")) {
		return is(next_word(s), "TRANSACTION") ? PDO_POOL_SQL_ENDS : PDO_POOL_SQL_NAMES;
	}
	if (is(first, "SET") || is(first, "RESET")) {
		return effects_of_set(s);
	}
	if (is(first, "DISCARD") || is(first, "DEALLOCATE")) {
		return effects_of_forgetting(s, is(first, "DISCARD"));
	}
	return PDO_POOL_SQL_SCHEMA; /* CREATE, ALTER, DROP, DO, CALL, … and what is yet to come */
}

static bool mentions(const char *at, const char *end, const char *keyword)
{
	word w;

	while (at < end) {
		w.start = at;
		while (at < end && is_word_char(*at)) {
			at++;
		}
		w.length = at - w.start;
		if (is(w, keyword)) {
			return true;
		}
		at += !w.length;
	}
	return false;
}

bool pdo_pool_sql_draws(const char *sql, size_t length)
{
	scanner s = {sql, sql, sql + length};
	word first;

	do {
		first = next_word(&s);
		if (is(first, "INSERT") || is(first, "MERGE")
				|| (is(first, "WITH") && (mentions(s.at, s.end, "INSERT") || mentions(s.at, s.end, "MERGE")))) {
			return true;
		}
	} while (next_statement(&s));
	return mentions(sql, sql + length, "nextval");
}

uint32_t pdo_pool_sql_effects(const char *sql, size_t length)
{
	scanner s = {sql, sql, sql + length};
	uint32_t effects = effects_of_statement(&s);

	while (next_statement(&s)) {
		effects |= effects_of_statement(&s);
	}
	return effects;
}
