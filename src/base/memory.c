/* base/memory.c  Zeroed memory, arena, hash, clock, distance of two words, locale. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ALIGN = 64, HUGE = 1 << 21 };

/* ---- zeros ---- */

/* From here on the system is asked for pages of its own: they are zero, and are taken when they are first written to. */
enum { PAGES_FROM = 1 << 20 };

void *vvi_zeros_alloc(size_t bytes)
{
  if (bytes > SIZE_MAX / 2) return NULL;
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (bytes >= PAGES_FROM) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
  }
  void *memory = aligned_alloc(ALIGN, bytes);
  return memory == NULL ? NULL : memset(memory, 0, bytes);
}

void vvi_zeros_free(void *memory, size_t bytes)
{
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (memory == NULL) return;
  if (bytes >= PAGES_FROM)
    (void)munmap(memory, bytes);
  else
    free(memory);
}

/* In builds with asserts small parts are poisoned instead, up to the last byte: neither a number nor an index. */
void vvi_forget(void *memory, size_t bytes)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)memory + page - 1) / page * page;
  const uintptr_t to = ((uintptr_t)memory + bytes) / page * page;
#ifndef NDEBUG
  enum { POISONED = 1 << 18 };
  if (bytes < POISONED) {
    memset(memory, 0xff, bytes);
    return;
  }
#endif
  if (from < to) (void)madvise((char *)memory + (from - (uintptr_t)memory), to - from, MADV_DONTNEED);
}

/* ---- arena ---- */

/* The header of a chunk lies in front of its data.  Chunks grow with the arena, so that a large arena has large ones. */
enum { CHUNK_BYTES = 1 << 16, MOST_CHUNK_BYTES = 1 << 26 };

struct vvi_chunk {
  struct vvi_chunk *next;
  size_t used, size; /* bytes of data, after the header */
  bool alone;        /* made for one large piece */
};

/* data starts at the first aligned byte after the header */
enum { HEADER = (sizeof(struct vvi_chunk) + ALIGN - 1) / ALIGN * ALIGN };

/* Room for many pieces.  From 4 MiB on the system is asked for huge pages: what it makes of it changes nothing but the time.
 * A single large array is left as it is: the bar, which has nothing else, gained nothing; so is memory of which much may
 * never be written to. */
static void *chunk_memory(size_t bytes, bool small)
{
  void *memory = vvi_zeros_alloc(bytes);
#ifdef MADV_HUGEPAGE
  if (memory != NULL && !small && bytes >= 2 * (size_t)HUGE) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void *vvi_arena_alloc(vvi_arena *a, size_t bytes)
{
  if (bytes > SIZE_MAX / 2) return NULL;
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (bytes == 0) bytes = ALIGN;
  struct vvi_chunk *c = a->chunk;
  if (c == NULL || c->size - c->used < bytes) {
    size_t size = a->total < CHUNK_BYTES ? CHUNK_BYTES : a->total < MOST_CHUNK_BYTES ? a->total : MOST_CHUNK_BYTES;
    const bool alone = size < HEADER + bytes;
    if (alone) size = HEADER + bytes;
    c = chunk_memory(size, a->sparse || (alone && !a->dense));
    if (c == NULL) return NULL;
    *c = (struct vvi_chunk){.next = a->chunk, .size = size - HEADER, .alone = alone};
    a->chunk = c;
  }
  char *data = (char *)c + HEADER + c->used;
  c->used += bytes;
  a->total += bytes;
  return data;
}

/* A piece with a chunk of its own goes back to the system, of others their pages. */
static void give_back(vvi_arena *a, void *piece, size_t bytes)
{
  for (struct vvi_chunk **at = &a->chunk; *at != NULL; at = &(*at)->next) {
    struct vvi_chunk *c = *at;
    if (!c->alone || (char *)c + HEADER != (char *)piece) continue;
    *at = c->next;
    a->total -= c->size;
    vvi_zeros_free(c, HEADER + c->size);
    return;
  }
  vvi_forget(piece, bytes);
}

void *vvi_arena_grow(vvi_arena *a, void *array, size_t item, int64_t had, int64_t kept, int64_t room)
{
  void *more = vvi_arena_alloc(a, item * (size_t)room);
  if (more == NULL || array == NULL) return more;
  if (kept > 0) memcpy(more, array, item * (size_t)kept);
  give_back(a, array, item * (size_t)had);
  return more;
}

/* Behind the chunk that has room. */
void vvi_arena_join(vvi_arena *a, vvi_arena *more)
{
  struct vvi_chunk **at = a->chunk != NULL ? &a->chunk->next : &a->chunk, *rest = *at;
  *at = more->chunk;
  while (*at != NULL) at = &(*at)->next;
  *at = rest;
  a->total += more->total;
  *more = (vvi_arena){.sparse = more->sparse, .dense = more->dense};
}

char *vvi_arena_text(vvi_arena *a, const char *text)
{
  const size_t n = strlen(text) + 1;
  char *copy = vvi_arena_alloc(a, n);
  if (copy != NULL) memcpy(copy, text, n);
  return copy;
}

void vvi_arena_free(vvi_arena *a)
{
  for (struct vvi_chunk *c = a->chunk, *next; c != NULL; c = next) {
    next = c->next;
    vvi_zeros_free(c, HEADER + c->size);
  }
  *a = (vvi_arena){.sparse = a->sparse, .dense = a->dense};
}

uint64_t vvi_hash(uint64_t seed, const void *data, size_t bytes)
{
  const unsigned char *c = data;
  uint64_t h = seed;
  for (size_t i = 0; i < bytes; i++) h = (h ^ c[i]) * 0x100000001b3u;
  return h;
}

double vvi_memory(void)
{
  const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return bytes > 0.0 ? bytes : HUGE_VAL;
}

double vvi_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Optimal string alignment distance, texts cut at 63 characters. */
int vvi_text_distance(const char *a, const char *b)
{
  enum { MAX = 64 };
  int d[3][MAX];
  int na = (int)strnlen(a, MAX - 1), nb = (int)strnlen(b, MAX - 1);
  for (int j = 0; j <= nb; j++) d[1][j] = j, d[0][j] = j, d[2][j] = j;
  for (int i = 1; i <= na; i++) {
    int *two = d[(i + 1) % 3], *one = d[(i + 2) % 3], *now = d[i % 3];
    if (i == 1)
      for (int j = 0; j <= nb; j++) one[j] = j;
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = one[j - 1] + (a[i - 1] != b[j - 1]);
      if (one[j] + 1 < best) best = one[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < best)
        best = two[j - 2] + 1;
      now[j] = best;
    }
  }
  return na == 0 ? nb : d[na % 3][nb];
}

int vv_text_slips(const char *wrong, const char *known)
{
  const int n = (int)strnlen(wrong, 100), likely = n < 3 ? 1 : n < 8 ? 2 : 3;
  const int slips = vvi_text_distance(wrong, known);
  return slips <= likely && (slips < n || slips == 0) ? slips : -1;
}

vvi_locale vvi_locale_enter(void)
{
  vvi_locale l = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (l.c != (locale_t)0) l.old = uselocale(l.c);
  return l;
}

void vvi_locale_leave(vvi_locale *l)
{
  if (l->c == (locale_t)0) return;
  uselocale(l->old);
  freelocale(l->c);
}
