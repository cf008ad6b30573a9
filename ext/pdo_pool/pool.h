/* A pool: several connections to one server behind one PDO object.
 *
 * A fiber has a seat (seat.c) and, while it needs one, a slot with a connection (slot.c) that it got in a fair line
 * (line.c). The PDO object, its dbh and the driver's handle are one for all: whenever PHP switches fibers, what they hold
 * of a connection is exchanged for what belongs to the fiber that goes on. So everything that the driver does, it does on
 * the connection of the fiber that runs; statements need to know of none. */

#ifndef PDO_POOL_POOL_H
#define PDO_POOL_POOL_H

#include "zend_fibers.h"
#include "dbh.h"
#include "wait.h"

#include <unistd.h>

#define PDO_POOL_MAX_CONNECTIONS 1024

typedef struct _pdo_pool pdo_pool;
typedef struct _pdo_pool_slot pdo_pool_slot;
typedef struct _pdo_pool_seat pdo_pool_seat;

/* Times are in seconds. */
typedef struct {
	uint32_t min, max;
	uint32_t capacity;      /* of each connection's cache */
	double acquire_timeout; /* 0: nobody waits */
	double idle_timeout;    /* 0: none */
	double max_lifetime;    /* 0: none */
	bool health_check;
	bool reset;             /* the session, before another fiber gets it */
} pdo_pool_options;

/* Room for one connection. */
struct _pdo_pool_slot {
	pdo_pool *pool;
	pdo_pool_conn *conn; /* NULL beside `server` that is NULL */
	PGconn *server;      /* NULL: not connected */
	PGconn *connecting;  /* not yet */
	bool taken;          /* by a seat, or promised to a waiter */
	bool broken;         /* never to be used again */
	bool cleaning;       /* was asked to, and has not answered yet */
	bool lobs;           /* may have streams of large objects */
	double opened, used;
	zend_ulong holder;   /* the last seat */
	zend_ulong tenure;   /* since when, or since it was connected: a number that no other slot has */
};

/* A place in the line. */
typedef struct {
	bool standing;
	pdo_pool_seat *next, *previous;
	pdo_pool_slot *slot; /* promised, behind the line */
	pdo_pool_sleeper sleeper;
} pdo_pool_place;

/* What a fiber has of a pool: a slot at times, and what PDO and the driver remember of its last call. */
struct _pdo_pool_seat {
	zend_fiber_context *fiber;
	zend_ulong number;   /* that no other has, nor had */
	pdo_pool_place place;
	pdo_pool_slot *slot;
	pdo_pool_slot *last;
	zend_ulong drew_in;  /* the tenure of its last statement that may have drawn from a sequence; 0: none */
	pdo_stmt_t *executing; /* while its fiber waits, to others it is a statement without a connection */
	uint32_t calls;      /* that are under way; the slot is not to be taken away */
	bool in_transaction; /* nor now; also true of one that was lost with its connection, until it is given up */
	pdo_error_type error_code;
	bool in_txn;
	pdo_stmt_t *query_stmt;
	pdo_pool_pg_error error;
	pdo_pool_seat *next; /* of those that ended */
};

struct _pdo_pool {
	pdo_pool *next;
	zend_object *object; /* that it belongs to; not counted */
	pdo_dbh_t *dbh;
	pdo_pool_pg_handle *handle;
	pdo_pool_conn vacant; /* the methods while the running fiber has no connection */
	pid_t process;        /* whose connections these are */
	PGconn *nowhere;      /* and its connection: one that never was */
	PQconninfoOption *conninfo; /* of all connections */
	pdo_pool_options options;
	pdo_pool_slot *slots; /* as many as options.max */
	HashTable seats;      /* by fiber */
	pdo_pool_seat *current;
	pdo_pool_seat *ended; /* to be freed when PHP code may run */
	pdo_pool_seat *first, *last; /* in line */
	zend_ulong seated, tenures;  /* how many so far */
	zend_function_entry *driver_methods;
	struct {
		zend_ulong opened, broken, waits, timeouts, rollbacks, resets, blocking;
		double wait_time, blocking_time;
	} counters;
};

/* pool_attr.c */
void pdo_pool_declare_attributes(void);
/* Whether `options` ask for a pool. False with an exception where they are wrong. */
bool pdo_pool_read_options(const HashTable *options, pdo_pool_options *into);
bool pdo_pool_get_attribute(const pdo_pool *pool, zend_long attribute, zval *value);

