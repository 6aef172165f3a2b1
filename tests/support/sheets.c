/* tests/support/sheets.c  See sheets.h. */
#include "sheets.h"

#include "math/math.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Also in a release build. */
static void must(bool true_)
{
  if (!true_) abort();
}

double sheet_noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

void sheet_world_open(sheet_world *w, int room)
{
  *w = (sheet_world){.room = room};
  w->q = VVI_ARENA_NEW(&w->arena, double, 9 * room);
  w->p = w->q + 3 * room, w->f = w->p + 3 * room;
  w->inverse = VVI_ARENA_NEW(&w->arena, double, room);
  w->triangle = VVI_ARENA_NEW(&w->arena, int, 6 * room);
  w->body = VVI_ARENA_NEW(&w->arena, int, 2 * room);
  w->first = VVI_ARENA_NEW(&w->arena, int, 4096);
  w->first_triangle = VVI_ARENA_NEW(&w->arena, int, 4096);
}

static void turn(const double axis[3], double angle, const double x[3], double y[3])
{
  double a[3], c[3];
  const double size = vvi_norm3(axis);
  for (int i = 0; i < 3; i++) a[i] = axis[i] / size;
  vvi_cross3(a, x, c);
  const double along = vvi_dot3(a, x);
  for (int i = 0; i < 3; i++) y[i] = cos(angle) * x[i] + sin(angle) * c[i] + (1.0 - cos(angle)) * along * a[i];
}

void sheet_world_add(sheet_world *w, const vvi_mesh *mesh, const double place[3], const double axis[3], double angle,
                     const double velocity[3], double density)
{
  double *mass = calloc((size_t)mesh->nodes, sizeof *mass);
  must(w->nodes + mesh->nodes <= w->room);
  for (int t = 0; t < mesh->triangles; t++) {
    double u[3], v[3], n[3];
    const int *k = mesh->triangle + 3 * t;
    for (int c = 0; c < 3; c++)
      u[c] = mesh->x[3 * k[1] + c] - mesh->x[3 * k[0] + c], v[c] = mesh->x[3 * k[2] + c] - mesh->x[3 * k[0] + c];
    vvi_cross3(u, v, n);
    for (int c = 0; c < 3; c++) {
      mass[k[c]] += density * vvi_norm3(n) / 6.0;
      w->triangle[3 * (w->triangles + t) + c] = w->nodes + k[c];
    }
    w->body[w->triangles + t] = w->bodies;
  }
  for (int i = 0; i < mesh->nodes; i++) {
    double y[3];
    turn(axis, angle, mesh->x + 3 * i, y);
    for (int c = 0; c < 3; c++) {
      w->q[c * w->room + w->nodes + i] = place[c] + y[c];
      w->p[c * w->room + w->nodes + i] = mass[i] * velocity[c];
    }
    w->inverse[w->nodes + i] = 1.0 / mass[i];
  }
  free(mass);
  w->nodes += mesh->nodes, w->triangles += mesh->triangles;
  w->first[++w->bodies] = w->nodes, w->first_triangle[w->bodies] = w->triangles;
}

static void place(const sheet_world *w, int i, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = w->q[c * w->room + i];
}

static int32_t all_meet(const void *user, int32_t a, int32_t b)
{
  const bool *self = user;
  return a != b || *self ? 0 : -1;
}

void sheet_world_close(sheet_world *w, bool self, double margin, int threads)
{
  vvi_sheet_part *part = VVI_ARENA_NEW(&w->arena, vvi_sheet_part, w->bodies);
  for (int b = 0; b < w->bodies; b++) {
    const int n = w->first[b + 1] - w->first[b], t = w->first_triangle[b + 1] - w->first_triangle[b];
    double *x = VVI_ARENA_NEW(&w->arena, double, 3 * n);
    int32_t *corner = VVI_ARENA_NEW(&w->arena, int32_t, 3 * t);
    for (int i = 0; i < n; i++) place(w, w->first[b] + i, x + 3 * i);
    for (int i = 0; i < 3 * t; i++) corner[i] = w->triangle[3 * w->first_triangle[b] + i] - w->first[b];
    part[b] = (vvi_sheet_part){.body = {.carrier = VVI_CARRY_POINTS, .body = b, .movers = n},
                               .vertices = n,
                               .elements = t,
                               .element = corner,
                               .x = x,
                               .inverse = w->inverse + w->first[b]};
  }
  must(vvi_sheets_assemble(&w->arena, w->bodies, part, &w->sheets) == VV_OK);
  struct vvi_sheets *s = &w->sheets;
  static const vvi_rule elastic = {.restitution = 1.0};
  s->rule = &elastic, s->n_rule = 1;
  must(vvi_sheets_divide(&w->arena, s, 50) == VV_OK);
  w->self = self;
  s->rule_of = all_meet, s->meets = &w->self;
  vvi_sheets_use(s, 0);
  must(vvi_sheet_search_create(s, &w->arena, threads, 0.45 * s->edge_length, &w->search) == VV_OK);
  w->search->margin[0] = margin;
  for (int b = 0; b < w->bodies; b++)
    w->search->motion.at[b] =
        (vvi_points){.q = w->q + w->first[b], .p = w->p + w->first[b], .f = w->f + w->first[b], .column = w->room};
}

