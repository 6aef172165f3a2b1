/* bench/bench_heap.c  An irregular heap of boxes that falls into a room and comes to rest:
 * bench_heap [boxes along an edge] [seed].
 *
 * Boxes of edges .5 to .6, .7 to .84 and .9 to 1.08 m, turned at random, mu = 0.5, all hits plastic, dt = 1/240 s.  All pairs
 * are looked at, flight keeps the spin and turns by its start, so that the energy printed is that of the contacts alone: the
 * largest growth in a step of T - T0 - f.x, over the energy at the start.  Settled: every velocity is zero.  A heap that does
 * not settle has a box that still turns about two of its corners, or slides. */
#include "tools.h"

#include "geom/solid.h"
#include "math/math.h"
#include "step/solids/rest.h"

#include <stdlib.h>
#include <string.h>

enum { SPOTS = 64, CONTACTS_PER_BOX = 60, WALLS = 5, STEPS = 3000 };
static const double DT = 1.0 / 240.0, G = 9.81, MU = 0.5, SLOP = 1e-4;

typedef struct box {
  vv_solid *solid;
  vvi_pose pose;
  double mass, moment[3], spin[3], velocity[3], reach;
} box;

typedef struct heap {
  vvi_arena arena;
  int n, room;
  box *box;
  vv_solid *wall[WALLS];
  vvi_rest_work *work;
  vvi_rest_problem p;
  vvi_rest_contact *contact[2]; /* of this step and the one before */
  uint32_t *key[2];
  int32_t *first; /* [n + 1] contacts of the step before, by their second mover */
  int32_t *next;  /* a list for each */
  int before;     /* how many */
  vv_mover *mover;
  double *v0, *pushed, *v1, *shift;
} heap;

static uint64_t seed = 2;

static double chance(void) /* in (0, 1) */
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / (double)((uint64_t)1 << 53);
}

static void *get(heap *h, size_t bytes)
{
  void *memory = vvi_arena_alloc(&h->arena, bytes);
  if (memory == NULL) abort();
  return memory;
}

static vv_solid *part(heap *h, vvi_part_type type, const double frame[9], const double half[3], const double centre[3])
{
  char why[VVI_WHY];
  vv_solid *s = vvi_solid_new(&h->arena, 1);
  if (s == NULL) abort();
  s->part[0].type = type, s->part[0].density = 1.0;
  memcpy(s->part[0].frame, frame, sizeof s->part[0].frame);
  memcpy(s->part[0].half, half, sizeof s->part[0].half);
  memcpy(s->part[0].centre, centre, sizeof s->part[0].centre);
  if (!vvi_part_finish(&h->arena, &s->part[0], why)) abort();
  vvi_solid_finish(s);
  return s;
}

/* turn := exp(angle) turn */
static void turn_by(const double angle[3], double turn[9])
{
  const double a = vvi_norm3(angle), s = a > 1e-8 ? sin(a) / a : 1.0, c = a > 1e-8 ? (1.0 - cos(a)) / (a * a) : 0.5;
  for (int k = 0; k < 3; k++) {
    const double x[3] = {turn[k], turn[3 + k], turn[6 + k]};
    double y[3], z[3];
    vvi_cross3(angle, x, y), vvi_cross3(angle, y, z);
    for (int i = 0; i < 3; i++) turn[3 * i + k] = x[i] + s * y[i] + c * z[i];
  }
}

/* Columns made orthonormal again. */
static void straighten(double turn[9])
{
  double x[3][3];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) x[k][i] = turn[3 * i + k];
  }
  const double a = vvi_norm3(x[0]);
  for (int i = 0; i < 3; i++) x[0][i] /= a;
  const double along = vvi_dot3(x[0], x[1]);
  for (int i = 0; i < 3; i++) x[1][i] -= along * x[0][i];
  const double b = vvi_norm3(x[1]);
  for (int i = 0; i < 3; i++) x[1][i] /= b;
  vvi_cross3(x[0], x[1], x[2]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) turn[3 * i + k] = x[k][i];
  }
}

