/* io/results/paraview.h  run.pvd and one .vtu per frame and body kind: raw appended binary, read by ParaView 5.11. */
#pragma once
#include "model/model.h"

/* One block of the model: everything that does not change between frames is prepared once. */
typedef struct vvi_vtu {
  const vv_block *block;
  char *head;         /* XML before the data; offsets never change */
  char *path, *tmp;   /* of the frame being written; rewritten in place */
  char *file;         /* its name without the folder, points into path */
  size_t path_bytes;  /* room in path */
  void *stream;       /* FILE, while a frame is being written */
  int32_t *body;      /* [nodes] index of the body, point data */
  int64_t *connect;   /* [cells][cell_nodes] */
  int64_t *cell_end;  /* [cells] */
  uint8_t *cell_type; /* [cells] */
  int64_t cells;
  int cell_nodes;
} vvi_vtu;

typedef struct vvi_pvd {
  vv_ctx *ctx;
  const char *path;
  char *entry; /* scratch for the text of one frame */
  size_t entry_bytes;
  int fd;        /* -1: closed */
  int64_t bytes; /* up to the tail */
} vvi_pvd;

vv_status vvi_vtu_prepare(const vv_model *model, const vv_block *block, const char *folder, vvi_arena *arena,
                          vvi_vtu *out);
/* A frame: begin, put every output field in the order of the kind's table, end. */
vv_status vvi_vtu_begin(vvi_vtu *v, vv_ctx *ctx, int64_t frame);
vv_status vvi_vtu_put(vvi_vtu *v, vv_ctx *ctx, const double *value, int64_t count);
vv_status vvi_vtu_end(vvi_vtu *v, vv_ctx *ctx);
void vvi_vtu_abandon(vvi_vtu *v); /* after a failure: closes and removes the tmp file */

/* bytes > 0: keeps that much of an existing file; 0: a new file. */
vv_status vvi_pvd_open(vv_ctx *ctx, const char *path, int64_t bytes, int n_vtu, vvi_arena *arena, vvi_pvd *out);
vv_status vvi_pvd_add(vvi_pvd *p, double time, int n, const vvi_vtu *vtu);
vv_status vvi_pvd_close(vvi_pvd *p);
