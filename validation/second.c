/* validation/second.c  See second.h: explicit steps from the discrete Lagrangian alone. */
#include "second.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

/* ---- the beam of 4.2 ---- */

const double second_load_way[3] = {-1, 1.6, -1.2}, second_velocity_way[3] = {0.05, 0.1, 0.15};

double second_pulse(double t)
{
  return t > 0 && t < 0.1 ? 100 * (1 - cos(2 * acos(-1) * t / 0.1)) : 0;
}

double second_point_mass(const second_beam *b, int node)
{
  if (!b->masses) return 0;
  return node == 0 || node == b->elements ? 10 : 2 * node == b->elements ? 1 : 0;
}

double second_load_sign(const second_beam *b, int node)
{
  if (!b->masses) return 0;
  return node == 0 || node == b->elements ? 1 : 2 * node == b->elements ? -1 : 0;
}

void second_profile(const second_beam *b, bool twelve, second_node *n)
{
  for (int i = 0; i <= b->elements; i++) {
    const double s = b->length * i / b->elements;
    const double factor = 2 * i <= b->elements ? 4 - 8 * s : (twelve ? -12 : -10) + 8 * s;
    const double l = b->length / b->elements * (i == 0 || i == b->elements ? 0.5 : 1);
    const double mass = b->density * b->side * b->side * l + second_point_mass(b, i);
    for (int c = 0; c < 3; c++) n[i].p[c] = mass * factor * second_velocity_way[c];
  }
}

/* ---- small algebra, of complex numbers ---- */

static void cross(const number a[3], const number b[3], number out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* out = a^T b */
static void turned_by(const number a[3][3], const number b[3][3], number out[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 3; k++) out[i][j] += a[k][i] * b[k][j];
    }
}

static void seen_from(const number a[3][3], const number v[3], number out[3])
{
  for (int i = 0; i < 3; i++) {
    out[i] = 0;
    for (int k = 0; k < 3; k++) out[i] += a[k][i] * v[k];
  }
}

/* Inverse Cayley map: 2/(1 + tr R) of the skew part. */
static void turn_of(const number r[3][3], number out[3])
{
  const number over = 1 + r[0][0] + r[1][1] + r[2][2];
  for (int i = 0; i < 3; i++) out[i] = 2 * (r[(i + 2) % 3][(i + 1) % 3] - r[(i + 1) % 3][(i + 2) % 3]) / over;
}

/* Cayley map of a real vector: (1 - w^/2)^-1 (1 + w^/2). */
static void cayley(const double w[3], double r[3][3])
{
  const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], c = 4 / (4 + square);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r[i][j] = (i == j) + c * (w[i] * w[j] - (i == j) * square) / 2;
  for (int i = 0; i < 3; i++) r[(i + 2) % 3][(i + 1) % 3] += c * w[i], r[(i + 1) % 3][(i + 2) % 3] -= c * w[i];
}

