/* An extension that does nothing but to have settings, as many as NEIGHBOUR_SETTINGS says: what lies in the heap before a
 * program begins is then something else. */
#include "php.h"
#include "php_ini.h"

#define MOST 8

static zend_ini_entry_def settings[MOST + 1];
static char names[MOST][sizeof("neighbour.setting0")];

static PHP_MINIT_FUNCTION(neighbour)
{
	const char *asked = getenv("NEIGHBOUR_SETTINGS");
	int count = asked ? atoi(asked) : 0, i;

	for (i = 0; i < count && i < MOST; i++) {
		snprintf(names[i], sizeof(names[i]), "neighbour.setting%d", i);
		settings[i] = (zend_ini_entry_def) {
			.name = names[i],
			.name_length = sizeof(names[i]) - 1,
			.value = "256",
			.value_length = 3,
			.modifiable = PHP_INI_ALL,
		};
	}
	return zend_register_ini_entries(settings, module_number);
}

static PHP_MSHUTDOWN_FUNCTION(neighbour)
{
	zend_unregister_ini_entries(module_number);
	return SUCCESS;
}

zend_module_entry neighbour_module_entry = {
	STANDARD_MODULE_HEADER, "neighbour", NULL, PHP_MINIT(neighbour), PHP_MSHUTDOWN(neighbour), NULL, NULL, NULL, "1",
	STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(neighbour)
