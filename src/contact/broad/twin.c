/* contact/broad/twin.c  The plain twin of the lists: every vertex against every triangle, every edge against every edge. */
#include "contact/sheets.h"

typedef struct sink {
  vvi_sheet_pair *out;
  int64_t n, room;
} sink;

static void add(sink *k, const vvi_sheet_motion *m, int32_t a, int32_t b, double skin)
{
  vvi_closest at;
  vvi_sheet_closest(m, a, b, false, &at);
  if (!(at.d < skin)) return;
  if (k->n < k->room) k->out[k->n] = (vvi_sheet_pair){.a = a, .b = b};
  k->n++;
}

static bool share(const int32_t *a, int na, const int32_t *b, int nb)
{
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++)
      if (a[i] == b[j]) return true;
  return false;
}

static void vertices_faces(sink *k, const vvi_sheet_motion *m, const vvi_sheet_body *a, const vvi_sheet_body *b,
                           double skin)
{
  const struct vvi_sheets *s = m->sheets;
  for (int32_t v = a->vertex0; v < a->vertex0 + a->vertices; v++)
    for (int32_t e = b->element0; e < b->element0 + b->elements; e++)
      if (s->element[3 * (int64_t)e + 2] >= 0 && !share(&v, 1, s->element + 3 * (int64_t)e, 3)) add(k, m, v, e, skin);
}

int64_t vvi_sheet_all_pairs(const vvi_sheet_motion *m, int32_t body_a, int32_t body_b, double skin, vvi_sheet_pair *out,
                            int64_t room)
{
  const struct vvi_sheets *s = m->sheets;
  const int32_t i = body_a, j = body_b;
  const vvi_sheet_body *a = &s->body[i], *b = &s->body[j];
  sink k = {.out = out, .room = room};
  if (b->obstacle != NULL) {
    for (int32_t v = a->vertex0; v < a->vertex0 + a->vertices; v++) add(&k, m, v, -1 - j, skin);
    return k.n;
  }
  vertices_faces(&k, m, a, b, skin);
  if (i != j) vertices_faces(&k, m, b, a, skin);
  for (int32_t e = 0; e < s->n_edge; e++)
    for (int32_t f = i == j ? e + 1 : 0; f < s->n_edge; f++) {
      const int32_t *x = s->edge + 2 * (int64_t)e, *y = s->edge + 2 * (int64_t)f;
      if (s->body_of[x[0]] == i && s->body_of[y[0]] == j && !share(x, 2, y, 2)) add(&k, m, -1 - e, f, skin);
    }
  return k.n;
}