static void times(const double a[3][3], const double b[3][3], double out[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* ---- the discrete Lagrangian ---- */

typedef struct place {
  number r[3][3], x[3];
} place;

static place place_of(const second_node *n)
{
  place out;
  for (int i = 0; i < 3; i++) {
    out.x[i] = n->x[i];
    for (int j = 0; j < 3; j++) out.r[i][j] = n->r[i][j];
  }
  return out;
}

/* tau^-1(a^-1 b) of the Cayley map of SE(3): w = cay^-1(R_a^T R_b), u = (1 - w^/2) R_a^T (x_b - x_a). */
static void difference(const place *a, const place *b, number w[3], number u[3])
{
  number d[3], r[3][3], y[3], wy[3];
  for (int i = 0; i < 3; i++) d[i] = b->x[i] - a->x[i];
  turned_by(a->r, b->r, r);
  turn_of((const number(*)[3])r, w);
  seen_from(a->r, d, y);
  cross(w, y, wy);
  for (int i = 0; i < 3; i++) u[i] = y[i] - wy[i] / 2;
}

typedef struct section {
  double l, shear, stretch, bend, twist; /* stiffnesses */
  double line, plane;                    /* mass and second moment of it, of a length */
} section;

static section section_of(const second_beam *b)
{
  const double area = b->side * b->side, moment = area * area / 12, g = b->young / (2 * (1 + b->poisson));
  return (section){.l = b->length / b->elements,
                   .shear = g * area,
                   .stretch = b->young * area,
                   .bend = b->young * moment,
                   .twist = g * 2 * moment,
                   .line = b->density * area,
                   .plane = b->density * moment};
}

static number stretched(const section *s, const number g[3])
{
  return s->shear * (g[0] * g[0] + g[1] * g[1]) + s->stretch * (g[2] - 1) * (g[2] - 1);
}

/* Strain energy of an element. */
static number strain_energy(const second_beam *b, const section *s, const place *left, const place *right)
{
  number w[3], u[3], d[3], g[2][3], r[3][3], force;
  if (b->group_strain) {
    difference(left, right, w, u);
    for (int i = 0; i < 3; i++) g[0][i] = u[i] / s->l;
    force = s->l / 2 * stretched(s, g[0]);
  } else {
    for (int i = 0; i < 3; i++) d[i] = (right->x[i] - left->x[i]) / s->l;
    seen_from(left->r, d, g[0]);
    seen_from(right->r, d, g[1]);
    turned_by(left->r, right->r, r);
    turn_of((const number(*)[3])r, w);
    force = s->l / 4 * (stretched(s, g[0]) + stretched(s, g[1]));
  }
  return force + (s->bend * (w[0] * w[0] + w[1] * w[1]) + s->twist * w[2] * w[2]) / (2 * s->l);
}

/* Mass and moment of a node. */
static double width(const second_beam *b, const section *s, int node)
{
  return node == 0 || node == b->elements ? s->l / 2 : s->l;
}

static double mass_of(const second_beam *b, const section *s, int node)
{
  return s->line * width(b, s, node) + second_point_mass(b, node);
}

/* Kinetic part of the Lagrangian over a flight of length h. */
static number flight(const second_beam *b, double mass, double plane, const place *from, const place *to, double h)
{
  number w[3], u[3], r[3][3];
  if (b->group_time) {
    difference(from, to, w, u);
    return (plane * (w[0] * w[0] + w[1] * w[1] + 2 * w[2] * w[2]) + mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])) /
           (2 * h);
  }
  for (int i = 0; i < 3; i++) u[i] = to->x[i] - from->x[i];
  turned_by(from->r, to->r, r);
  return plane * (2 - r[0][0] - r[1][1]) / h + mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (2 * h);
}

/* ---- derivatives by a complex step ---- */

static const double tiny = 1e-100;

/* Moves a place by i tiny along x_k (k < 3), or turns it about e_{k-3}, in space. */
static place nudged(const place *at, int k)
{
  place out = *at;
  if (k < 3) {
    out.x[k] += I * tiny;
    return out;
  }
  const int a = (k - 3 + 1) % 3, b = (k - 3 + 2) % 3;
  for (int j = 0; j < 3; j++) {
    out.r[a][j] = at->r[a][j] - I * tiny * at->r[b][j];
    out.r[b][j] = at->r[b][j] + I * tiny * at->r[a][j];
  }
  return out;
}

/* Momenta at the start and at the end of a flight: -D_1 and D_2 of it. */
static void momenta(const second_beam *b, double mass, double plane, const second_node *from, const second_node *to,
                    double h, bool end, double out[6])
{
  const place a = place_of(from), z = place_of(to);
  for (int k = 0; k < 6; k++) {
    const place moved = nudged(end ? &z : &a, k);
    const number value = end ? flight(b, mass, plane, &a, &moved, h) : flight(b, mass, plane, &moved, &z, h);
    out[k] = (end ? 1 : -1) * cimag(value) / tiny;
  }
}

/* ---- steps ---- */

void second_kick(const second_beam *b, second_node *n, double t, double h)
{
  const section s = section_of(b);
  for (int i = 0; i < b->elements; i++) {
    const place left = place_of(&n[i]), right = place_of(&n[i + 1]);
    for (int k = 0; k < 12; k++) {
      const place moved = nudged(k < 6 ? &left : &right, k % 6);
      const number v = k < 6 ? strain_energy(b, &s, &moved, &right) : strain_energy(b, &s, &left, &moved);
      double *p = k % 6 < 3 ? n[i + k / 6].p : n[i + k / 6].s;
      p[k % 3] -= h * cimag(v) / tiny;
    }
  }
  for (int i = 0; i <= b->elements; i++) {
    n[i].p[2] -= h * b->gravity * mass_of(b, &s, i);
    for (int c = 0; c < 3; c++) n[i].p[c] += h * second_load_sign(b, i) * second_pulse(t) * second_load_way[c];
  }
}

