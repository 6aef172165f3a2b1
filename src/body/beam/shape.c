/* body/beam/shape.c  Initial places, frames and velocities.
 *
 * A shape is a convective strain G(S) and curvature K(S):  x' = Lambda G,  Lambda' = Lambda K^                [beam 22]
 * Where they are constant, the node at S is the first node times the exponential of SE(3) of S (K, G): each is computed
 * from the first, so that no error piles up. */
#include "body/beam/polygon.h"
#include "math/so3.h"

#include <stdlib.h>
#include <string.h>

typedef struct curve {
  double x[3], frame[9]; /* first node */
  double strain[3];      /* G; of a bump the largest excess over (0, 0, 1) */
  double curvature[3];   /* K; of a bump the largest */
  bool bump;
  bool steps; /* from node to node by the Cayley map, as in the impact papers */
  double length;
} curve;

/* ---- words ---- */

static void copy3(const double *from, double to[3])
{
  memcpy(to, from, 3 * sizeof(double));
}

/* straight, arc, helix, uniform, bump: G and K.  A helix of radius R and pitch 2 pi c has the curvature R/(R^2 + c^2)
 * about d2, towards d1, and the twist c/(R^2 + c^2). */
static void constants(const vv_group *g, curve *k)
{
  const vv_group *s = vv_sub(g, "shape");
  const char *word = vv_text(g, "shape");
  k->strain[2] = 1.0;
  if (strcmp(word, "straight") == 0) {
    k->strain[2] = vv_number(s, "stretch");
  } else if (strcmp(word, "arc") == 0) {
    k->strain[2] = vv_number(s, "stretch");
    k->curvature[1] = vv_number(s, "angle") / k->length;
  } else if (strcmp(word, "ring") == 0) {
    k->curvature[1] = 1.0 / vv_number(s, "radius");
  } else if (strcmp(word, "helix") == 0) {
    const double r = vv_number(s, "radius"), c = vv_number(s, "pitch") / (2.0 * VV_PI), size = hypot(r, c);
    k->curvature[1] = r / size / size;
    k->curvature[2] = c / size / size;
  } else {
    copy3(vv_numbers(s, "strain", NULL), k->strain);
    copy3(vv_numbers(s, "curvature", NULL), k->curvature);
    k->bump = strcmp(word, "bump") == 0;
    k->steps = !k->bump && vv_is(s, "steps", "cayley");
  }
}

/* d1 of the first node: the word, or e2 where the default lies along the axis. */
static const double *normal_of(const vv_group *g)
{
  static const double other[3] = {0, 1, 0};
  const double *axis = vv_numbers(g, "axis", NULL), *normal = vv_numbers(g, "normal", NULL);
  double frame[9];
  const bool plain = normal[0] == 1.0 && normal[1] == 0.0 && normal[2] == 0.0;
  return plain && vvi_norm3(axis) > 0.0 && !beam_frame(axis, normal, frame) ? other : normal;
}

bool beam_is_graded(const vv_group *g)
{
  return vv_number(g, "grading") != 1.0 || vv_has(g, "spacing");
}

/* Lengths l_e = first r^e, r^(n - 1) = grading; or in proportion to given numbers.                           [grids 10] */
double beam_fraction(const vv_group *g, int64_t i, int64_t elements)
{
  const double grading = vv_number(g, "grading");
  if (i == 0 || i == elements || elements < 2 || !beam_is_graded(g)) return (double)i / (double)elements;
  if (!vv_has(g, "spacing")) {
    const double step = log(grading) / (double)(elements - 1);
    return expm1(step * (double)i) / expm1(step * (double)elements);
  }
  int n;
  const double *part = vv_numbers(g, "spacing", &n);
  double before = 0.0, all = 0.0;
  for (int e = 0; e < n; e++) all += part[e], before += e < i ? part[e] : 0.0;
  return before / all;
}

double beam_length(const vv_group *g)
{
  if (vv_is(g, "shape", "ring")) return 2.0 * VV_PI * vv_number(vv_sub(g, "shape"), "radius");
  return vv_has(g, "length") ? vv_number(g, "length") : 1.0; /* none: refused, all other mistakes are told too */
}

bool beam_closed(const vv_group *g)
{
  return vv_boolean(g, "closed") || vv_is(g, "shape", "ring");
}

