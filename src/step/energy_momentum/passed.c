/* step/energy_momentum/passed.c  What met on the way through a step, though it is apart again at the end.
 *
 * Contacts are looked for where a step leads.  On the way there, at a part s of it, a pair has the gap g(s), and no two points of its
 * surfaces come closer by more than L in the whole of it (|dx_a - dx_b|, and what both turn by): |g(s) - g(r)| <= L |s - r|, so that
 *   g >= (g(s) + g(r) - L |s - r|)/2   between s and r.                                                             [em 23]
 * Most pairs are done with by g(1) > L, or L too small to matter; near ones by g(0) + g(1) > L; what is left is halved and measured
 * until the bound or a place deep enough decides.  Deep enough, below what both ends show, is
 *   b = (width_a + width_b)/4                                                                                       [em 24]
 * of two that push each other, or may do so once the contacts of the end are answered: two bodies whose middles meet overlap by
 * (width_a + width_b)/2 or more, and before that by less than half of it nothing has changed sides.  Of others, those with a contact
 * that does not push among them, b is no more than the overlap that the claim `penetration` allows.  The end of a step may not be
 * deeper than b below its start either: there the nearest way out may be another one, along which they part already.
 *
 * A piece in which something is that deep is halved: one with L <= 2 b never is. */
#include "step/energy_momentum/frames.h"

#include <math.h>

enum { SAMPLES = 256 }; /* of one pair: what they do not decide shorter pieces do */

/* ---- how thin ---- */

vv_status vvi_em_widths(vvi_em_rigid *w)
{
  const struct vvi_solids *s = w->solids;
  if (s == NULL) return VV_OK;
  if ((w->width = VVI_ARENA_NEW(w->arena, double, 2 * (int64_t)s->n + 2)) == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n; i++) {
    const vvi_object *o = &s->object[i];
    double *width = w->width + 2 * (int64_t)i;
    const bool copy = i > 0 && o->solid != NULL && o->solid == s->object[i - 1].solid;
    width[0] = copy ? width[-2] : o->soft ? 2.0 * o->reach : vvi_solid_width(o->solid);
    width[1] = copy ? width[-1] : o->soft || o->solid->outside == NULL ? INFINITY : vvi_solid_width(o->solid->outside);
  }
  return VV_OK;
}

static double width_of(const vvi_em_rigid *w, int32_t object, int32_t other)
{
  const vvi_object *o = &w->solids->object[object];
  const bool out = !o->soft && vvi_solids_seen(w->solids, object, other) != o->solid;
  return w->width[2 * (int64_t)object + out];
}

/* ---- a path ---- */

/* A pair on its way. */
typedef struct path {
  const vvi_em_rigid *w;
  const vvi_candidate *pair;   /* of shapes, or */
  const vvi_sheet_near *sheet; /* of features of surfaces */
  double most;                 /* L */
  double deep, least;          /* g that is deep enough; and what the bound of [em 23] must stay above */
  int left;                    /* samples */
} path;

static double gap_at(const path *p, double when)
{
  const vvi_em_rigid *w = p->w;
  vvi_spot spot[VVI_EM_SPOTS];
  vvi_em_shape a, b;
  double gap;
  if (p->sheet != NULL) {
    const vvi_sheet_list *l = &w->search->list[p->sheet->couple];
    vvi_em_feature f;
    return vvi_em_sheet_feature(w, p->sheet->a, p->sheet->b, l->rule, l->offset, when, &f);
  }
  vvi_em_shape_of(w, p->pair->a, p->pair->b, when, &a);
  vvi_em_shape_of(w, p->pair->b, p->pair->a, when, &b);
  vvi_solids_touch(a.solid, &a.pose, b.solid, &b.pose, p->most, VVI_EM_SPOTS, spot, &gap);
  return gap;
}

static bool is_deep(path *p, double from, double gap0, double to, double gap1)
{
  if (0.5 * (gap0 + gap1 - p->most * (to - from)) >= p->least) return false;
  if (p->left-- == 0) return true;
  const double mid = 0.5 * (from + to), gap = gap_at(p, mid);
  return gap < p->deep || is_deep(p, from, gap0, mid, gap) || is_deep(p, mid, gap, to, gap1);
}

static void look_back(vvi_em_rigid *w, path *p, double gap0, double gap1, double bound, double dt, int32_t a, int32_t b)
{
  const double base = fmin(0.0, fmin(gap0, gap1));
  p->deep = base - 0.5 * bound, p->least = base - bound, p->left = SAMPLES;
  const bool sunk = fmin(0.0, gap0) - gap1 > bound;
  if (!sunk && !is_deep(p, 0.0, gap0, 1.0, gap1)) return;
  const double time = 2.0 * bound / p->most * fabs(dt);
  if (w->passed.seen && w->passed.time <= time) return;
  w->passed = (vvi_em_passed){.seen = true, .body = {a, b}, .time = time};
}

/* ---- shapes ---- */

/* Displacement of the middle of an object, and how far from that one of its points may be displaced. */
static double displacement(const vvi_em_rigid *w, int32_t object, double d[3])
{
  const vvi_object *o = &w->solids->object[object];
  const vvi_em_frame *f = &w->frame[w->frame_of[object]];
  for (int k = 0; k < 3; k++) d[k] = 0.0;
  if (w->n_soft > 0 && w->soft_of[object] > 0) {
    double u[2][3], half[3];
    vvi_em_segment_motion(w, object, u);
    for (int k = 0; k < 3; k++) d[k] = 0.5 * (u[0][k] + u[1][k]), half[k] = 0.5 * (u[1][k] - u[0][k]);
    return vvi_norm3(half);
  }
  if (f->held) return 0.0;
  for (int k = 0; k < 3; k++) d[k] = f->dx[k];
  return vvi_norm3(f->theta) * o->turns;
}

