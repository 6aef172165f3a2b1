/* body/rigid/implicit.c  Masses and inertias of rigid bodies, for energy-momentum steps. */
#include "body/rigid/rigid.h"

static void frames(const vv_block *b, vv_frame *out)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    out[i] = (vv_frame){.mass = rigid_node(b, RIGID_MASS)[i], .held = !(rigid_node(b, RIGID_INVERSE_MASS)[i] > 0.0)};
    for (int c = 0; c < 3; c++) out[i].inertia[c] = rigid_node(b, RIGID_INERTIA + c)[i];
  }
}

const vv_implicit_table rigid_implicit = {.frames = frames};
