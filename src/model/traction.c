/* model/traction.c  See traction.h.
 *
 * Contact acts by impulses: what it gave node i between two frames, t_a and t_b, is known exactly, and                [contact 32]
 *
 *   traction_i = J_i / (A_i (t_b - t_a)),   A_i = int N_i dA over the body where nothing is stressed,
 *
 * is its mean over that time and over the part of the body that belongs to the node: the area (shells) or length (beams) that its
 * mass stands for.  A pressure that is the same everywhere gives J_i = A_i p (t_b - t_a), so that it is found again at every node;
 * the sum of traction, extent and time over the nodes is the impulse in the books.
 *
 * J_i is that of the momenta that are shown [contact 27]: contacts that hold have given half of their next impulse already. */
#include "model/traction.h"

#include "model/rhythm.h"

#include <string.h>

enum { HEAD = 2, FIELDS = VVI_TRACTION_PARTS };

bool vvi_traction_asked(const vv_model *m)
{
  return vv_boolean(vv_sub(m->root, "record"), "traction");
}

static bool has_extent(const vv_block *b)
{
  return b->nodes > 0 && b->kind->extent != NULL;
}

/* ---- fields ---- */

static vv_status extend(vv_model *m, vv_block *b)
{
  const vv_body_kind *old = b->kind;
  const int n = old->n_output;
  vv_body_kind *kind = VVI_ARENA_NEW(&m->arena, vv_body_kind, 1);
  vv_output_field *field = VVI_ARENA_NEW(&m->arena, vv_output_field, n + FIELDS);
  if (kind == NULL || field == NULL) return VV_NOMEM;
  memcpy(field, old->output_field, sizeof *field * (size_t)n);
  field[n + VVI_TRACTION_NORMAL] = (vv_output_field){"contact_normal", old->traction_unit, 3, false};
  field[n + VVI_TRACTION_ACROSS] = (vv_output_field){"contact_tangential", old->traction_unit, 3, false};
  memcpy(kind, old, sizeof *kind);
  kind->n_output = n + FIELDS, kind->output_field = field;
  for (int i = 0; i < m->n_body; i++)
    if (m->body[i].kind == old) m->body[i].kind = kind;
  b->kind = kind;
  return VV_OK;
}

vv_status vvi_traction_offer(vv_model *m)
{
  bool any = false;
  for (int i = 0; i < m->n_block; i++) {
    if (!has_extent(&m->block[i])) continue;
    VV_TRY(extend(m, &m->block[i]));
    any = true;
  }
  if (any) return VV_OK;
  return vv_complain(vv_sub(m->root, "record"), "traction",
                     "is a field of shells and beams, and there are none; contacts.csv has the forces of all bodies");
}

/* ---- memory ---- */

static int64_t nodes_of(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; i < m->n_block; i++) n += has_extent(&m->block[i]) ? m->block[i].nodes : 0;
  return n;
}

int64_t vvi_traction_reals(const vv_model *m)
{
  const int64_t each = sizeof(vvi_node_impulse) / sizeof(double);
  return HEAD + 2 * each * nodes_of(m);
}

bool vvi_traction_of(const vv_model *m, double *memory, vvi_traction *out)
{
  *out = (vvi_traction){0};
  if (m->traction == 0) return false;
  double *first = memory + m->traction;
  out->nodes = nodes_of(m);
  out->step = first, out->time = first + 1;
  out->given = (vvi_node_impulse *)(first + HEAD), out->pending = out->given + out->nodes;
  return true;
}

int64_t vvi_traction_first(const vv_model *m, int block)
{
  int64_t n = 0;
  if (!has_extent(&m->block[block])) return -1;
  for (int i = 0; i < block; i++) n += has_extent(&m->block[i]) ? m->block[i].nodes : 0;
  return n;
}

void vvi_traction_begin(const vv_model *m, const vvi_traction *t, int64_t step, double time)
{
  if (!vvi_rhythm_due(step, vvi_rhythm_every(m, "every", VVI_FRAMES))) return;
  *t->step = (double)step, *t->time = time;
  for (int64_t i = 0; i < t->nodes; i++)
    for (int k = 0; k < VVI_TRACTION_PARTS; k++)
      for (int c = 0; c < 3; c++) t->given[i][k][c] = -t->pending[i][k][c];
}

/* ---- output ---- */

/* Extents are written to the front of `out`, and every node's row takes the place of those behind its own. */
bool vvi_traction_output(const vv_model *m, const vv_block *b, int field, const vv_state *x, double *out)
{
  const int part = field - (b->kind->n_output - FIELDS);
  vvi_traction t;
  if (m->traction == 0 || !has_extent(b) || part < 0) return false;
  vvi_traction_of(m, x->memory, &t);
  const bool begun = *t.step == (double)vvi_rhythm_last(x->step, vvi_rhythm_every(m, "every", VVI_FRAMES));
  const double time = x->t - *t.time;
  const int64_t first = vvi_traction_first(m, (int)(b - m->block));
  b->kind->extent(b, out);
  for (int64_t i = b->nodes - 1; i >= 0; i--) {
    const double over = out[i] * time;
    for (int c = 2; c >= 0; c--) {
      const double j = t.given[first + i][part][c] + t.pending[first + i][part][c];
      out[3 * i + c] = begun && over > 0.0 ? j / over : 0.0;
    }
  }
  return true;
}