/* A ring about its centre: the first node lies along e, d1 points to the centre, d2 along the normal. */
static bool ring_of(const vv_group *g, curve *k)
{
  static const double first[3] = {1, 0, 0}, second[3] = {0, 1, 0};
  const vv_group *s = vv_sub(g, "shape");
  const double *normal = vv_numbers(s, "normal", NULL);
  double frame[9], inward[3], along[3];
  if (!beam_frame(normal, first, frame) && !beam_frame(normal, second, frame))
    return false; /* e, n x e, n by columns */
  for (int c = 0; c < 3; c++) inward[c] = -frame[3 * c], along[c] = frame[3 * c + 1];
  for (int c = 0; c < 3; c++) k->x[c] -= vv_number(s, "radius") * inward[c];
  return beam_frame(along, inward, k->frame);
}

static bool curve_of(const vv_group *g, double length, curve *k)
{
  *k = (curve){.length = length};
  constants(g, k);
  copy3(vv_numbers(g, "position", NULL), k->x);
  if (vv_is(g, "shape", "ring")) return ring_of(g, k);
  return beam_frame(vv_numbers(g, "axis", NULL), normal_of(g), k->frame);
}

/* ---- places ---- */

static void put(const curve *k, const double turn[9], const double way[3], double x[3], double frame[9])
{
  vvi_apply33(k->frame, way, x);
  for (int c = 0; c < 3; c++) x[c] += k->x[c];
  vvi_mul33(k->frame, turn, frame);
}

static void uniform_at(const curve *k, double s, double x[3], double frame[9])
{
  double w[3], u[3], turn[9], way[3];
  for (int c = 0; c < 3; c++) w[c] = s * k->curvature[c], u[c] = s * k->strain[c];
  vvi_exp_se3(w, u, turn, way);
  put(k, turn, way, x, frame);
}

/* A bump bends about one axis only, so its frames are exact:                                                  [beam 23]
 *   Lambda(S) = Lambda(0) exp(K sigma(S)),   sigma = int sin^2(pi S/L) dS = S/2 - L sin(2 pi S/L)/(4 pi)
 * and the places are a plain integral of Lambda (e3 + G sin^2). */
static void bump_turn(const curve *k, double s, double turn[9])
{
  const double L = k->length, sigma = 0.5 * s - L / (4.0 * VV_PI) * sin(2.0 * VV_PI * s / L);
  double w[3];
  for (int c = 0; c < 3; c++) w[c] = sigma * k->curvature[c];
  vvi_exp(w, turn);
}

/* Pieces of an element: each turns by less than a quarter and is less than a sixteenth of the beam. */
static int64_t bump_pieces(const curve *k, int64_t elements)
{
  const double turn = 4.0 * vvi_norm3(k->curvature) * k->length / (double)elements;
  return 1 + (int64_t)turn + 15 / elements;
}

/* Adds the way over [s, s + h], eight Gauss points: the error is far below rounding.  `lost` carries what the sum
 * rounds off. */
static void bump_piece(const curve *k, double s, double h, double way[3], double lost[3])
{
  static const double point[4] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                  0.96028985649753623168};
  static const double weight[4] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                   0.10122853629037625915};
  double sum[3] = {0, 0, 0};
  for (int i = 0; i < 8; i++) {
    const double at = s + 0.5 * h * (1.0 + (i < 4 ? -point[3 - i] : point[i - 4]));
    const double wave = sin(VV_PI * at / k->length), weigh = 0.5 * h * (i < 4 ? weight[3 - i] : weight[i - 4]);
    double turn[9], g[3] = {0, 0, 1}, d[3];
    for (int c = 0; c < 3; c++) g[c] += k->strain[c] * wave * wave;
    bump_turn(k, at, turn);
    vvi_apply33(turn, g, d);
    for (int c = 0; c < 3; c++) sum[c] += weigh * d[c];
  }
  for (int c = 0; c < 3; c++) {
    const double add = sum[c] - lost[c], now = way[c] + add;
    lost[c] = (now - way[c]) - add;
    way[c] = now;
  }
}

/* Places and frames of nodes 0 .. elements; x and frame may be NULL: only `last` is wanted, the way to S = L. */
static void bump_nodes(const vv_group *g, const curve *k, int64_t n, int64_t elements, double *x, double *frame,
                       double last[3])
{
  const bool graded = beam_is_graded(g);
  const int64_t pieces = graded ? bump_pieces(k, 1) : bump_pieces(k, elements);
  double way[3] = {0, 0, 0}, lost[3] = {0, 0, 0}, turn[9];
  for (int64_t i = 0; i <= elements; i++) {
    const double s = graded ? k->length * beam_fraction(g, i, elements) : k->length * (double)i / (double)elements;
    const double next = graded && i < elements ? k->length * beam_fraction(g, i + 1, elements) - s : 0.0;
    const double h = (graded ? next : k->length / (double)elements) / (double)pieces;
    if (x != NULL && i < n) {
      bump_turn(k, s, turn);
      put(k, turn, way, x + 3 * i, frame + 9 * i);
    }
    for (int64_t j = 0; i < elements && j < pieces; j++) bump_piece(k, s + h * (double)j, h, way, lost);
  }
  if (last != NULL) copy3(way, last);
}

