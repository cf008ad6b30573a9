/* Which request the current task serves, and how much memory it holds: read together with its stack. */
#pragma once
#include "walk.h"

/* The parts of a request, in the order in which they are written; settings.parts has a bit for each. */
enum part { METHOD, URI, SCRIPT, QUERY, COOKIE, TEXTS, BEGAN = TEXTS };

/* sapi_globals up to the URI. */
#define REQUEST_INFO 7
#define TEXT_MAX 512
/* PHP's allocator takes memory in chunks of this size and alignment; the heap lies in one, which begins with its address. */
#define CHUNK (2ull << 20)

/* What FPM and CGI got from the web server: a hash table of variables. */
#define LISTS 128
#define LIST_MAX 4
#define URI_HASH 1955 /* FCGI_HASH_FUNC("REQUEST_URI") */
#define URI_LENGTH 11

struct variable {
	__u32 hash, name_length;
	__u64 name;
	__u32 length, pad;
	__u64 value;
	__u64 next;
};

struct request {
	struct request_header header;
	__u8 texts[TEXT_MAX * TEXTS];
	__u32 used;
	__u32 unreadable;
	__u64 info[8]; /* REQUEST_INFO of them; a power of two bounds what is asked for */
	__u64 mark, last_mark; /* of this one, and of the thread's last one, which is `last` */
	__u64 last;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct request);
} REQUEST SEC(".maps");

#define INFO(r, offset) ((r)->info[((offset) >> 3) & 7])

/* Where a thread's globals begin; of a PHP without threads, 0: addresses are whole. */
static __always_inline __u64 globals_at(const struct php *php, __u64 variable, __u64 storage)
{
	return php->flags & THREADS ? storage + read_u64(variable) : variable;
}

/* The URI as the web server sent it: FPM has the script's name where others have the URI. */
static __always_inline __u64 sent_uri(const struct php *php, __u64 request)
{
	__u64 at = read_u64(request + php->fcgi_variables + URI_HASH % LISTS * 8);
	__u64 name[2];
	struct variable found;

	for (int i = 0; i < LIST_MAX && at; i++) {
		if (bpf_probe_read_user(&found, sizeof(found), (void *)at))
			return 0;
		if (found.hash == URI_HASH && found.name_length == URI_LENGTH &&
		    !bpf_probe_read_user(&name[0], 8, (void *)found.name) &&
		    !bpf_probe_read_user(&name[1], 8, (void *)(found.name + URI_LENGTH - 8)) &&
		    name[0] == 0x5f54534555514552ull /* REQUEST_ */ && name[1] == 0x4952555f54534555ull /* UEST_URI */)
			return found.value;
		at = found.next;
	}
	return 0;
}

/* Puts a text behind those that are there. */
static __always_inline __u16 add_text(struct request *r, __u64 text)
{
	__u32 at = r->used;
	long length;

	if (!text || at > TEXT_MAX * (TEXTS - 1))
		return 0;
	length = bpf_probe_read_user_str(r->texts + at, TEXT_MAX, (void *)text);
	if (length < 1 || length > TEXT_MAX) {
		r->unreadable = 1;
		return 0;
	}
	/* The next one takes the place of its end. */
	r->used = at + length - 1;
	return length - 1;
}

/* Who the request is, by all that is told of it and not by where it lies: the next one's texts lie in the same place. */
static __always_inline __u64 identity(struct request *r)
{
	__u64 id = mix(mix(r->header.tid, r->header.pid), r->header.began), word;
	__u32 used = r->used;

	for (__u32 at = 0; at < TEXT_MAX * TEXTS; at += 8) {
		if (at >= used)
			break;
		word = *(__u64 *)(r->texts + at);
		if (used - at < 8)
			word &= (1ull << (used - at) * 8) - 1;
		id = mix(id, word);
	}
	id = mix(id, (__u64)r->header.lengths[URI] << 32 | r->header.lengths[SCRIPT] << 16 | r->header.lengths[METHOD]);
	id = mix(id, (__u64)r->header.lengths[QUERY] << 16 | r->header.lengths[COOKIE]);
	return id | 1;
}

/* Whether the next request of the process will have begun at another time: PHP notes microseconds. Apache tells it
 * milliseconds, of which two requests may have the same. It is a double, which from 2004 to 2038 has 22 bits behind the
 * point; 0 until something asks. */
static __always_inline int is_unique(__u64 began)
{
	__u64 part = began & ((1 << 22) - 1);

	return began >> 52 == 1023 + 30 && ((part * 1000000 + (1 << 21)) >> 22) % 1000;
}

