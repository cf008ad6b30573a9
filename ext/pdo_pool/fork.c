/* A process that was forked has its parent's connections. Whatever it sent there, even that it goes, the server would take
 * for its parent's. */

#include "pool.h"

#include <fcntl.h>
#include <unistd.h>

/* Behind a socket there is nothing any more: libpq can be told to close it, and tells nobody. */
static void disconnect(const PGconn *server)
{
	int socket = PQsocket(server), nothing;

	if (socket < 0) {
		return;
	}
	close(socket);
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nothing >= 0 && nothing != socket) {
		dup2(nothing, socket);
		fcntl(socket, F_SETFD, FD_CLOEXEC);
		close(nothing);
	}
}

void pdo_pool_leave_to_parent(pdo_pool *pool)
{
	uint32_t i;

	pool->process = getpid();
	for (i = 0; i < pool->options.max; i++) {
		pdo_pool_slot *slot = &pool->slots[i];

		disconnect(slot->server);
		disconnect(slot->connecting);
		slot->broken = true;
	}
}