static vv_status file_shape(const vv_group *g, int64_t n, double *x, double *frame)
{
  vvi_columns t;
  VV_TRY(beam_polygon_read(g, n, &t));
  const vv_status status = beam_polygon_shape(g, &t, x, frame);
  vvi_columns_free(&t);
  return status;
}

/* g_{a+1} = g_a tau(l (K, G)), tau the Cayley map of SE(3): the discrete strain is the same in every element. */
static void stepped_nodes(const curve *k, int64_t n, int64_t elements, double *x, double *frame)
{
  const double l = k->length / (double)elements;
  double w[3], u[3], turn[9], way[3], step[3];
  for (int c = 0; c < 3; c++) w[c] = l * k->curvature[c], u[c] = l * k->strain[c];
  vvi_cay_se3(w, u, turn, way);
  copy3(k->x, x);
  memcpy(frame, k->frame, sizeof k->frame);
  for (int64_t i = 1; i < n; i++) {
    vvi_apply33(frame + 9 * (i - 1), way, step);
    for (int c = 0; c < 3; c++) x[3 * i + c] = x[3 * (i - 1) + c] + step[c];
    vvi_mul33(frame + 9 * (i - 1), turn, frame + 9 * i);
  }
}

vv_status beam_shape(const vv_group *g, int64_t n, int64_t elements, double length, double *x, double *frame)
{
  curve k;
  if (vv_is(g, "shape", "nodes")) return file_shape(g, n, x, frame);
  if (!curve_of(g, length, &k)) return vv_complain(g, "axis", "gives no frame; measure should have said so");
  if (k.bump)
    bump_nodes(g, &k, n, elements, x, frame, NULL);
  else if (k.steps)
    stepped_nodes(&k, n, elements, x, frame);
  else
    for (int64_t i = 0; i < n; i++)
      uniform_at(&k, beam_is_graded(g) ? length * beam_fraction(g, i, elements) : length * (double)i / (double)elements,
                 x + 3 * i, frame + 9 * i);
  return VV_OK;
}

/* ---- motion ---- */

/* Nodes within this fraction of a jump are on it. */
static const double same = 1e-9;

/* Linear between the fractions, constant outside; on a jump the first value.                               [beam 26] */
static double profile_at(const vv_group *p, double s)
{
  int n;
  const double *at = vv_numbers(p, "at", &n), *factor = vv_numbers(p, "factor", NULL);
  int k = 0;
  while (k < n && at[k] < s - same) k++;
  if (k == n) return factor[n - 1];
  if (k == 0 || at[k] <= s + same) return factor[k];
  return factor[k - 1] + (factor[k] - factor[k - 1]) * ((s - at[k - 1]) / (at[k] - at[k - 1]));
}

static void add_profiles(const vv_group *g, const char *name, int64_t n, int64_t elements, double *out)
{
  for (int j = 0; vv_has(g, name) && j < vv_count(g, name); j++) {
    const vv_group *p = vv_item(g, name, j);
    const double *direction = vv_numbers(p, "direction", NULL);
    for (int64_t i = 0; i < n; i++) {
      const double factor = profile_at(p, beam_fraction(g, i, elements));
      for (int c = 0; c < 3; c++) out[3 * i + c] += factor * direction[c];
    }
  }
}

static void centre_of_mass(int64_t n, const double *x, const double *m, double centre[3])
{
  double mass = 0.0;
  for (int64_t i = 0; i < n; i++) mass += m[i];
  for (int c = 0; c < 3; c++) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) sum += m[i] * (x[3 * i + c] - x[c]);
    centre[c] = x[c] + sum / mass;
  }
}

/* Every node is on the way to its place in another uniform shape, which it would reach after `time`: the velocity of the
 * Cayley map, tau^-1(g^-1 g')/time, in the frame of the node. */
