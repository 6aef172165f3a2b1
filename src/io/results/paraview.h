/* io/results/paraview.h  run.pvd and one .vtu per frame and body kind: raw appended binary, read by ParaView 5.11. */
#pragma once
#include "model/model.h"

/* A block whose kind has a skin: every node carries the triangles of its body, placed by the fields `position` and
 * `orientation`; the velocity of the node goes with them.  Kept until the end of a frame. */
typedef struct vvi_skinned {
  int64_t points, triangles;
  int field[3];    /* position, orientation, velocity; -1: the kind has none */
  double *node[3]; /* [nodes][3], [nodes][4], [nodes][3] */
} vvi_skinned;

/* One block of the model: everything that does not change between frames is prepared once. */
typedef struct vvi_vtu {
  const vv_block *block;
  vvi_skinned *skin;  /* NULL: nodes and elements are drawn */
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
vv_status vvi_vtu_put(vvi_vtu *v, vv_ctx *ctx, int field, const double *value);
vv_status vvi_vtu_end(vvi_vtu *v, vv_ctx *ctx);
void vvi_vtu_abandon(vvi_vtu *v); /* after a failure: closes and removes the tmp file */

enum { VVI_SPOT = 9 };
/* Points with a force each: `contact_000123.vtu`.  spot: [n][VVI_SPOT] place, force, pair, body_a, body_b. */
vv_status vvi_spots_prepare(vv_ctx *ctx, const char *folder, vvi_arena *arena, vvi_vtu *out);
vv_status vvi_spots_write(vvi_vtu *v, vv_ctx *ctx, int64_t frame, int64_t n, const double *spot);

/* ---- what paraview.c and skin.c share ---- */

/* The XML head: arrays and their offsets. */
typedef struct vvi_vtu_head {
  char *text;
  size_t used, room;
  uint64_t offset; /* of the next array in the appended data */
} vvi_vtu_head;
void vvi_vtu_say(vvi_vtu_head *h, const char *format, ...) VV_PRINTF(2, 3);
void vvi_vtu_say_start(vvi_vtu_head *h, int64_t points, int64_t cells);
void vvi_vtu_say_array(vvi_vtu_head *h, const char *type, const char *name, int components, uint64_t bytes);
void vvi_vtu_say_end(vvi_vtu_head *h);
vv_status vvi_vtu_bytes(vvi_vtu *v, vv_ctx *ctx, const void *data, size_t bytes);

/* skin.c: true where the skins of the block can be drawn. */
bool vvi_skin_has(const vv_block *b);
vv_status vvi_skin_prepare(const vv_block *b, vvi_arena *arena, vvi_skinned *s);
void vvi_skin_head(vvi_vtu_head *h, const vvi_skinned *s);
void vvi_skin_put(const vv_block *b, vvi_skinned *s, int field, const double *value);
vv_status vvi_skin_write(vvi_vtu *v, vv_ctx *ctx);

/* bytes > 0: keeps that much of an existing file; 0: a new file. */
vv_status vvi_pvd_open(vv_ctx *ctx, const char *path, int64_t bytes, int n_vtu, vvi_arena *arena, vvi_pvd *out);
vv_status vvi_pvd_add(vvi_pvd *p, double time, int n, const vvi_vtu *vtu);
vv_status vvi_pvd_close(vvi_pvd *p);