/* The flight whose momenta at its start are those of the node: simple iteration with the inertia of small turns. */
static void fly(const second_beam *b, double mass, double plane, second_node *n, double h)
{
  second_node to = *n;
  double w[3] = {0, 0, 0}, turn[3][3], off[6], best = INFINITY;
  if (h == 0) return;
  for (int again = 0; again < 60; again++) {
    double size = 0;
    momenta(b, mass, plane, n, &to, h, false, off);
    for (int k = 0; k < 3; k++) {
      off[k] = n->p[k] - off[k], off[3 + k] = n->s[k] - off[3 + k];
      size += fabs(off[k]) * fabs(off[k]) * h * h / (mass * mass);
    }
    for (int k = 0; k < 3; k++) {
      double dw = 0;
      for (int j = 0; j < 3; j++) dw += n->r[j][k] * off[3 + j];
      dw *= h / (k == 2 ? 2 * plane : plane);
      w[k] += dw, size += dw * dw;
      to.x[k] += h / mass * off[k];
    }
    cayley(w, turn);
    times((const double(*)[3])n->r, (const double(*)[3])turn, to.r);
    if (size == 0 || (size < 1e-26 && size >= best)) break; /* rounding: it shrinks no more */
    best = size;
  }
  momenta(b, mass, plane, n, &to, h, true, off);
  memcpy(to.p, off, sizeof to.p);
  memcpy(to.s, off + 3, sizeof to.s);
  *n = to;
}

void second_drift(const second_beam *b, second_node *n, double h)
{
  const section s = section_of(b);
  for (int i = 0; i <= b->elements; i++) fly(b, mass_of(b, &s, i), s.plane * width(b, &s, i), &n[i], h);
}

void second_step(const second_beam *b, second_node *n, double t, double h)
{
  second_kick(b, n, t, h / 2);
  second_drift(b, n, h);
  second_kick(b, n, t + h, h / 2);
}

/* ---- beginnings ---- */

/* exp of (w, u) on SE(3), by its series. */
static void screw(const double w[3], const double u[3], double r[3][3], double x[3])
{
  double g[4][4] = {{0}}, term[4][4] = {{0}}, sum[4][4] = {{0}};
  for (int i = 0; i < 3; i++) {
    g[(i + 2) % 3][(i + 1) % 3] = w[i], g[(i + 1) % 3][(i + 2) % 3] = -w[i];
    g[i][3] = u[i];
  }
  for (int i = 0; i < 4; i++) term[i][i] = sum[i][i] = 1;
  for (int k = 1; k < 60; k++) {
    double next[4][4] = {{0}};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        for (int m = 0; m < 4; m++) next[i][j] += term[i][m] * g[m][j] / k;
    memcpy(term, next, sizeof term);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) sum[i][j] += term[i][j];
  }
  for (int i = 0; i < 3; i++) {
    x[i] = sum[i][3];
    for (int j = 0; j < 3; j++) r[i][j] = sum[i][j];
  }
}

/* Cayley map of SE(3): cay(w), and the y with (1 - w^/2) y = u. */
static void retract(const double w[3], const double u[3], double r[3][3], double x[3])
{
  const double c = 4 / (4 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), along = w[0] * u[0] + w[1] * u[1] + w[2] * u[2];
  cayley(w, r);
  for (int i = 0; i < 3; i++) {
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    x[i] = c * (u[i] + (w[a] * u[b] - w[b] * u[a]) / 2 + w[i] * along / 4);
  }
}

static void join(const second_node *from, const double r[3][3], const double x[3], second_node *to)
{
  for (int i = 0; i < 3; i++)
    to->x[i] = from->x[i] + from->r[i][0] * x[0] + from->r[i][1] * x[1] + from->r[i][2] * x[2];
  times(from->r, r, to->r);
}

void second_shape(const second_beam *b, const double x[3], const double d3[3], const double d1[3], const double k[3],
                  const double g[3], bool by_cayley, second_node *n)
{
  memset(n, 0, sizeof *n * (size_t)(b->elements + 1));
  for (int i = 0; i < 3; i++) {
    const int a = (i + 1) % 3, c = (i + 2) % 3;
    n[0].x[i] = x[i], n[0].r[i][0] = d1[i], n[0].r[i][2] = d3[i];
    n[0].r[i][1] = d3[a] * d1[c] - d3[c] * d1[a];
  }
  for (int i = 1; i <= b->elements; i++) {
    const double s = (by_cayley ? 1 : i) * b->length / b->elements;
    double w[3], u[3], r[3][3], y[3];
    for (int c = 0; c < 3; c++) w[c] = s * k[c], u[c] = s * g[c];
    if (by_cayley)
      retract(w, u, r, y);
    else
      screw(w, u, r, y);
    join(&n[by_cayley ? i - 1 : 0], (const double(*)[3])r, y, &n[i]);
  }
}