static vv_status add_toward(const vv_group *g, int64_t n, int64_t elements, const double *x, const double *frame,
                            double *v, double *w)
{
  const vv_group *to = vv_sub(g, "toward");
  const double time = vv_number(to, "time");
  double *places = malloc((size_t)n * 12 * sizeof(double));
  curve k;
  if (places == NULL) return vv_complain(g, "elements", "out of memory for %lld nodes", (long long)n);
  curve_of(g, beam_length(g), &k);
  copy3(vv_numbers(to, "position", NULL), k.x);
  copy3(vv_numbers(to, "strain", NULL), k.strain);
  copy3(vv_numbers(to, "curvature", NULL), k.curvature);
  stepped_nodes(&k, n, elements, places, places + 3 * n);
  for (int64_t i = 0; i < n; i++) {
    double turn[9], d[3], way[3], omega[3], gamma[3], out[3];
    vvi_tmul33(frame + 9 * i, places + 3 * n + 9 * i, turn);
    for (int c = 0; c < 3; c++) d[c] = places[3 * i + c] - x[3 * i + c];
    vvi_tapply33(frame + 9 * i, d, way);
    vvi_cay_se3_inverse(turn, way, omega, gamma);
    vvi_apply33(frame + 9 * i, gamma, out);
    for (int c = 0; c < 3; c++) v[3 * i + c] += out[c] / time;
    vvi_apply33(frame + 9 * i, omega, out);
    for (int c = 0; c < 3; c++) w[3 * i + c] += out[c] / time;
  }
  free(places);
  return VV_OK;
}

vv_status beam_motion(const vv_group *g, int64_t n, int64_t elements, const double *x, const double *frame,
                      const double *m, double *v, double *w)
{
  const double *velocity = vv_numbers(g, "velocity", NULL), *spin = vv_numbers(g, "spin", NULL);
  double centre[3];
  centre_of_mass(n, x, m, centre);
  for (int64_t i = 0; i < n; i++) {
    const double arm[3] = {x[3 * i] - centre[0], x[3 * i + 1] - centre[1], x[3 * i + 2] - centre[2]};
    vvi_cross3(spin, arm, v + 3 * i);
    for (int c = 0; c < 3; c++) v[3 * i + c] += velocity[c];
    copy3(spin, w + 3 * i);
  }
  add_profiles(g, "velocity_profile", n, elements, v);
  add_profiles(g, "spin_profile", n, elements, w);
  if (vv_has(g, "toward")) VV_TRY(add_toward(g, n, elements, x, frame, v, w));
  if (!vv_is(g, "shape", "nodes")) return VV_OK;
  vvi_columns t;
  VV_TRY(beam_polygon_read(g, n, &t));
  beam_polygon_motion(&t, v, w);
  vvi_columns_free(&t);
  return VV_OK;
}

/* ---- checks ---- */

static vv_status check_profiles(const vv_group *g, const char *name)
{
  vv_status status = VV_OK;
  for (int j = 0; vv_has(g, name) && j < vv_count(g, name); j++) {
    const vv_group *p = vv_item(g, name, j);
    int n, m;
    const double *at = vv_numbers(p, "at", &n);
    vv_numbers(p, "factor", &m);
    if (n != m) status = vv_complain(p, "factor", "has %d numbers for the %d of 'at'; write one per fraction", m, n);
    for (int i = 1; i < n; i++)
      if (at[i] < at[i - 1]) {
        status = vv_complain(p, "at", "%g follows %g; fractions must not decrease", at[i], at[i - 1]);
        break;
      }
  }
  return status;
}

/* The frame of a ring follows from its own normal: other directions would be lost. */
static vv_status check_ring(const vv_group *g)
{
  const vv_group *s = vv_sub(g, "shape");
  const double *axis = vv_numbers(g, "axis", NULL), *normal = vv_numbers(g, "normal", NULL);
  double unit[3];
  if (!beam_unit(vv_numbers(s, "normal", NULL), unit)) return vv_complain(s, "normal", "must not be zero");
  const double *turned = normal[0] != 1.0 || normal[1] != 0.0 || normal[2] != 0.0 ? normal
                         : axis[0] != 0.0 || axis[1] != 0.0 || axis[2] != 1.0     ? axis
                                                                                  : NULL;
  if (turned == NULL) return VV_OK;
  return vv_complain(
      g, turned == normal ? "normal" : "axis",
      "a ring is turned by its own normal; leave this out and write `shape: {ring: {radius: %g, normal: [%g, "
      "%g, %g]}}`",
      vv_number(s, "radius"), turned[0], turned[1], turned[2]);
}

