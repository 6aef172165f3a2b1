/* contact/shapes/fold.c  Beams that do not meet themselves, because no line of the scene asks for it: has one folded into itself?
 *
 * A curve that turns by no more than k < pi between two of its points, s apart along it, keeps them s cos(k/2) apart or more
 * (Schur's theorem); segments that could meet are 2 pi r + 2 l apart or more [contact 10].  So what turns by less than TURN in
 * all, where cos(TURN/2) (2 pi r) > 2 r, is nowhere inside of itself, and most beams are judged by that alone.    [contact 33] */
#include "contact/shapes/fold.h"
#include "contact/narrow/closest.h"
#include "math/math.h"

#include <string.h>

static const double TURN = 2.0;

/* Of a curve that may pass through itself unseen; 0: it may not, or is asked to. */
static double radius_of(const vv_model *m, const vv_block *b, const vv_patch *p)
{
  if (p->type != VV_PATCH_CURVE || p->node < 0 || b->breaks || b->kind->movers == NULL) return 0.0;
  const vvi_rule *r = vvi_rules_find(m->rules, p->body, p->body);
  if (!vvi_rule_acts(r) || r->self || r->never_self) return 0.0;
  return p->corners == 4 ? fmin(p->half[0], p->half[1]) : p->radius;
}

bool vvi_folds_can(const vv_model *m)
{
  bool any = false;
  for (int32_t i = 0; m->rules != NULL && i < m->n_patch && !any; i++) {
    const vv_patch *p = vvi_model_patch(m, i);
    any = radius_of(m, &m->block[m->body[p->body].block], p) > 0.0;
  }
  return any;
}

/* An angle is no more than pi/2 times the distance of two unit vectors that enclose it. */
static bool turns_enough(const vv_patch *p, const vv_mover *node)
{
  double last[3] = {0}, sum = 0.0;
  for (int64_t i = 0; i < p->nodes - !p->closed && sum <= TURN; i++) {
    const double *x = node[i].place, *y = node[(i + 1) % p->nodes].place, l = vvi_apart3(x, y);
    double now[3];
    for (int c = 0; c < 3; c++) now[c] = (y[c] - x[c]) / l;
    if (i > 0) sum += 0.5 * VV_PI * vvi_apart3(now, last);
    memcpy(last, now, sizeof last);
  }
  return sum > TURN;
}

static double between(const vv_patch *p, const vv_mover *node, int64_t i, int64_t k)
{
  double x[4][3];
  vvi_closest at;
  memcpy(x[0], node[i].place, sizeof x[0]), memcpy(x[1], node[(i + 1) % p->nodes].place, sizeof x[0]);
  memcpy(x[2], node[k].place, sizeof x[0]), memcpy(x[3], node[(k + 1) % p->nodes].place, sizeof x[0]);
  vvi_closest_at(VVI_EDGE_EDGE, (const double(*)[3])x, &at);
  return at.d;
}

/* m: the least distance of two segments that could meet, or some length above `wanted`.  Neighbours of a segment that is d
 * away are d - l away at the least: the walk along the curve goes in such strides. */
static double least_distance(const vv_patch *p, const vv_mover *node, double radius, double wanted)
{
  const int64_t n = p->nodes - !p->closed;
  double longest = 0.0, sum = 0.0, least = INFINITY;
  for (int64_t i = 0; i < n; i++) {
    const double l = vvi_apart3(node[i].place, node[(i + 1) % p->nodes].place);
    longest = fmax(longest, l), sum += l;
  }
  const int64_t apart = vvi_rules_apart(radius, sum / (double)n);
  for (int64_t i = 0; i < n; i++) {
    const int64_t end = p->closed && i + n - apart < n ? i + n - apart + 1 : n;
    for (int64_t k = i + apart; k < end;) {
      const double d = between(p, node, i, k), spare = fmin((d - wanted) / longest, (double)n);
      least = fmin(least, d);
      k += spare > 1.0 ? (int64_t)spare : 1;
    }
  }
  return least;
}

bool vvi_folds_look(const vv_model *m, const double *q, const double *p, vv_mover *mover, vv_overlap *deepest,
                    int32_t *who)
{
  const double old = deepest->depth;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    bool known = false;
    for (int32_t k = 0; k < b->patches; k++) {
      const vv_patch *t = &b->patch[k];
      const double radius = radius_of(m, b, t);
      if (!(radius > 0.0)) continue;
      if (!known) b->kind->movers(b, q + b->q0, p + b->p0, mover);
      known = true;
      if (!turns_enough(t, mover + t->node)) continue;
      const double before = deepest->depth, d = least_distance(t, mover + t->node, radius, 2.0 * radius);
      vvi_overlap_take(deepest, 2.0 * radius - d, 2.0 * radius);
      if (deepest->depth != before) *who = t->body;
    }
  }
  return deepest->depth != old;
}
