/* pdo_pool_run(): a scheduler for programs that have none. Its fibers take turns; when all wait, it waits for the first
 * socket or moment. */

#include "pool.h"
#include "zend_exceptions.h"
#include "zend_fibers.h"
#include "zend_interfaces.h"
#include "wait.h"

typedef enum { TASK_READY, TASK_RUNNING, TASK_SOCKET, TASK_ASLEEP, TASK_DONE } task_state;

typedef struct {
	task_state state;
	zval fiber;
	int socket;
	int events;
	double deadline;
	const pdo_pool_sleeper *sleeper;
	pdo_pool_outcome outcome;
} task;

typedef struct _pdo_pool_tasks {
	task *tasks;
	php_pollfd *descriptors;
	uint32_t count;
	uint32_t done;
	task *latest; /* that was called */
	zend_object *failure; /* the first */
} task_list;

static bool runs(const task *t)
{
	return t && EG(active_fiber) && &EG(active_fiber)->std == Z_OBJ(t->fiber);
}

/* Mostly the one that was called; it may have resumed the fiber of another. NULL outside of tasks. */
static task *current_task(void)
{
	const task_list *list = PDO_POOL_G(tasks);
	uint32_t i;

	if (!list || runs(list->latest)) {
		return list ? list->latest : NULL;
	}
	for (i = 0; i < list->count; i++) {
		if (runs(&list->tasks[i])) {
			return &list->tasks[i];
		}
	}
	return NULL;
}

bool pdo_pool_in_task(void)
{
	return current_task() != NULL;
}

static pdo_pool_outcome suspend(task *t, task_state state, double deadline)
{
	zend_ulong ended = PDO_POOL_G(runs_ended);

	t->state = state;
	t->deadline = deadline;
	do {
		zend_call_method_with_0_params(NULL, zend_ce_fiber, NULL, "suspend", NULL);
		if (ended != PDO_POOL_G(runs_ended)) { /* and the task is no more, though somebody kept its fiber */
			if (!EG(exception)) {
				zend_throw_error(NULL, "pdo_pool_run() has ended; what waits in its tasks cannot go on");
			}
			return PDO_POOL_INTERRUPTED;
		}
	} while (t->state == state && !EG(exception)); /* others than we may resume the fiber, which then waits as before */
	if (EG(exception)) {
		t->state = TASK_READY;
		return PDO_POOL_INTERRUPTED;
	}
	return t->outcome;
}

pdo_pool_outcome pdo_pool_task_wait_socket(int socket, int events, double deadline)
{
	task *t = current_task();

	t->socket = socket;
	t->events = events;
	return suspend(t, TASK_SOCKET, deadline);
}

pdo_pool_outcome pdo_pool_task_sleep(const pdo_pool_sleeper *sleeper, double deadline)
{
	task *t = current_task();

	t->sleeper = sleeper;
	return suspend(t, TASK_ASLEEP, deadline);
}

static void ready(task *t, pdo_pool_outcome outcome)
{
	t->state = TASK_READY;
	t->outcome = outcome;
}

static bool ended(const task *t)
{
	return ((zend_fiber *) Z_OBJ(t->fiber))->context.status == ZEND_FIBER_STATUS_DEAD;
}

static void go_on(task_list *list, task *t)
{
	const char *method = ((zend_fiber *) Z_OBJ(t->fiber))->context.status == ZEND_FIBER_STATUS_INIT ? "start" : "resume";

	t->state = TASK_RUNNING;
	if (!ended(t)) { /* by others than we */
		list->latest = t;
		zend_call_method(Z_OBJ(t->fiber), zend_ce_fiber, NULL, method, strlen(method), NULL, 0, NULL, NULL);
	}
	if (EG(exception) || ended(t)) {
		t->state = TASK_DONE;
		list->done++;
	} else if (t->state == TASK_RUNNING) {
		ready(t, PDO_POOL_READY); /* it suspended by itself: the others' turn */
	}
	if (EG(exception) && !list->failure && !zend_is_unwind_exit(EG(exception))
			&& !zend_is_graceful_exit(EG(exception))) {
		list->failure = EG(exception);
		GC_ADDREF(list->failure);
	}
	if (EG(exception) && !zend_is_unwind_exit(EG(exception)) && !zend_is_graceful_exit(EG(exception))) {
		zend_clear_exception();
	}
}

