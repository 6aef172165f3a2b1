/* tests/support/pile.c  See pile.h. */
#include "pile.h"

#include <stdlib.h>
#include <string.h>

static void *get(pile *k, size_t bytes)
{
  void *memory = vvi_arena_alloc(&k->arena, bytes);
  if (memory == NULL) abort();
  return memory;
}

pile *open_pile(int movers, int contacts, int legs)
{
  pile *k = calloc(1, sizeof *k);
  if (k == NULL) abort();
  k->most_movers = movers, k->most_contacts = contacts, k->most_legs = legs;
  k->inverse = get(k, sizeof *k->inverse * (size_t)movers);
  k->place = get(k, sizeof *k->place * (size_t)movers);
  k->free = get(k, sizeof *k->free * (size_t)movers);
  k->mass = get(k, sizeof *k->mass * (size_t)movers);
  k->leg = get(k, sizeof *k->leg * (size_t)legs);
  k->p.inverse = (const double(*)[12])k->inverse;
  k->p.leg = k->leg;
  k->p.contact = get(k, sizeof *k->p.contact * (size_t)contacts);
  k->p.change = get(k, sizeof *k->p.change * (size_t)movers);
  k->p.speed = 1.0, k->p.loose = 0.0;
  if (vvi_island_create(&k->arena, 4, 4, &k->work) != VV_OK) abort(); /* it grows */
  return k;
}

void close_pile(pile *k)
{
  vvi_arena_free(&k->arena);
  free(k);
}

int add_point(pile *k, double mass, const double x[3])
{
  const int m = k->p.movers++;
  if (m >= k->most_movers) abort();
  memcpy(k->place[m], x, sizeof k->place[m]);
  k->mass[m] = mass;
  for (int c = 0; c < 3; c++) k->inverse[m][c] = 1.0 / mass;
  return m;
}

int add_box(pile *k, double mass, const double x[3], const double edge[3])
{
  const int m = add_point(k, mass, x);
  for (int c = 0; c < 3; c++) {
    const double a = edge[(c + 1) % 3], b = edge[(c + 2) % 3];
    k->inverse[m][6 + c] = 12.0 / (mass * (a * a + b * b));
  }
  return m;
}

static void add_legs(pile *k, pile_side side, double sign, const double x[3], double axis[3][3])
{
  for (int i = 0; i < side.n; i++) {
    const int m = side.mover[i];
    const double weight = sign * (side.weight != NULL ? side.weight[i] : 1.0);
    if (m < 0) continue;
    if (k->legs >= k->most_legs) abort();
    vvi_leg *leg = &k->leg[k->legs++];
    const double arm[3] = {x[0] - k->place[m][0], x[1] - k->place[m][1], x[2] - k->place[m][2]};
    leg->mover = m;
    for (int r = 0; r < 3; r++) {
      double moment[3];
      vvi_cross3(arm, axis[r], moment);
      const bool turns = k->inverse[m][6] > 0.0;
      for (int c = 0; c < 3; c++) {
        leg->force[r][c] = weight * axis[r][c];
        leg->moment[r][c] = turns ? weight * moment[c] : 0.0;
      }
    }
  }
}

int add_contact_of(pile *k, pile_side a, pile_side b, const double x[3], const double n[3], double friction,
                   double asked)
{
  double axis[3][3];
  const int i = k->p.contacts++;
  if (i >= k->most_contacts) abort();
  vvi_island_contact *c = &k->p.contact[i];
  *c = (vvi_island_contact){.first = k->legs, .friction = friction, .b = {asked, 0, 0}};
  memcpy(axis[0], n, sizeof axis[0]);
  vvi_across(n, axis + 1);
  add_legs(k, a, -1.0, x, axis);
  add_legs(k, b, 1.0, x, axis);
  c->legs = k->legs - c->first;
  return i;
}

int add_contact(pile *k, int a, int b, const double x[3], const double n[3], double friction, double asked)
{
  return add_contact_of(k, (pile_side){1, &a, NULL}, (pile_side){1, &b, NULL}, x, n, friction, asked);
}

static void seen(const pile *k, const vvi_island_contact *c, double (*v)[6], double u[3])
{
  for (int e = c->first; e < c->first + c->legs; e++) {
    const vvi_leg *leg = &k->leg[e];
    for (int r = 0; r < 3; r++) {
      u[r] += vvi_dot3(leg->force[r], v[leg->mover]) + vvi_dot3(leg->moment[r], v[leg->mover] + 3);
    }
  }
}

void see_free(pile *k)
{
  for (int i = 0; i < k->p.contacts; i++) {
    vvi_island_contact *c = &k->p.contact[i];
    memset(c->free, 0, sizeof c->free);
    seen(k, c, k->free, c->free);
  }
}

void let_fall(pile *k, double v)
{
  for (int m = 0; m < k->p.movers; m++) {
    memset(k->free[m], 0, sizeof k->free[m]);
    k->free[m][2] = -v;
  }
  k->p.speed = v;
  see_free(k);
}

void forget(pile *k)
{
  for (int i = 0; i < k->p.contacts; i++) memset(k->p.contact[i].j, 0, sizeof k->p.contact[i].j);
}

void solve_pile(pile *k, int threads)
{
  if (!vvi_island_solve(k->work, &k->p, threads, &k->stats)) abort();
}

void add_face(pile *k, int a, int b, const double low[2], const double high[2], double z, double friction)
{
  static const double up[3] = {0, 0, 1};
  for (int i = 0; i < 4; i++) {
    const double x[3] = {i % 2 ? high[0] : low[0], i / 2 ? high[1] : low[1], z};
    add_contact(k, a, b, x, up, friction, 0.0);
  }
}

