/* model/state.c  The moving state: one allocation, memcpy copies it, a hash names it. */
#include "model/model.h"

#include <string.h>

enum { BLOCK = 512 }; /* doubles: a page */

static size_t head_bytes(void)
{
  return (sizeof(vv_state) + 63) / 64 * 64;
}

static size_t reals_of(const vv_state *s)
{
  return (size_t)(s->nq + s->np + s->nh);
}

vv_status vvi_state_create(int64_t nq, int64_t np, int64_t nh, vv_state **out)
{
  *out = NULL;
  const size_t head = head_bytes();
  char *memory = vvi_zeros_alloc(head + (size_t)(nq + np + nh) * sizeof(double));
  if (memory == NULL) return VV_NOMEM;
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

void vvi_reals_copy(double *to, const double *from, size_t n)
{
  for (size_t i = 0; i < n; i += BLOCK) {
    const size_t bytes = (n - i < BLOCK ? n - i : BLOCK) * sizeof(double);
    if (memcmp(to + i, from + i, bytes) != 0) memcpy(to + i, from + i, bytes);
  }
}

vv_status vv_state_copy(vv_state *to, const vv_state *from)
{
  if (to->nq != from->nq || to->np != from->np || to->nh != from->nh) return VV_ARG;
  to->step = from->step;
  to->t = from->t;
  vvi_reals_copy(to->q, from->q, reals_of(from));
  return VV_OK;
}

vv_status vv_state_clone(const vv_state *state, vv_state **out)
{
  VV_TRY(vvi_state_create(state->nq, state->np, state->nh, out));
  return vv_state_copy(*out, state);
}

void vv_state_destroy(vv_state *state)
{
  if (state != NULL) vvi_zeros_free(state, head_bytes() + reals_of(state) * sizeof(double));
}

/* Of the hashes of its pages: each may be made by whoever has it. */
uint64_t vv_state_hash(const vv_state *s)
{
  const size_t n = reals_of(s);
  uint64_t h = VVI_HASH_SEED;
  h = vvi_hash(h, &s->step, sizeof s->step);
  h = vvi_hash(h, &s->t, sizeof s->t);
  for (size_t i = 0; i < n; i += BLOCK) {
    const size_t bytes = (n - i < BLOCK ? n - i : BLOCK) * sizeof(double);
    const uint64_t page = vvi_hash(VVI_HASH_SEED, s->q + i, bytes);
    h = vvi_hash(h, &page, sizeof page);
  }
  return h;
}
