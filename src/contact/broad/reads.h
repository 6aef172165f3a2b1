/* contact/broad/reads.h  Movers that are not here: somebody else moves them, another rank or an accelerator, and they come when a look at
 * a cluster or a pair reads them. */
#pragma once
#include "contact/sheets.h"

typedef struct vvi_sheet_reads {
  int32_t *owner;         /* [n_mover] who moves it; -1: it is here in any case */
  int32_t *first, *mover; /* [n_cluster + 1], movers with owners that a look at a cluster reads */
  int64_t *stamp, stamps; /* [n_mover] marks of lists that are made; the present one */
  int32_t *listed;        /* [n_mover] */
  unsigned char *absent;  /* [n_cluster] its movers were given back; NULL: all are there */
} vvi_sheet_reads;

/* Movers of a vertex and of those around it, told one by one, some more than once: whether a pair is a local minimum depends on them. */
typedef void vvi_sheet_mover_fn(void *user, int32_t mover);
void vvi_sheet_around(const struct vvi_sheets *s, int32_t vertex, vvi_sheet_mover_fn *fn, void *user);
/* Arrays; owners are the caller's to fill.  False: no memory. */
bool vvi_sheet_reads_create(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k);
/* first and mover, from the owners. */
vv_status vvi_sheet_reads_list(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k);
/* The movers of all clusters are given back, and listed again where they are needed: over ranks these are few. */
vv_status vvi_sheet_reads_drop(const struct vvi_sheets *s, vvi_arena *arena, vvi_sheet_reads *k);
void vvi_sheet_reads_need(const struct vvi_sheets *s, vvi_sheet_reads *k, int32_t cluster);
/* Movers with owners that looks at these pairs read, each once, in `listed`: how many. */
int32_t vvi_sheet_reads_pairs(const struct vvi_sheets *s, vvi_sheet_reads *k, int32_t n, const vvi_sheet_near *near);