void add_stack(pile *k, int n, double mass, double top, double friction)
{
  static const double edge[3] = {1, 1, 1}, low[2] = {-0.5, -0.5}, high[2] = {0.5, 0.5};
  int below = -1;
  for (int i = 0; i < n; i++) {
    const double x[3] = {0, 0, 0.5 + i};
    const int box = add_box(k, i == n - 1 ? top : mass, x, edge);
    add_face(k, below, box, low, high, i, friction);
    below = box;
  }
}

void add_wall(pile *k, int n, int courses, double friction)
{
  static const double edge[3] = {1, 0.5, 0.5};
  int below = -1;
  for (int r = 0; r < courses; r++) {
    const int bricks = n - r % 2, first = k->p.movers;
    for (int i = 0; i < bricks; i++) {
      const double x[3] = {i + 0.5 * (r % 2), 0, 0.25 + 0.5 * r}, z = 0.5 * r;
      const int box = add_box(k, 1.0, x, edge);
      for (int half = 0; half < 2; half++) {
        const int under = r == 0 ? -1 : below + i + half - (r % 2 == 0);
        if (r == 0 && half == 1) continue;
        if (r > 0 && (under < below || under >= first)) continue;
        const double low[2] = {r == 0 || half == 0 ? x[0] - 0.5 : x[0], -0.25};
        const double high[2] = {r == 0 || half == 1 ? x[0] + 0.5 : x[0], 0.25};
        add_face(k, under, box, low, high, z, friction);
      }
    }
    below = first;
  }
}

/* ---- the law, judged ---- */

static void times(const double a[6], const double x[3], double y[3])
{
  y[0] = a[0] * x[0] + a[5] * x[1] + a[4] * x[2];
  y[1] = a[5] * x[0] + a[1] * x[1] + a[3] * x[2];
  y[2] = a[4] * x[0] + a[3] * x[1] + a[2] * x[2];
}

/* Vf + M^-1 G^T J */
static double (*answered(const pile *k))[6]
{
  double(*sum)[6] = calloc((size_t)k->p.movers, sizeof *sum), (*v)[6] = calloc((size_t)k->p.movers, sizeof *v);
  if (sum == NULL || v == NULL) abort();
  for (int i = 0; i < k->p.contacts; i++) {
    const vvi_island_contact *c = &k->p.contact[i];
    for (int e = c->first; e < c->first + c->legs; e++) {
      const vvi_leg *leg = &k->leg[e];
      for (int r = 0; r < 3; r++) {
        for (int x = 0; x < 3; x++) {
          sum[leg->mover][x] += leg->force[r][x] * c->j[r];
          sum[leg->mover][3 + x] += leg->moment[r][x] * c->j[r];
        }
      }
    }
  }
  for (int m = 0; m < k->p.movers; m++) {
    times(k->inverse[m], sum[m], v[m]);
    times(k->inverse[m] + 6, sum[m] + 3, v[m] + 3);
    for (int x = 0; x < 6; x++) v[m][x] += k->free[m][x];
  }
  free(sum);
  return v;
}

/* A_nn of a contact whose movers are all different. */
static double own(const pile *k, const vvi_island_contact *c)
{
  double sum = 0.0;
  for (int e = c->first; e < c->first + c->legs; e++) {
    const vvi_leg *leg = &k->leg[e];
    double y[3], z[3];
    times(k->inverse[leg->mover], leg->force[0], y);
    times(k->inverse[leg->mover] + 6, leg->moment[0], z);
    sum += vvi_dot3(leg->force[0], y) + vvi_dot3(leg->moment[0], z);
  }
  return sum;
}

double tolerance_of(const pile *k)
{
  double most = 0.0;
  for (int i = 0; i < k->p.contacts; i++) {
    most = fmax(most, own(k, &k->p.contact[i]) * vvi_norm3(k->p.contact[i].j));
  }
  return fmax(1e-13 * k->p.speed, 4e-15 * most);
}

double off_law(const pile *k)
{
  double(*v)[6] = answered(k), worst = 0.0;
  for (int i = 0; i < k->p.contacts; i++) {
    const vvi_island_contact *c = &k->p.contact[i];
    const double *j = c->j, a = own(k, c), mu = c->friction, rub = sqrt(j[1] * j[1] + j[2] * j[2]);
    double u[3] = {-c->b[0], -c->b[1], -c->b[2]};
    seen(k, c, v, u);
    const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double off = fmax(-u[0], 0.0);                         /* closes */
    off = fmax(off, -a * j[0]);                            /* pulls */
    if (j[0] > 0.0) off = fmax(off, fmin(u[0], a * j[0])); /* pushes and opens */
    off = fmax(off, a * fmax(rub - mu * j[0], 0.0));       /* out of the cone */
    if (j[0] > 0.0 && mu > 0.0) {
      const double lost = (mu * j[0] * slip + j[1] * u[1] + j[2] * u[2]) / (mu * j[0]); /* could dissipate more */
      off = fmax(off, fmin(lost, a * mu * j[0]));
    }
    worst = fmax(worst, off);
  }
  free(v);
  return worst;
}

double work_of(const pile *k, const double *before)
{
  double sum = 0.0;
  for (int i = 0; i < k->p.contacts; i++) {
    const vvi_island_contact *c = &k->p.contact[i];
    for (int r = 0; r < 3; r++) sum += 0.5 * c->j[r] * (before[3 * i + r] + c->after[r]);
  }
  return sum;
}