static void add_box(heap *h, int i, int side)
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  box *b = &h->box[i];
  const double half[3] = {0.25 * (1 + 0.2 * chance()), 0.35 * (1 + 0.2 * chance()), 0.45 * (1 + 0.2 * chance())};
  const double angle[3] = {1.2 * (chance() - 0.5), 1.2 * (chance() - 0.5), 1.2 * (chance() - 0.5)};
  *b = (box){.solid = part(h, VVI_PART_BLOCK, unit, half, origin), .mass = 8 * half[0] * half[1] * half[2]};
  for (int k = 0; k < 3; k++) {
    const double e = half[(k + 1) % 3], f = half[(k + 2) % 3];
    b->moment[k] = b->mass / 3.0 * (e * e + f * f);
  }
  memcpy(b->pose.turn, unit, sizeof unit);
  turn_by(angle, b->pose.turn);
  b->pose.place[0] = 1.25 * (i % side - 0.5 * (side - 1)) + 0.2 * (chance() - 0.5);
  b->pose.place[1] = 1.25 * (i / side % side - 0.5 * (side - 1)) + 0.2 * (chance() - 0.5);
  b->pose.place[2] = 0.75 + 1.3 * (i / (side * side));
  b->reach = vvi_norm3(half);
}

static heap *open_heap(int side)
{
  heap *h = calloc(1, sizeof *h);
  if (h == NULL) abort();
  const size_t n = (size_t)(side * side * side), room = CONTACTS_PER_BOX * n;
  h->n = (int)n, h->room = (int)room;
  h->box = get(h, sizeof *h->box * n), h->mover = get(h, sizeof *h->mover * n);
  h->v0 = get(h, 48 * n), h->pushed = get(h, 48 * n), h->v1 = get(h, 48 * n), h->shift = get(h, 48 * n);
  for (int e = 0; e < 2; e++) {
    h->contact[e] = get(h, sizeof **h->contact * room), h->key[e] = get(h, sizeof **h->key * room);
  }
  h->first = get(h, 4 * n), h->next = get(h, 4 * room);
  h->p = (vvi_rest_problem){.dt = DT, .movers = h->n, .mover = h->mover, .before = h->v0, .pushed = h->pushed};
  h->p.velocity = h->v1, h->p.scale = get(h, 8 * n), h->p.touched = get(h, n);
  if (vvi_rest_create(&h->arena, h->n, h->room, &h->work) != VV_OK) abort();
  for (int i = 0; i < h->n; i++) add_box(h, i, side);
  const double w = 0.625 * side;
  static const double frame[WALLS][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         {0, 1, 0, 0, 0, 1, 1, 0, 0},
                                         {0, -1, 0, 0, 0, 1, -1, 0, 0},
                                         {0, 0, 1, 1, 0, 0, 0, 1, 0},
                                         {0, 0, 1, -1, 0, 0, 0, -1, 0}};
  const double at[WALLS][3] = {{0, 0, 0}, {-w, 0, 0}, {w, 0, 0}, {0, -w, 0}, {0, w, 0}}, none[3] = {0, 0, 0};
  for (int i = 0; i < WALLS; i++) h->wall[i] = part(h, VVI_PART_HALF_SPACE, frame[i], none, at[i]);
  return h;
}

/* ---- one step ---- */

