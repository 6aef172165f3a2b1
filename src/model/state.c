/* model/state.c  The moving state: one allocation, memcpy copies it, a hash names it. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

vv_status vvi_state_create(int64_t nq, int64_t np, int64_t nh, vv_state **out)
{
  *out = NULL;
  const size_t head = (sizeof(vv_state) + 63) / 64 * 64;
  const size_t bytes = head + (size_t)(nq + np + nh) * sizeof(double);
  char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == NULL) return VV_NOMEM;
  memset(memory, 0, bytes);
  vv_state *s = (vv_state *)(void *)memory;
  s->nq = nq;
  s->np = np;
  s->nh = nh;
  s->q = (double *)(void *)(memory + head);
  s->p = s->q + nq;
  s->memory = s->p + np;
  *out = s;
  return VV_OK;
}

vv_status vv_state_copy(vv_state *to, const vv_state *from)
{
  if (to->nq != from->nq || to->np != from->np || to->nh != from->nh) return VV_ARG;
  to->step = from->step;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)(from->nq + from->np + from->nh) * sizeof(double));
  return VV_OK;
}

vv_status vv_state_clone(const vv_state *state, vv_state **out)
{
  VV_TRY(vvi_state_create(state->nq, state->np, state->nh, out));
  return vv_state_copy(*out, state);
}

void vv_state_destroy(vv_state *state)
{
  free(state);
}

uint64_t vv_state_hash(const vv_state *s)
{
  uint64_t h = VVI_HASH_SEED;
  h = vvi_hash(h, &s->step, sizeof s->step);
  h = vvi_hash(h, &s->t, sizeof s->t);
  return vvi_hash(h, s->q, (size_t)(s->nq + s->np + s->nh) * sizeof(double));
}
