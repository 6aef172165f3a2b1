/* visviva/net.h  tier: extend.  Ranks that share one run: a table of nine functions, so that nobody else knows how they talk.
 *
 * Every rank compiles the same scene and owns some of its tiles.  Rows of numbers are moved and never added on the way: sums
 * are made by their owners, in an order that the mesh decides.  All ranks call the same functions in the same order.
 * A state is kept up by the owners of its nodes alone; while observers look it is whole on rank 0.  What the tiles of others
 * need is given back by every rank when a run is made, so a model that is shared makes one run: vv_sim_create refuses a second one
 * (VV_ARG), on every rank. */
#pragma once
#include "visviva/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vv_star vv_star; /* who gets which rows of whom */
typedef struct vv_place {
  int32_t rank, row;
} vv_place;

typedef struct vv_net {
  int rank, ranks;
  int local;        /* this rank among those of its machine, from 0: which of its devices it takes */
  uint64_t shuffle; /* 0: a rank gets tiles that follow each other; else they are dealt out at random, from this seed */
  /* [ranks + 1], from 0 to 1: rank r gets the tiles between ends[r] and ends[r + 1] of all triangles; NULL: equal shares. */
  const double *ends;
  /* root_of_leaf[leaves]: where each row of a leaf array of this rank comes from; roots: rows of its own root array. */
  vv_status (*star)(const struct vv_net *n, int32_t roots, int32_t leaves, const vv_place *root_of_leaf, vv_star **out);
  /* Moves rows of `bytes` from root arrays to leaf arrays; between the two calls the root array is not written. */
  void (*begin)(vv_star *s, int bytes, const void *root, void *leaf);
  void (*end)(vv_star *s, int bytes, const void *root, void *leaf);
  void (*star_free)(vv_star *s);
  void (*sum)(const struct vv_net *n, int count, int64_t *x);  /* over all ranks: exact sums, counts, flags */
  void (*least)(const struct vv_net *n, int count, double *x); /* over all ranks; negate for the largest */
  /* Rows to everybody: data has rows[0] rows of rank 0, then rows[1] of rank 1, ...; this rank has filled in its own.  A row
   * has a multiple of 8 bytes. */
  void (*all)(const struct vv_net *n, const int64_t *rows, int bytes, void *data);
  /* Packages to other ranks: data[i] of bytes[i] goes to rank to[i].  *in[*got], in the order of the senders, and the two
   * lists belong to the net, and stay until its next deal: they grow where more comes than ever before.  Who gets a package may
   * write to it. */
  vv_status (*deal)(const struct vv_net *n, int packages, const int *to, const void *const *data, const int64_t *bytes,
                    int *got, void ***in, int64_t **in_bytes);
  /* Called after stretches of steps, by all ranks: is the work so uneven that the run shall end here, as if it were
   * interrupted, and go on with other ends?  NULL: never. */
  bool (*uneven)(const struct vv_net *n, int64_t step);
} vv_net;

/* One rank: the same functions without anybody to talk to. */
VV_API const vv_net *vv_net_alone(void);
/* Models of this context are shared over these ranks; it is borrowed.  Before the first vv_compile. */
VV_API void vv_ctx_share(vv_ctx *ctx, const vv_net *net);

#ifdef __cplusplus
}
#endif