/* What tells a request from the next one without its texts: where they lie, and when it began. 0: nothing does. It holds for
 * a second. */
static __always_inline __u64 mark(const struct scratch *s, const struct request *r, __u64 sapi_globals)
{
	__u64 began = read_u64(sapi_globals + s->php.sg_request_time), mark;

	if (!(s->php.flags & ONE_REQUEST) && !is_unique(began))
		return 0;
	mark = mix(s->second, began);
	for (int i = 0; i < REQUEST_INFO; i++)
		mark = mix(mark, r->info[i]);
	return mark | 1;
}

/* Reads the request of the sample in the scratch. Returns its identity; 0 if it could not be read. */
__attribute__((noinline)) __u64 read_request(__u64 sapi_globals)
{
	__u32 zero = 0, parts;
	struct request *r = bpf_map_lookup_elem(&REQUEST, &zero);
	struct settings *set = settings();
	struct scratch *s = scratch();
	__u64 uri = 0;

	if (!r || !set || !s || bpf_probe_read_user(r->info, REQUEST_INFO * 8, (void *)sapi_globals))
		return 0;
	r->mark = mark(s, r, sapi_globals);
	if (r->mark && r->mark == r->last_mark)
		return r->last;
	parts = set->parts;
	r->used = r->unreadable = 0;
	r->header.kind = REQUEST_RECORD;
	r->header.pid = s->sample.pid;
	r->header.tid = s->sample.tid;
	r->header.began = parts & 1 << BEGAN ? read_u64(sapi_globals + s->php.sg_request_time) : 0;
	if (s->php.flags & FASTCGI)
		uri = sent_uri(&s->php, INFO(r, s->php.sg_server_context));
	if (!uri)
		uri = INFO(r, s->php.sg_request_uri);
	r->header.lengths[METHOD] = add_text(r, parts & 1 << METHOD ? INFO(r, s->php.sg_request_method) : 0);
	r->header.lengths[URI] = add_text(r, parts & 1 << URI ? uri : 0);
	r->header.lengths[SCRIPT] = add_text(r, parts & 1 << SCRIPT ? INFO(r, s->php.sg_path_translated) : 0);
	r->header.lengths[QUERY] = add_text(r, parts & 1 << QUERY ? INFO(r, s->php.sg_query_string) : 0);
	r->header.lengths[COOKIE] = add_text(r, parts & 1 << COOKIE ? INFO(r, s->php.sg_cookie_data) : 0);
	if (r->unreadable)
		return 0;
	r->header.id = identity(r);
	return r->header.id;
}

static __always_inline void read_memory(struct scratch *s, __u64 storage)
{
	__u64 heap, held[2];

	/* Of a thread, the variable says where in its storage the pointer lies. */
	heap = read_u64(globals_at(&s->php, s->php.heap, storage));
	/* Without an allocator of its own, PHP has no such chunk. */
	if (heap < CHUNK || read_u64(heap & ~(CHUNK - 1)) != heap ||
	    bpf_probe_read_user(held, sizeof(held), (void *)(heap + 16)))
		return;
	s->sample.used = held[0];
	s->sample.peak = held[1];
}

/* Adds what was asked for besides the stack. A request is told when it is another one than the thread's last. */
static __always_inline void add_circumstances(struct task *task, struct scratch *s, int *full)
{
	struct settings *set = settings();
	struct request *r;
	__u64 storage = 0;
	__u32 zero = 0, used;
	__u64 how;

	if (!set || !set->parts || !s->sample.depth)
		return;
	if (s->php.flags & THREADS)
		storage = thread_storage(&s->php);
	if ((set->parts & MEMORY) && s->php.heap)
		read_memory(s, storage);
	if (!(set->parts & ~(MEMORY | CALLS)) || !s->php.sapi_globals)
		return;
	r = bpf_map_lookup_elem(&REQUEST, &zero);
	if (!r)
		return;
	r->last = task->request;
	r->last_mark = task->request_mark;
	s->sample.request = read_request(globals_at(&s->php, s->php.sapi_globals, storage));
	if (!s->sample.request)
		return;
	if (s->sample.request == task->request) {
		task->request_mark = r->mark;
		return;
	}
	how = wake_up(0, 1);
	/* Read after the calls: of what the compiler puts aside meanwhile, older verifiers forget the bound. */
	used = *(volatile __u32 *)&r->used;
	if (used > sizeof(r->texts))
		return;
	if (bpf_ringbuf_output(&RING, &r->header, sizeof(r->header) + used, how)) {
		*full = 1;
		return;
	}
	task->request = s->sample.request;
	task->request_mark = r->mark;
}
