#include "cache.h"
#include "ext/standard/sha1.h"

void pdo_pool_name(char name[PDO_POOL_NAME_SIZE], const pdo_pool_entry *entry, uint32_t generation)
{
	static const char digits[] = "0123456789abcdef";
	PHP_SHA1_CTX sha1;
	unsigned char digest[20];
	char *end = name;
	int i;

	PHP_SHA1Init(&sha1);
	PHP_SHA1Update(&sha1, (const unsigned char *) ZSTR_VAL(entry->sql), ZSTR_LEN(entry->sql) + 1);
	PHP_SHA1Update(&sha1, (const unsigned char *) &entry->param_count, sizeof(entry->param_count));
	if (entry->types) {
		PHP_SHA1Update(&sha1, (const unsigned char *) entry->types, entry->param_count * sizeof(Oid));
	}
	PHP_SHA1Final(digest, &sha1);

	memcpy(end, "pp_", 3);
	end += 3;
	for (i = 0; i < 12; i++) {
		*end++ = digits[digest[i] >> 4];
		*end++ = digits[digest[i] & 15];
	}
	if (generation) {
		snprintf(end, PDO_POOL_NAME_SIZE - (end - name), "_%x", generation);
	} else {
		*end = '\0';
	}
}