static bool same_body(const vvi_em_rigid *w, int32_t x, int32_t y)
{
  return x == y || (w->n_soft > 0 && w->soft_of[x] > 0 && w->soft_of[x] == w->soft_of[y]);
}

/* Answered contacts push, or do not; others may.  Springs push by how deep they are. */
static bool may_push(const vvi_em_rigid *w, const vvi_em_contact *c)
{
  return !w->answered || c->j[0] > 0.0 || c->law->stiffness > 0.0;
}

static bool push_each_other(const vvi_em_rigid *w, const vvi_candidate *c)
{
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_feature *f = &w->contact[i].f;
    if (!f->sheet && may_push(w, &w->contact[i]) && same_body(w, f->a, c->a) && same_body(w, f->b, c->b)) return true;
  }
  return false;
}

void vvi_em_look_back(vvi_em_rigid *w, const vvi_candidate *c, double gap1, double dt)
{
  path p = {.w = w, .pair = c};
  double a[3], b[3];
  p.most = displacement(w, c->a, a) + displacement(w, c->b, b);
  for (int k = 0; k < 3; k++) a[k] -= b[k];
  p.most += vvi_norm3(a);
  if (gap1 > p.most) return;
  const double side = 0.25 * (width_of(w, c->a, c->b) + width_of(w, c->b, c->a)),
               claimed = fmin(side, VVI_SEEN_DEPTH * vvi_solids_smaller(w->solids, c->a, c->b));
  if (p.most <= 2.0 * claimed) return;
  const double bound = push_each_other(w, c) ? side : claimed;
  if (p.most <= 2.0 * bound) return;
  const vvi_object *o = w->solids->object;
  look_back(w, &p, gap_at(&p, 0.0), gap1, bound, dt, o[c->a].body, o[c->b].body);
}

/* ---- surfaces ---- */

/* No two points of the features come closer by more: what corners are displaced by, relative to each other, and on a body that turns
 * by t how far the rate of one at the end of an arm r is from its mean, t^2 r/2 at most. */
static double closest_by(const vvi_em_rigid *w, const vvi_em_feature *f)
{
  double d[4][3], more[4], most = 0.0;
  for (int i = 0; i < f->vertices; i++) {
    double x[3], angle, arm;
    vvi_em_sheet_vertex(w, f->vertex[i], 0.0, x);
    vvi_em_sheet_vertex(w, f->vertex[i], 1.0, d[i]);
    for (int k = 0; k < 3; k++) d[i][k] -= x[k];
    vvi_em_sheet_turn(w, f->vertex[i], &angle, &arm);
    more[i] = 0.5 * angle * angle * arm;
  }
  for (int i = 0; i < f->vertices; i++) {
    if (f->vertices == 1) return vvi_norm3(d[0]) + more[0];
    for (int j = 0; j < i; j++) {
      const double by[3] = {d[i][0] - d[j][0], d[i][1] - d[j][1], d[i][2] - d[j][2]};
      most = fmax(most, vvi_norm3(by) + more[i] + more[j]);
    }
  }
  return most;
}

/* An obstacle is as thin as its shape, of surfaces the offset is half of both. */
static double side_of(const struct vvi_sheets *s, int32_t b, double offset)
{
  const vv_patch *o = b < 0 ? s->body[-1 - b].obstacle : NULL;
  if (o == NULL) return 0.5 * offset;
  if (o->inside || o->type == VV_PATCH_PLANE) return INFINITY;
  const double half = o->type == VV_PATCH_BOX ? fmin(o->half[0], fmin(o->half[1], o->half[2])) : o->radius;
  return 0.5 * (half + offset);
}

static bool sheets_push(const vvi_em_rigid *w, int32_t a, int32_t b)
{
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_feature *f = &w->contact[i].f;
    if (f->sheet && may_push(w, &w->contact[i]) &&
        ((f->name[0] == a && f->name[1] == b) || (f->name[0] == b && f->name[1] == a)))
      return true;
  }
  return false;
}

/* Two tips on one line have a distance with a sign, and cannot pass. */
void vvi_em_look_back_sheet(vvi_em_rigid *w, const vvi_sheet_near *near, double gap1, double dt)
{
  const vvi_sheet_list *l = &w->search->list[near->couple];
  const struct vvi_sheets *s = w->search->sheets;
  path p = {.w = w, .sheet = near};
  vvi_em_feature f;
  if (near->parted || gap1 > l->step || near->d + gap1 > l->step) return;
  const bool obstacle = near->a >= 0 && near->b < 0;
  const double side = side_of(s, obstacle ? near->b : 0, l->offset),
               size = isfinite(l->edge) ? l->edge : w->solids->size,
               claimed = fmin(side, VVI_SEEN_DEPTH * (obstacle ? size : fmin(size, l->offset)));
  if (l->step <= 2.0 * claimed) return;
  const double gap0 = vvi_em_sheet_feature(w, near->a, near->b, l->rule, l->offset, 0.0, &f);
  if (f.vertices == 2) return;
  p.most = closest_by(w, &f);
  const int32_t a = s->cluster[l->a].body, b = obstacle ? -1 - near->b : s->cluster[l->b].body;
  const double bound = sheets_push(w, a, b) ? side : claimed;
  if (p.most <= 2.0 * bound) return;
  look_back(w, &p, gap0, gap1, bound, dt, s->body[a].body, s->body[b].body);
}
