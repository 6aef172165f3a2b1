/* contact/shapes/prism.c  A beam with corners as vertices and triangles: four lines of corners, two triangles for each of the
 * four faces between neighbouring nodes, two for each end.  Where it can break, every node between has an end of its own, with
 * vertices of its own: a face alone, that sleeps as long as the beam is whole there (gone.c).
 *
 *   x_k = place + Lambda (+-half_1, +-half_2, 0)                                                              [sheets 16]
 *
 * With edges that are rounded by r these vertices lie r inside, at the ends of the beam, too, and everything is met r away from
 * them: faces are where they were. */
#include "contact/shapes/facets.h"
#include "math/math.h"

enum { CORNERS = 4 };

static void add(vvi_sheet_part *part, int32_t *element, int32_t a, int32_t b, int32_t c)
{
  int32_t *e = element + 3 * part->elements++;
  e[0] = a, e[1] = b, e[2] = c;
}

/* Faces between node i and node j, whose corner k + shift goes on from corner k of i. */
static void add_faces(vvi_sheet_part *part, int32_t *element, int32_t i, int32_t j, int32_t shift)
{
  for (int32_t k = 0; k < CORNERS; k++) {
    const int32_t a = CORNERS * i + k, b = CORNERS * i + (k + 1) % CORNERS;
    const int32_t c = CORNERS * j + (k + 1 + shift) % CORNERS, d = CORNERS * j + (k + shift) % CORNERS;
    add(part, element, a, b, c);
    add(part, element, a, c, d);
  }
}

/* a: the first of its four vertices. */
static void add_end(vvi_sheet_part *part, int32_t *element, int32_t a)
{
  add(part, element, a, a + 1, a + 2);
  add(part, element, a, a + 2, a + 3);
}

/* A closed beam may come home turned by quarters. */
static int32_t turned(const double *first, const double *last)
{
  int32_t best = 0;
  double least = INFINITY;
  for (int32_t k = 0; k < CORNERS; k++) {
    const double d[3] = {first[3 * k] - last[0], first[3 * k + 1] - last[1], first[3 * k + 2] - last[2]};
    if (vvi_norm3(d) < least * (1.0 - 1e-9)) least = vvi_norm3(d), best = k;
  }
  return best;
}

vv_status vvi_sheet_prism(vvi_arena *arena, const vv_patch *p, bool breaks, const vv_mover *mover, vvi_sheet_part *part)
{
  static const double sign[CORNERS][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  const int32_t n = (int32_t)p->nodes, inner = p->closed ? 0 : 1, ends = breaks && n > 2 * inner ? n - 2 * inner : 0;
  double *x = VVI_ARENA_NEW(arena, double, 3 * CORNERS * (int64_t)(n + ends));
  double *arm = VVI_ARENA_NEW(arena, double, 3 * CORNERS * (int64_t)(n + ends));
  int32_t *on = VVI_ARENA_NEW(arena, int32_t, CORNERS * (int64_t)(n + ends));
  int32_t *element = VVI_ARENA_NEW(arena, int32_t, 3 * (2 * CORNERS * (int64_t)n + 4 + 2 * (int64_t)ends));
  if (x == NULL || arm == NULL || on == NULL || element == NULL) return VV_NOMEM;
  for (int32_t v = 0; v < CORNERS * (n + ends); v++) {
    on[v] = v < CORNERS * n ? v / CORNERS : v / CORNERS - n + inner;
    for (int c = 0; c < 2; c++) arm[3 * v + c] = sign[v % CORNERS][c] * (p->half[c] - p->radius);
    if (!p->closed && (on[v] == 0 || on[v] == n - 1)) arm[3 * v + 2] = on[v] == 0 ? p->radius : -p->radius;
    vvi_sheet_carried(mover[on[v]].place, mover[on[v]].turn, arm + 3 * v, x + 3 * v);
  }
  part->body.carrier = VVI_CARRY_FRAMES;
  part->body.turns = true;
  part->body.ring = p->closed;
  part->body.half = p->radius;
  part->body.movers = n;
  part->vertices = CORNERS * (n + ends);
  for (int32_t i = 0; i + 1 < n; i++) add_faces(part, element, i, i + 1, 0);
  if (p->closed)
    add_faces(part, element, n - 1, 0, turned(x, x + 3 * CORNERS * (n - 1)));
  else
    add_end(part, element, 0), add_end(part, element, CORNERS * (n - 1));
  for (int32_t i = 0; i < ends; i++) add_end(part, element, CORNERS * (n + i));
  part->element = element, part->x = x, part->arm = arm, part->mover = on;
  return VV_OK;
}