/* Until something can go on. */
static void wait_for_some(task_list *list)
{
	uint32_t i, waiting = 0;
	bool any_ready = false;
	double soonest = 0, now;
	int timeout = -1;

	for (i = 0; i < list->count; i++) {
		task *t = &list->tasks[i];

		if (t->state == TASK_ASLEEP && t->sleeper->woken) {
			ready(t, PDO_POOL_READY);
		}
		any_ready = any_ready || t->state == TASK_READY;
		if (t->state == TASK_SOCKET) {
			list->descriptors[waiting].fd = t->socket;
			list->descriptors[waiting].revents = 0;
			list->descriptors[waiting++].events = (short) t->events;
		}
		if ((t->state == TASK_SOCKET || t->state == TASK_ASLEEP) && t->deadline
				&& (!soonest || t->deadline < soonest)) {
			soonest = t->deadline;
		}
	}
	if (any_ready) {
		timeout = 0;
	} else if (!waiting) {
		/* All stand in line, and whoever could end that does not run: no time will help. */
		for (i = 0; i < list->count; i++) {
			if (list->tasks[i].state == TASK_ASLEEP) {
				ready(&list->tasks[i], PDO_POOL_HOPELESS);
				return;
			}
		}
	} else if (soonest) {
		timeout = (int) MIN(MAX((soonest - pdo_pool_now()) * 1000 + 1, 0), INT_MAX);
	}
	if (waiting) {
		php_poll2(list->descriptors, waiting, timeout);
	}
	now = soonest ? pdo_pool_now() : 0;
	for (i = waiting = 0; i < list->count; i++) {
		task *t = &list->tasks[i];

		if (t->state == TASK_SOCKET && list->descriptors[waiting++].revents) {
			ready(t, PDO_POOL_READY);
		} else if ((t->state == TASK_SOCKET || t->state == TASK_ASLEEP) && t->deadline && t->deadline <= now) {
			ready(t, PDO_POOL_TIMED_OUT);
		}
	}
}

static void run(task_list *list)
{
	uint32_t i;

	while (list->done < list->count && !EG(exception)) {
		wait_for_some(list);
		for (i = 0; i < list->count && !EG(exception); i++) {
			if (list->tasks[i].state == TASK_READY) {
				go_on(list, &list->tasks[i]);
			}
		}
	}
}

static void make_task(task *t, zval *callable)
{
	object_init_ex(&t->fiber, zend_ce_fiber);
	zend_call_known_instance_method_with_1_params(zend_ce_fiber->constructor, Z_OBJ(t->fiber), NULL, callable);
}

static bool make_tasks(task_list *list, zval *callables, uint32_t count, const HashTable *named)
{
	zval *callable;
	uint32_t i;

	list->count = count + (named ? zend_hash_num_elements(named) : 0);
	list->tasks = ecalloc(MAX(list->count, 1), sizeof(*list->tasks));
	list->descriptors = ecalloc(MAX(list->count, 1), sizeof(*list->descriptors));
	for (i = 0; i < count; i++) {
		make_task(&list->tasks[i], &callables[i]);
	}
	if (named) {
		ZEND_HASH_FOREACH_VAL((HashTable *) named, callable) {
			make_task(&list->tasks[i++], callable);
		} ZEND_HASH_FOREACH_END();
	}
	return !EG(exception);
}

static void result_of(task *t, zval *result)
{
	ZVAL_NULL(result);
	zend_call_method_with_0_params(Z_OBJ(t->fiber), zend_ce_fiber, NULL, "getreturn", result);
}

static void collect(task_list *list, const HashTable *named, zval *results)
{
	uint32_t positional = list->count - (named ? zend_hash_num_elements(named) : 0), i;
	zend_string *name;
	zval result;

	array_init_size(results, list->count);
	for (i = 0; i < positional && !EG(exception); i++) {
		result_of(&list->tasks[i], &result);
		add_next_index_zval(results, &result);
	}
	if (named) {
		ZEND_HASH_FOREACH_STR_KEY((HashTable *) named, name) {
			if (EG(exception)) {
				break;
			}
			result_of(&list->tasks[i++], &result);
			zend_hash_update(Z_ARRVAL_P(results), name, &result);
		} ZEND_HASH_FOREACH_END();
	}
	if (EG(exception)) {
		zval_ptr_dtor(results);
		ZVAL_NULL(results);
	}
}

/* A fatal error jumps out of here: what is on the stack is then gone, but shutdown functions are to come. */
static void run_safely(task_list *list)
{
	PDO_POOL_G(tasks) = list;
	zend_try {
		run(list);
	} zend_catch {
		PDO_POOL_G(tasks) = NULL;
		PDO_POOL_G(runs_ended)++;
		pdo_pool_quit_lines(PDO_POOL_BY_TASKS);
		zend_bailout();
	} zend_end_try();
}

PHP_FUNCTION(pdo_pool_run)
{
	task_list list = {0};
	zval *callables;
	uint32_t count, i;
	HashTable *named;

	ZEND_PARSE_PARAMETERS_START(0, -1)
		Z_PARAM_VARIADIC_WITH_NAMED(callables, count, named)
	ZEND_PARSE_PARAMETERS_END();

	if (PDO_POOL_G(tasks)) {
		zend_throw_error(NULL, "pdo_pool_run() is running already; give it all tasks at once");
		RETURN_THROWS();
	}
	if (make_tasks(&list, callables, count, named)) {
		run_safely(&list);
		if (!EG(exception) && !list.failure) {
			collect(&list, named, return_value);
		}
	}
	for (i = 0; i < list.count; i++) {
		zval_ptr_dtor(&list.tasks[i].fiber); /* one that is suspended still, because of exit(), is unwound here */
	}
	PDO_POOL_G(tasks) = NULL;
	PDO_POOL_G(runs_ended)++;
	efree(list.tasks);
	efree(list.descriptors);
	if (list.failure && EG(exception)) {
		OBJ_RELEASE(list.failure);
	} else if (list.failure) {
		zend_throw_exception_internal(list.failure);
	}
}