static double fill_movers(heap *h)
{
  double fastest = 0.0;
  for (int i = 0; i < h->n; i++) {
    box *b = &h->box[i];
    vv_mover *m = &h->mover[i];
    double a[9] = {0}, *v = h->v0 + 6 * i;
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) a[3 * r + c] += b->pose.turn[3 * r + k] * b->pose.turn[3 * c + k] / b->moment[k];
      }
    }
    *m = (vv_mover){.inverse_mass = {1 / b->mass, 1 / b->mass, 1 / b->mass},
                    .inverse_inertia = {a[0], a[4], a[8], a[5], a[2], a[1]}};
    memcpy(m->place, b->pose.place, sizeof m->place);
    for (int c = 0; c < 3; c++) v[c] = b->velocity[c], v[3 + c] = vvi_dot3(a + 3 * c, b->spin);
    memcpy(h->v1 + 6 * i, v, 48);
    h->pushed[6 * i + 2] = -b->mass * G * DT, h->v1[6 * i + 2] -= G * DT;
    fastest = fmax(fastest, vvi_norm3(v) + vvi_norm3(v + 3) * b->reach);
  }
  return fastest;
}

static void add_spots(heap *h, int a, int b, const vv_solid *wall, int which, double margin)
{
  static const vvi_pose still = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  vvi_spot spot[SPOTS];
  double gap;
  const int n = a < 0 ? vvi_solids_touch(wall, &still, h->box[b].solid, &h->box[b].pose, margin, SPOTS, spot, &gap)
                      : vvi_solids_touch(h->box[a].solid, &h->box[a].pose, h->box[b].solid, &h->box[b].pose, margin,
                                         SPOTS, spot, &gap);
  if (h->p.n + n > h->room) abort();
  for (int i = 0; i < n; i++) {
    h->key[0][h->p.n] = spot[i].key * 8 + (uint32_t)which;
    vvi_rest_contact *c = &h->contact[0][h->p.n++];
    *c = (vvi_rest_contact){.a = a, .b = b, .gap = spot[i].gap, .friction = MU};
    for (int k = 0; k < 3; k++) {
      c->n[k] = spot[i].n[k];
      c->arm_a[k] = a < 0 ? 0.0 : spot[i].x[k] - h->box[a].pose.place[k];
      c->arm_b[k] = spot[i].x[k] - h->box[b].pose.place[k];
    }
  }
}

static void find_contacts(heap *h, double margin)
{
  for (int b = 0; b < h->n; b++) {
    for (int k = 0; k < WALLS; k++) add_spots(h, -1, b, h->wall[k], k, margin);
    for (int a = 0; a < b; a++) {
      const double *x = h->box[a].pose.place, *y = h->box[b].pose.place,
                   reach = h->box[a].reach + h->box[b].reach + margin;
      const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
      if (vvi_dot3(d, d) < reach * reach) add_spots(h, a, b, NULL, 0, margin);
    }
  }
}

/* The impulse of the same features in the step before. */
static void warm_start(heap *h)
{
  for (int i = 0; i < h->n; i++) h->first[i] = -1;
  for (int i = h->before - 1; i >= 0; i--) h->next[i] = h->first[h->contact[1][i].b], h->first[h->contact[1][i].b] = i;
  for (int i = 0; i < h->p.n; i++) {
    vvi_rest_contact *c = &h->contact[0][i];
    for (int32_t k = h->first[c->b]; k >= 0; k = h->next[k]) {
      if (h->contact[1][k].a == c->a && h->key[1][k] == h->key[0][i]) memcpy(c->j, h->contact[1][k].j, sizeof c->j);
    }
  }
}

/* Growth of T less the work of gravity, of those touched. */
static double growth(const heap *h)
{
  double sum = 0.0;
  for (int i = 0; i < h->n; i++) {
    const box *b = &h->box[i];
    const double *v0 = h->v0 + 6 * i, *v1 = h->v1 + 6 * i;
    if (!h->p.touched[i]) continue;
    for (int k = 0; k < 3; k++) {
      const double axis[3] = {b->pose.turn[k], b->pose.turn[3 + k], b->pose.turn[6 + k]};
      const double w0 = vvi_dot3(axis, v0 + 3), w1 = vvi_dot3(axis, v1 + 3);
      sum += 0.5 * b->mass * (v1[k] * v1[k] - v0[k] * v0[k]) + 0.5 * b->moment[k] * (w1 * w1 - w0 * w0);
    }
    sum += b->mass * G * DT * v1[2];
  }
  return sum;
}

