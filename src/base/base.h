/* base/base.h  Context, messages, memory arena, hash, clock, asserts: what every other room uses. */
#pragma once
#include "visviva/base.h"

#include <locale.h>
#include <stdio.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#ifdef NDEBUG
#define VV_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#include <assert.h>
#define VV_ASSERT(condition) assert(condition)
#endif

#define VV_TRY(call)                      \
  do {                                    \
    vv_status vv_try_ = (call);           \
    if (vv_try_ != VV_OK) return vv_try_; \
  } while (0)

#define VV_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- messages ---- */

/* Records a one-line message in the context and returns `status`.  At most 100 are kept; then "... and more". */
vv_status vvi_fail(vv_ctx *ctx, vv_status status, const char *format, ...) VV_PRINTF(3, 4);
const struct vv_catalog *vvi_ctx_catalog(const vv_ctx *ctx);
const struct vv_net *vvi_ctx_net(const vv_ctx *ctx); /* NULL: one rank */
bool vvi_ctx_open_team(const vv_ctx *ctx);           /* the number of threads was left open */

/* ---- zeros ---- */

/* Zeroed memory, aligned to 64 bytes; NULL when out of memory.  Of large pieces only what is written to is taken, so that
 * rooms may be ample. */
void *vvi_zeros_alloc(size_t bytes);
void vvi_zeros_free(void *memory, size_t bytes); /* as many as were asked for */
/* Nobody will read this part of an arena, or of zeros, before it is written to again: its pages go back to the system.  Builds
 * with asserts fill it with what is neither a number nor an index. */
void vvi_forget(void *memory, size_t bytes);

/* ---- arena: many small allocations with one lifetime ---- */

/* Grows by chunks; addresses never move; memory is zeroed and aligned to 64 bytes, and large pieces are as zeros are. */
typedef struct vvi_arena {
  struct vvi_chunk *chunk; /* newest first */
  size_t total;            /* bytes handed out */
  bool sparse;             /* much of it may never be written to: small pages */
  bool dense;              /* all of it will be written to, and soon: single large pieces take huge pages, too */
} vvi_arena;

void *vvi_arena_alloc(vvi_arena *a, size_t bytes); /* NULL when out of memory */
/* An array that had room for `had` items gets some for `room` of them, the first `kept` stay, and what it was is given back.  NULL, and all
 * is as it was: out of memory. */
void *vvi_arena_grow(vvi_arena *a, void *array, size_t item, int64_t had, int64_t kept, int64_t room);
/* What is in `more` goes over to the arena, and `more` is empty. */
void vvi_arena_join(vvi_arena *a, vvi_arena *more);
char *vvi_arena_text(vvi_arena *a, const char *text);
void vvi_arena_free(vvi_arena *a);
#define VVI_ARENA_NEW(arena, type, n) ((type *)vvi_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* ---- large arrays in a file ---- */

/* What a model is made of, written once and mapped by whoever runs it: nobody makes the whole again, and a rank holds what it
 * touches.  (io/prepared.h) */
typedef struct vvi_prepared {
  bool reads; /* else it is being written */
  vv_status (*put)(struct vvi_prepared *f, const char *name, const void *data, int64_t bytes);
  void *(*get)(struct vvi_prepared *f, const char *name,
               int64_t bytes); /* NULL: it does not have that many under this name */
  void (*close)(struct vvi_prepared *f);
  const char *path;
} vvi_prepared;

/* The context closes it when it ends, or gets another one; NULL: none. */
void vvi_ctx_prepare(vv_ctx *ctx, vvi_prepared *f);
vvi_prepared *vvi_ctx_prepared(const vv_ctx *ctx);
bool vvi_is_prepared(const vv_ctx *ctx); /* arrays come from a file */
/* An array of n items goes to the file, or comes from it: *array (a pointer to a pointer) is then a part of the file, and what is
 * written there stays here.  Nothing happens where there is no file. */
vv_status vvi_keep(vv_ctx *ctx, void *array, size_t item, int64_t n, const char *format, ...) VV_PRINTF(5, 6);
/* The same for a value, which is copied. */
vv_status vvi_keep_value(vv_ctx *ctx, void *value, size_t bytes, const char *format, ...) VV_PRINTF(4, 5);

/* ---- hash, clock ---- */

uint64_t vvi_hash(uint64_t seed, const void *data, size_t bytes); /* FNV-1a, 64 bit */
#define VVI_HASH_SEED 0xcbf29ce484222325u
double vvi_clock(void);  /* monotonic seconds */
double vvi_memory(void); /* bytes of this machine; infinite where it does not say */

/* ---- files that are read ---- */

/* Opens a plain file for reading.  NULL with errno: it cannot be opened, or it is none (a pipe, which might never answer, a
 * folder, a device: EINVAL). */
FILE *vvi_open_plain(const char *path);

/* ---- text ---- */

/* Edit distance (insertions, deletions, substitutions, swaps), for "did you mean". */
int vvi_text_distance(const char *a, const char *b);

/* Numbers are read and written with a point whatever the caller's locale is; only this thread is affected. */
typedef struct vvi_locale {
  locale_t c, old;
} vvi_locale;
vvi_locale vvi_locale_enter(void);
void vvi_locale_leave(vvi_locale *locale);