void second_first_flight(const second_beam *b, second_node *n, const second_node *toward, double over, double h)
{
  const section s = section_of(b);
  for (int i = 0; i <= b->elements; i++) {
    second_node to = n[i];
    if (toward != NULL) {
      const place a = place_of(&n[i]), z = place_of(&toward[i]);
      number w[3], u[3];
      double turn[3], way[3], r[3][3], x[3];
      difference(&a, &z, w, u);
      for (int c = 0; c < 3; c++) turn[c] = h / over * creal(w[c]), way[c] = h / over * creal(u[c]);
      retract(turn, way, r, x);
      join(&n[i], (const double(*)[3])r, x, &to);
    }
    double p[6];
    momenta(b, mass_of(b, &s, i), s.plane * width(b, &s, i), &n[i], &to, h, false, p);
    memcpy(n[i].p, p, sizeof n[i].p);
    memcpy(n[i].s, p + 3, sizeof n[i].s);
  }
}

static double potential(const second_beam *b, const section *s, const second_node *n)
{
  double sum = 0;
  for (int i = 0; i < b->elements; i++) {
    const place left = place_of(&n[i]), right = place_of(&n[i + 1]);
    sum += creal(strain_energy(b, s, &left, &right));
  }
  for (int i = 0; i <= b->elements; i++) sum += b->gravity * mass_of(b, s, i) * n[i].x[2];
  return sum;
}

double second_slab_energy(const second_beam *b, const second_node *from, const second_node *to, double h)
{
  const section s = section_of(b);
  double sum = (potential(b, &s, from) + potential(b, &s, to)) / 2;
  for (int i = 0; i <= b->elements; i++) {
    const place a = place_of(&from[i]), z = place_of(&to[i]);
    sum += creal(flight(b, mass_of(b, &s, i), s.plane * width(b, &s, i), &a, &z, h)) / h;
  }
  return sum;
}

/* ---- the floor ---- */

/* The slab of length h from n; its lowest node. */
static int slab(const second_beam *b, const second_node *n, double t, double h, second_node *out)
{
  int lowest = 0;
  memcpy(out, n, sizeof *n * (size_t)(b->elements + 1));
  second_kick(b, out, t, h / 2);
  second_drift(b, out, h);
  for (int i = 1; i <= b->elements; i++)
    if (out[i].x[2] < out[lowest].x[2]) lowest = i;
  return lowest;
}

/* The longest slab, to rounding, at whose end nothing is below the floor: the interval is halved. */
static double reach(const second_beam *b, const second_node *n, double t, double h)
{
  second_node out[SECOND_NODES];
  double lo = 0, hi = h;
  for (int k = 0; k < 200 && lo < (lo + hi) / 2 && (lo + hi) / 2 < hi; k++) {
    const double middle = (lo + hi) / 2;
    if (out[slab(b, n, t, middle, out)].x[2] < 0)
      hi = middle;
    else
      lo = middle;
  }
  return lo;
}

void second_fall(const second_beam *b, second_node *n, double t, double h, second_impacts *seen)
{
  const section s = section_of(b);
  second_node out[SECOND_NODES];
  const double end = t + h;
  for (int again = 0; again < 20; again++) {
    const double rest = again == 0 ? h : end - t;
    const int below = slab(b, n, t, rest, out);
    const bool hit = out[below].x[2] < 0;
    const double length = hit ? reach(b, n, t, rest) : rest;
    const int node = hit ? slab(b, n, t, length, out) : 0;
    memcpy(n, out, sizeof *n * (size_t)(b->elements + 1));
    second_kick(b, n, t + length, length / 2);
    t += length;
    if (!hit) return;
    if (seen != NULL && seen->n < seen->room) {
      seen->time[seen->n] = t;
      seen->speed[seen->n++] = n[node].p[2] / mass_of(b, &s, node);
    }
    n[node].p[2] = fabs(n[node].p[2]);
  }
}