static vv_status check_directions(const vv_group *g)
{
  if (vv_is(g, "shape", "ring")) return check_ring(g);
  const double *axis = vv_numbers(g, "axis", NULL), *normal = normal_of(g);
  double unit[3], frame[9];
  vv_status status = VV_OK;
  if (!beam_unit(axis, unit)) status = vv_complain(g, "axis", "must not be zero");
  if (!beam_unit(normal, unit)) status = vv_complain(g, "normal", "must not be zero");
  if (status != VV_OK || beam_frame(axis, normal, frame)) return status;
  return vv_complain(g, "normal", "must not be parallel to 'axis'; say [%s], for example",
                     fabs(axis[1]) < 0.5 * vvi_norm3(axis) ? "0, 1, 0" : "0, 0, 1");
}

/* An element that turns by half a turn has no strain: cay^-1 ends there. */
static vv_status check_curve(const vv_group *g, const curve *k, int64_t elements)
{
  const double turn = vvi_norm3(k->curvature) * k->length / (double)elements;
  const vv_group *s = vv_sub(g, "shape");
  if (!(turn < 3.0))
    return vv_complain(g, "elements", "each would turn by %.3g rad in the shape %s; use %.0f or more", turn,
                       vv_text(g, "shape"), ceil((double)elements * turn / 1.5));
  const double stretch = k->bump ? 1.0 + k->strain[2] : k->strain[2];
  if ((k->bump || vv_is(g, "shape", "uniform")) && vvi_norm3(k->strain) > 0.0 && !(stretch >= 1e-3))
    return vv_complain(s, "strain", "a stretch of %.3g turns the beam inside out or to nothing; stay above 1e-3",
                       stretch);
  if (!k->bump && vvi_norm3(k->strain) == 0.0)
    return vv_complain(s, "strain", "all nodes would lie in one place; [0, 0, 1] is a beam without strain");
  return VV_OK;
}

/* The end S = L of a closed beam is its beginning. */
static vv_status check_closed(const vv_group *g, const curve *k, int64_t elements)
{
  double x[3], frame[9], turn[9], way[3], gap[3], angle = 0.0;
  if (k->bump) {
    bump_nodes(g, k, 0, elements, NULL, NULL, way);
    bump_turn(k, k->length, turn);
    put(k, turn, way, x, frame);
  } else {
    uniform_at(k, k->length, x, frame);
  }
  for (int c = 0; c < 3; c++) gap[c] = x[c] - k->x[c];
  for (int c = 0; c < 9; c++) angle += 0.5 * (frame[c] - k->frame[c]) * (frame[c] - k->frame[c]);
  angle = 2.0 * asin(fmin(1.0, 0.5 * sqrt(angle)));
  if (vvi_norm3(gap) <= 1e-9 * k->length && angle <= 1e-9) return VV_OK;
  return vv_complain(g, "closed",
                     "the shape %s does not close: its ends are %.3g m and %.3g rad apart; use "
                     "{arc: {angle: 6.283185307179586}} or a file of nodes",
                     vv_text(g, "shape"), vvi_norm3(gap), angle);
}

static vv_status check_file(const vv_group *g, int64_t elements)
{
  const int64_t n = beam_closed(g) ? elements : elements + 1;
  vvi_columns t;
  VV_TRY(beam_polygon_read(g, n, &t));
  double *work = malloc((size_t)n * 12 * sizeof(double));
  const vv_status status = work != NULL ? beam_polygon_shape(g, &t, work, work + 3 * n)
                                        : vv_complain(g, "elements", "out of memory for %lld nodes", (long long)n);
  free(work);
  vvi_columns_free(&t);
  return status;
}

vv_status beam_shape_check(const vv_group *g, int64_t elements)
{
  vv_status status = check_profiles(g, "velocity_profile");
  curve k;
  if (check_profiles(g, "spin_profile") != VV_OK) status = VV_SCENE;
  if (vv_has(g, "toward") && !(vv_is(g, "shape", "uniform") && vv_is(vv_sub(g, "shape"), "steps", "cayley")))
    return vv_complain(g, "toward", "is for 'shape: {uniform: {steps: cayley, ...}}'");
  if (vv_is(g, "shape", "nodes")) return check_file(g, elements) != VV_OK ? VV_SCENE : status;
  if (check_directions(g) != VV_OK) return VV_SCENE;
  curve_of(g, beam_length(g), &k);
  if (check_curve(g, &k, elements) != VV_OK) return VV_SCENE;
  if (beam_closed(g) && check_closed(g, &k, elements) != VV_OK) status = VV_SCENE;
  return status;
}