void sheet_world_step(sheet_world *w, double h, int n)
{
  for (int k = 0; k < n; k++) {
    w->search->motion.h = h;
    vvi_sheet_measure(w->search);
    must(vvi_sheet_collect(w->search));
    vvi_sheet_advance(w->search);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < w->nodes; i++) w->q[c * w->room + i] += h * w->inverse[i] * w->p[c * w->room + i];
  }
}

void sheet_world_free(sheet_world *w)
{
  vvi_arena_free(&w->arena);
}

const vvi_contact_counts *contact_counts(const vv_sim *sim)
{
  return &sim->step.contact->count;
}

double contact_lent(const vv_sim *sim)
{
  return vvi_contact_most(sim->step.contact);
}

/* Places of a state, nothing moving. */
static vvi_sheet_motion still(const vv_model *m, const vv_state *s)
{
  const struct vvi_sheets *k = m->sheets;
  vvi_points *at = calloc((size_t)k->n_body, sizeof *at);
  vvi_sheet_frame *frame = calloc((size_t)k->n_mover, sizeof *frame);
  for (int32_t i = 0; i < k->n_body; i++) {
    const vvi_sheet_body *b = &k->body[i];
    if (b->carrier == VVI_CARRY_POINTS)
      at[i] = (vvi_points){.q = s->q + b->block->q0 + b->node0, .column = b->block->column};
    if (b->carrier != VVI_CARRY_FRAMES) continue;
    vv_mover *mover = calloc((size_t)b->block->nodes, sizeof *mover);
    b->block->kind->movers(b->block, s->q + b->block->q0, s->p + b->block->p0, mover);
    for (int32_t n = 0; n < b->movers; n++) {
      memcpy(frame[b->mover0 + n].place, mover[b->node0 + n].place, sizeof mover->place);
      memcpy(frame[b->mover0 + n].turn, mover[b->node0 + n].turn, sizeof mover->turn);
    }
    free(mover);
  }
  return (vvi_sheet_motion){.sheets = k, .at = at, .frame = frame};
}

double *sheet_places(const vv_model *m, const vv_state *s)
{
  double *x = calloc(3 * (size_t)m->sheets->n_vertex + 1, sizeof *x);
  const vvi_sheet_motion now = still(m, s);
  for (int32_t v = 0; v < m->sheets->n_vertex; v++) vvi_sheet_place(&now, v, false, x + 3 * v);
  free(now.at), free(now.frame);
  return x;
}

double sheet_nearest(const vv_model *m, const vv_state *s)
{
  enum { ROOM = 1 << 16 };
  const struct vvi_sheets *k = m->sheets;
  const vvi_sheet_motion now = still(m, s);
  vvi_sheet_pair *pair = malloc(sizeof *pair * ROOM);
  double least = k->edge_length;
  for (int32_t a = 0; a < k->n_body; a++)
    for (int32_t b = a + 1; b < k->n_body; b++) {
      const int32_t line = k->body[a].obstacle != NULL && k->body[b].obstacle != NULL ? -1 : k->rule_of(k->meets, a, b);
      if (line < 0) continue;
      const bool turned = k->body[a].obstacle != NULL;
      double offset = 0.0;
      for (int e = 0; e < 2; e++) {
        const vvi_sheet_body *body = &k->body[e == 0 ? a : b];
        if (body->carrier == VVI_CARRY_FRAMES || k->rule[line].thick) offset += body->half;
      }
      const int64_t n = vvi_sheet_all_pairs(&now, turned ? b : a, turned ? a : b, least + offset, pair, ROOM);
      must(n <= ROOM);
      for (int64_t i = 0; i < n; i++) {
        vvi_closest at;
        vvi_sheet_closest(&now, pair[i].a, pair[i].b, false, &at);
        least = fmin(least, at.d - offset);
      }
    }
  free(pair), free(now.at), free(now.frame);
  return least;
}

int64_t sheet_intersections(const vv_model *m, const vv_state *s)
{
  const struct vvi_sheets *k = m->sheets;
  double *x = sheet_places(m, s);
  int *triangle = malloc(sizeof(int) * 3 * (size_t)k->n_element), *body = malloc(sizeof(int) * (size_t)k->n_element);
  int n = 0, pair[2];
  for (int32_t e = 0; e < k->n_element; e++) {
    const int32_t b = k->body_of[k->element[3 * e]];
    if (k->element[3 * e + 2] < 0 || k->body[b].carrier != VVI_CARRY_POINTS) continue;
    for (int c = 0; c < 3; c++) triangle[3 * n + c] = k->element[3 * e + c];
    body[n++] = b;
  }
  const int64_t found = vvi_mesh_intersections(x, n, triangle, body, true, 0.0, pair);
  free(x), free(triangle), free(body);
  return found;
}