/* pool.c: makes a pool of the PDO object's connection. False with an exception. */
bool pdo_pool_open(zend_object *object, const pdo_pool_options *options);
void pdo_pool_close(pdo_pool *pool);
pdo_pool *pdo_pool_of(const pdo_dbh_t *dbh);
uint32_t pdo_pool_count_open(const pdo_pool *pool);
/* Throws a PDOException. */
void pdo_pool_throw(const char *sqlstate, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);
/* Seconds since some moment. */
double pdo_pool_now(void);

/* seat.c */
void pdo_pool_watch_fibers(void);
pdo_pool_seat *pdo_pool_seat_of_current(pdo_pool *pool);
/* Puts what belongs to the running fiber before PDO and the driver. */
void pdo_pool_seat_show(pdo_pool *pool);
void pdo_pool_free_ended(pdo_pool *pool);
void pdo_pool_free_seats(pdo_pool *pool);

/* line.c. Each call on the connection is between these two. NULL with an exception: then there is nothing to leave. */
pdo_pool_slot *pdo_pool_enter(pdo_pool *pool);
void pdo_pool_leave(pdo_pool *pool);
/* Gives the slot of a seat back: to whoever is first in line. Rolls back what is open. Calls no PHP code. */
void pdo_pool_release(pdo_pool_seat *seat);
/* The same of a slot that no seat has. */
void pdo_pool_hand_on(pdo_pool_slot *slot);
/* Gives up a place in the line, or what was promised there. Calls no PHP code. */
void pdo_pool_quit_line(pdo_pool *pool, pdo_pool_seat *seat);
/* The same of all who wait so, in all pools: they will not go on. */
void pdo_pool_quit_lines(pdo_pool_scheduler by);

static zend_always_inline bool pdo_pool_reclaimable(const pdo_pool_seat *seat)
{
	return seat->slot && !seat->calls && !seat->in_transaction;
}

/* fork.c */
void pdo_pool_leave_to_parent(pdo_pool *pool);

/* Before anything is sent. */
static zend_always_inline void pdo_pool_after_fork(pdo_pool *pool)
{
	if (UNEXPECTED(pool->process != getpid())) {
		pdo_pool_leave_to_parent(pool);
	}
}

/* slot.c: makes the connection good to be used; connects where there is none. `fresh`: it was idle, or another's. False
 * with an exception: it is closed. */
bool pdo_pool_slot_prepare(pdo_pool_slot *slot, bool fresh);
void pdo_pool_slot_close(pdo_pool_slot *slot);
bool pdo_pool_slot_broken(const pdo_pool_slot *slot);
/* Asks the server to take back what is open, and to reset the session where that is wanted, without waiting. */
void pdo_pool_slot_clean(pdo_pool_slot *slot, bool in_transaction);
/* Takes over a connection that the driver made, or we. */
void pdo_pool_slot_connected(pdo_pool_slot *slot, PGconn *server);

/* lob.c: counts what the stream of a large object does from now on, if `value` is one. */
void pdo_pool_watch_lob(const zval *value);
void pdo_pool_slot_close_lobs(pdo_pool_slot *slot);

/* pool_methods.c */
void pdo_pool_take_methods(pdo_pool_conn *conn);
/* pool_stmt.c */
bool pdo_pool_pooled_stmt(pdo_stmt_t *stmt);
/* pool.c: all fibers stood still since that moment, for a call that the driver makes by itself. */
void pdo_pool_blocked(pdo_pool *pool, double since);

/* last_id.c: notes whether what was executed may have drawn from a sequence; NULL: it did. Before pdo_pool_leave(). */
void pdo_pool_note_draws(pdo_pool *pool, const zend_string *sql);
zend_string *pdo_pool_last_id(pdo_dbh_t *dbh, const zend_string *name);
/* pool_methods.c: one piece of SQL as the driver executes it; NULL where that failed, which is noted. */
PGresult *pdo_pool_execute(pdo_dbh_t *dbh, pdo_pool_slot *slot, const char *sql);

/* pool_talk.c: methods that only this driver has. */
const zend_function_entry *pdo_pool_driver_methods(pdo_pool *pool, int kind);
void pdo_pool_hook_talks(void);
/* stats.c */
void pdo_pool_pool_stats(zval *stats, pdo_pool *pool);

#endif
