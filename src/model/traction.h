/* model/traction.h  Contact as a field: the impulse that contact gave each node since the last frame, over its part of the body
 * and the time.                                                                                             [contact 32] */
#pragma once
#include "model/model.h"

/* Two vectors in space axes: along the normals of contacts, and across them. */
enum { VVI_TRACTION_NORMAL, VVI_TRACTION_ACROSS, VVI_TRACTION_PARTS };
typedef double vvi_node_impulse[VVI_TRACTION_PARTS][3]; /* N s */

/* Where it stands in state.memory.  Nodes are those of all blocks whose kind has an extent, one block after the other. */
typedef struct vvi_traction {
  double *step, *time;       /* of the last frame that something was gathered behind */
  vvi_node_impulse *given;   /* [nodes] since then, less what was pending then */
  vvi_node_impulse *pending; /* [nodes] the half of what holds that momenta are shown with */
  int64_t nodes;
} vvi_traction;

bool vvi_traction_asked(const vv_model *m);
/* Kinds with an extent get the two fields. */
vv_status vvi_traction_offer(vv_model *m);
int64_t vvi_traction_reals(const vv_model *m);
/* Of this memory, m->traction being where it begins; false: nobody asked. */
bool vvi_traction_of(const vv_model *m, double *memory, vvi_traction *out);
int64_t vvi_traction_first(const vv_model *m, int block); /* of its nodes; -1: its kind has no extent */
/* A step begins: where a frame was just written, what is gathered begins anew. */
void vvi_traction_begin(const vv_model *m, const vvi_traction *t, int64_t step, double time);
/* One of the fields of a block; false: a field of its kind. */
bool vvi_traction_output(const vv_model *m, const vv_block *b, int field, const vv_state *x, double *out);