static void drift(heap *h)
{
  for (int i = 0; i < h->p.n; i++) {
    const vvi_rest_contact *c = &h->contact[0][i];
    double moment[3];
    vvi_cross3(c->arm_b, c->j, moment);
    for (int k = 0; k < 3; k++) h->box[c->b].spin[k] += moment[k];
    vvi_cross3(c->arm_a, c->j, moment);
    for (int k = 0; k < 3 && c->a >= 0; k++) h->box[c->a].spin[k] -= moment[k];
  }
  for (int i = 0; i < h->n; i++) {
    box *b = &h->box[i];
    const double *v0 = h->v0 + 6 * i, *v1 = h->v1 + 6 * i, *x = h->shift + 6 * i;
    const double angle[3] = {DT * v1[3] + x[3], DT * v1[4] + x[4], DT * v1[5] + x[5]};
    for (int k = 0; k < 3; k++) {
      b->spin[k] *= h->p.scale[i], b->velocity[k] = v1[k];
      b->pose.place[k] += DT * (h->p.touched[i] ? v1[k] : 0.5 * (v0[k] + v1[k])) + x[k];
    }
    turn_by(angle, b->pose.turn);
    straighten(b->pose.turn);
  }
}

static void swap(heap *h)
{
  vvi_rest_contact *c = h->contact[0];
  uint32_t *key = h->key[0];
  h->contact[0] = h->contact[1], h->contact[1] = c;
  h->key[0] = h->key[1], h->key[1] = key;
  h->before = h->p.n, h->p.n = 0;
}

int main(int count, char **word)
{
  const int most = count > 1 ? atoi(word[1]) : 6;
  if (count > 2) seed = (uint64_t)atoll(word[2]);
  printf("  boxes  settled at, s  fastest, m/s  contacts   overlap, m   energy up   solve, ms   at rest, ns/contact\n");
  for (int side = count > 1 ? most : 3; side <= most; side++) {
    heap *h = open_heap(side);
    double energy = 0.0, up = 0.0, solving = 0.0, resting = INFINITY, overlap = 0.0, speed = 0.0;
    int settled = -1, s = 0;
    for (int i = 0; i < h->n; i++) energy += h->box[i].mass * G * h->box[i].pose.place[2];
    for (; s < STEPS && !(settled >= 0 && s > settled + 20); s++) {
      vvi_rest_stats stats;
      speed = fill_movers(h);
      h->p.contact = h->contact[0];
      find_contacts(h, 2.0 * speed * DT + 2.0 * G * DT * DT);
      warm_start(h);
      const double middle = vvi_clock();
      vvi_rest_solve(h->work, &h->p, &stats);
      const double end = vvi_clock();
      vvi_rest_push_out(h->work, &h->p, SLOP, 0.2, h->shift);
      if (settled < 0) solving += end - middle;
      if (settled >= 0) resting = fmin(resting, (end - middle) / h->p.n);
      up = fmax(up, growth(h) / energy);
      drift(h);
      overlap = 0.0;
      for (int i = 0; i < h->p.n; i++) overlap = fmax(overlap, -h->contact[0][i].gap);
      bool zero = true;
      for (int i = 0; i < 6 * h->n; i++) zero = zero && h->v1[i] == 0.0;
      settled = !zero ? -1 : settled < 0 ? s : settled;
      swap(h);
    }
    printf("%7d %14.3f %13.1e %9d %12.1e %11.1e %11.2f %21.1f\n", h->n, settled < 0 ? NAN : settled * DT, speed,
           h->before, overlap, up, 1e3 * solving / (settled < 0 ? s : settled), 1e9 * resting);
    fflush(stdout);
    vvi_arena_free(&h->arena);
    free(h);
  }
  return 0;
}
