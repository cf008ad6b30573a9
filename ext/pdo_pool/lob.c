/* Streams of large objects. The driver reads and writes them by libpq's blocking functions, on the connection that opened
 * them; so they end with its transaction, and all fibers stand still meanwhile, which is counted. */

#include "pool.h"
#include "ext/standard/file.h"

/* In the driver's struct of the same name. */
typedef struct {
	zval dbh;
	PGconn *server;
} lob;

static bool is_lob(const php_stream *stream)
{
	return !strcmp(stream->ops->label, "pdo_pgsql lob stream");
}

/* Of a stream; NULL where its pool was closed. */
static pdo_pool *pool_of(const php_stream *stream)
{
	return pdo_pool_of(Z_PDO_DBH_P(&((lob *) stream->abstract)->dbh));
}

static void blocked(pdo_pool *pool, double since)
{
	if (pool) {
		pdo_pool_blocked(pool, since);
	}
}

static ssize_t write_lob(php_stream *stream, const char *bytes, size_t count)
{
	double start = pdo_pool_now();
	ssize_t written = PDO_POOL_G(stock_lob_ops)->write(stream, bytes, count);

	blocked(pool_of(stream), start);
	return written;
}

static ssize_t read_lob(php_stream *stream, char *bytes, size_t count)
{
	double start = pdo_pool_now();
	ssize_t read = PDO_POOL_G(stock_lob_ops)->read(stream, bytes, count);

	blocked(pool_of(stream), start);
	return read;
}

static int seek_lob(php_stream *stream, zend_off_t offset, int whence, zend_off_t *now)
{
	double start = pdo_pool_now();
	int done = PDO_POOL_G(stock_lob_ops)->seek(stream, offset, whence, now);

	blocked(pool_of(stream), start);
	return done;
}

static int close_lob(php_stream *stream, int close_handle)
{
	pdo_pool *pool = pool_of(stream);
	double start = pdo_pool_now();
	int done = PDO_POOL_G(stock_lob_ops)->close(stream, close_handle);

	blocked(pool, start);
	return done;
}

void pdo_pool_watch_lob(const zval *value)
{
	php_stream_ops *ours = &PDO_POOL_G(lob_ops);
	php_stream *stream;

	if (Z_TYPE_P(value) != IS_RESOURCE || Z_RES_TYPE_P(value) != php_file_le_stream()) {
		return;
	}
	stream = Z_RES_VAL_P(value);
	if (!is_lob(stream)) {
		return;
	}
	if (!PDO_POOL_G(stock_lob_ops)) {
		PDO_POOL_G(stock_lob_ops) = stream->ops;
		*ours = *stream->ops;
		ours->write = write_lob;
		ours->read = read_lob;
		ours->seek = seek_lob;
		ours->close = close_lob;
	}
	stream->ops = ours;
}

void pdo_pool_slot_close_lobs(pdo_pool_slot *slot)
{
	HashTable found;
	zend_resource *resource;

	if (!slot->lobs) {
		return;
	}
	slot->lobs = false;
	zend_hash_init(&found, 8, NULL, NULL, 0);
	ZEND_HASH_FOREACH_PTR(&EG(regular_list), resource) {
		const php_stream *stream = resource->ptr;

		if (resource->type == php_file_le_stream() && is_lob(stream)
				&& ((const lob *) stream->abstract)->server == slot->server) {
			GC_ADDREF(resource);
			zend_hash_next_index_insert_ptr(&found, resource);
		}
	} ZEND_HASH_FOREACH_END();
	ZEND_HASH_FOREACH_PTR(&found, resource) {
		zend_list_close(resource);
		zend_list_delete(resource);
	} ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&found);
}
