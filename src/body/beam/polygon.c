/* body/beam/polygon.c  Places, frames and motion of nodes from a file. */
#include "body/beam/polygon.h"
#include "math/so3.h"

#include <stdlib.h>
#include <string.h>

static const char known[] = "x|y|z|d1x|d1y|d1z|d3x|d3y|d3z|vx|vy|vz|wx|wy|wz";

bool beam_unit(const double v[3], double out[3])
{
  const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(most > 0.0) || !isfinite(most)) return false;
  for (int c = 0; c < 3; c++) out[c] = v[c] / most;
  const double size = vvi_norm3(out);
  for (int c = 0; c < 3; c++) out[c] /= size;
  return true;
}

/* Twice made perpendicular: the second time removes what rounding left of the first. */
bool beam_frame(const double axis[3], const double normal[3], double frame[9])
{
  double d1[3], d2[3], d3[3];
  if (!beam_unit(axis, d3) || !beam_unit(normal, d1)) return false;
  for (int pass = 0; pass < 2; pass++) {
    const double along = vvi_dot3(d1, d3);
    for (int c = 0; c < 3; c++) d1[c] -= along * d3[c];
    if (vvi_norm3(d1) < 1e-6 || !beam_unit(d1, d1)) return false;
  }
  vvi_cross3(d3, d1, d2);
  for (int c = 0; c < 3; c++) frame[3 * c] = d1[c], frame[3 * c + 1] = d2[c], frame[3 * c + 2] = d3[c];
  return true;
}

/* ---- reading ---- */

static vv_status check_columns(const vv_group *file, const vvi_columns *t)
{
  static const char *const group[5] = {"x", "d1x", "d3x", "vx", "wx"};
  bool has[5];
  for (int i = 0; i < 5; i++) {
    char name[VVI_TABLE_NAME];
    int found = 0;
    strcpy(name, group[i]);
    for (int c = 0; c < 3; c++) {
      name[strlen(name) - 1] = (char)('x' + c);
      found += vvi_columns_column(t, name) >= 0;
    }
    has[i] = found > 0;
    name[strlen(name) - 1] = '\0';
    if (found != 3 && (found > 0 || i == 0))
      return vv_complain(file, "file", "'%.100s' needs the three columns %sx %sy %sz", vv_text(file, "file"), name,
                         name, name);
  }
  if (has[1] != has[2])
    return vv_complain(file, "file", "'%.100s' has %s without %s; a frame needs both directors", vv_text(file, "file"),
                       has[1] ? "d1" : "d3", has[1] ? "d3" : "d1");
  return VV_OK;
}

static void triple(const vvi_columns *t, int64_t row, const char *first, double out[3])
{
  char name[VVI_TABLE_NAME];
  strcpy(name, first);
  for (int c = 0; c < 3; c++) {
    name[strlen(name) - 1] = (char)('x' + c);
    out[c] = vvi_columns_at(t, row, vvi_columns_column(t, name));
  }
}

static double segment(const vvi_columns *t, int64_t i, int64_t j, double d[3])
{
  double a[3], b[3];
  triple(t, i, "x", a);
  triple(t, j, "x", b);
  for (int c = 0; c < 3; c++) d[c] = b[c] - a[c];
  return vvi_norm3(d);
}

/* Neighbours apart; a closing element like the others. */
static vv_status check_segments(const vv_group *g, const vvi_columns *t)
{
  const vv_group *file = vv_sub(g, "shape");
  const char *text = vv_text(file, "file");
  double longest = 0.0, d[3];
  for (int64_t i = 0; i + 1 < t->rows; i++) {
    const double size = segment(t, i, i + 1, d);
    if (!isfinite(size) || size == 0.0)
      return vv_complain(file, "file", "'%.100s' line %lld: this node %s the one above", text,
                         (long long)t->line[i + 1], size == 0.0 ? "lies on" : "is too far from");
    longest = fmax(longest, size);
  }
  if (!beam_closed(g)) return VV_OK;
  const double join = segment(t, t->rows - 1, 0, d);
  if (join == 0.0)
    return vv_complain(file, "file", "'%.100s' line %lld: repeats the first node; a closed beam lists it once", text,
                       (long long)t->line[t->rows - 1]);
  if (join > 10.0 * longest)
    return vv_complain(g, "closed",
                       "the element from the last node of '%.100s' to the first would be %.6g long, the "
                       "others are %.6g at most; leave closed out, or list the whole ring",
                       text, join, longest);
  return VV_OK;
}

/* Written, and not as the echo of a scene writes the default. */
static bool turns(const vv_group *g, const char *name, const double plain[3])
{
  const double *v = vv_numbers(g, name, NULL);
  return vv_given(g, name) && (v[0] != plain[0] || v[1] != plain[1] || v[2] != plain[2]);
}

static vv_status check_words(const vv_group *g, const vvi_columns *t)
{
  vv_status status = VV_OK;
  if (turns(g, "axis", (const double[3]){0, 0, 1}))
    status = vv_complain(g, "axis", "the file of the nodes gives the directions; leave it out");
  if (vvi_columns_column(t, "d1x") >= 0 && turns(g, "normal", (const double[3]){1, 0, 0}))
    status = vv_complain(g, "normal", "the file of the nodes has frames of its own; leave it out");
  return status;
}

vv_status beam_polygon_read(const vv_group *g, int64_t n, vvi_columns *t)
{
  const vv_group *file = vv_sub(g, "shape");
  VV_TRY(vvi_columns_read(file, "file", known, t));
  vv_status status = check_columns(file, t);
  if (check_words(g, t) != VV_OK) status = VV_SCENE;
  if (t->rows != n)
    status = vv_complain(file, "file", "'%.100s' lists %lld nodes, but %lld elements%s have %lld",
                         vv_text(file, "file"), (long long)t->rows, (long long)vv_integer(g, "elements"),
                         beam_closed(g) ? " of a closed beam" : "", (long long)n);
  if (status == VV_OK) status = check_segments(g, t);
  if (status != VV_OK) vvi_columns_free(t);
  return status;
}

/* ---- frames ---- */

/* d3 along the chord between the two neighbours.  At an open end the neighbour's d3, reflected in the end segment:
 * exact on a circle, like the chord.                                                                       [beam 24] */
static bool tangent_at(const vvi_columns *t, bool closed, int64_t i, double d3[3])
{
  const int64_t n = t->rows;
  double d[3], end[3];
  if (closed || (i > 0 && i < n - 1)) {
    segment(t, (i + n - 1) % n, (i + 1) % n, d);
    return beam_unit(d, d3);
  }
  segment(t, i == 0 ? 0 : n - 2, i == 0 ? 1 : n - 1, d);
  if (!beam_unit(d, end)) return false;
  memcpy(d3, end, sizeof end);
  if (n < 3) return true;
  segment(t, i == 0 ? 0 : n - 3, i == 0 ? 2 : n - 1, d);
  if (!beam_unit(d, d)) return false;
  const double along = vvi_dot3(d, end);
  for (int c = 0; c < 3; c++) d3[c] = 2.0 * along * end[c] - d[c];
  return beam_unit(d3, d3);
}

/* d1 goes from a to b by the smallest turn that takes d3 there:                                               [beam 25]
 * d1 <- d1 - (d1.b)/(1 + a.b) (a + b); then cleaned of rounding.  False: d3 turns back on itself. */
static bool transport(const double a[3], const double b[3], double d1[3], double frame[9])
{
  const double turn = 1.0 + vvi_dot3(a, b), along = vvi_dot3(d1, b);
  if (turn < 1e-3) return false;
  for (int c = 0; c < 3; c++) d1[c] -= along / turn * (a[c] + b[c]);
  return beam_frame(b, d1, frame);
}

static void column_of(const double frame[9], int c, double d[3])
{
  for (int r = 0; r < 3; r++) d[r] = frame[3 * r + c];
}

/* Round a closed curve d1 comes back turned by an angle; each node takes its share, so that no element twists alone. */
static bool close_frames(int64_t n, double *frame)
{
  double first[3], d1[3], d2[3], last3[3], first3[3], back[9];
  column_of(frame, 0, first);
  column_of(frame, 2, first3);
  column_of(frame + 9 * (n - 1), 0, d1);
  column_of(frame + 9 * (n - 1), 2, last3);
  if (!transport(last3, first3, d1, back)) return false;
  column_of(back, 0, d1);
  column_of(back, 1, d2);
  const double angle = atan2(vvi_dot3(first, d2), vvi_dot3(first, d1)); /* from the one that came back to the first */
  for (int64_t i = 1; i < n; i++) {
    double *f = frame + 9 * i;
    const double share = angle * (double)i / (double)n, cs = cos(share), sn = sin(share);
    for (int r = 0; r < 9; r += 3) {
      const double a = f[r], b = f[r + 1];
      f[r] = cs * a + sn * b, f[r + 1] = cs * b - sn * a;
    }
  }
  return true;
}

static vv_status fold(const vv_group *file, const vvi_columns *t, int64_t i)
{
  return vv_complain(file, "file",
                     "'%.100s' line %lld: the polygon folds back on itself here; give frames (d1, d3) or "
                     "more nodes",
                     vv_text(file, "file"), (long long)t->line[i]);
}

static vv_status transported_frames(const vv_group *g, const vvi_columns *t, double *frame)
{
  const vv_group *file = vv_sub(g, "shape");
  const bool closed = beam_closed(g);
  double before[3], d3[3], d1[3];
  if (!tangent_at(t, closed, 0, before)) return fold(file, t, 0);
  if (!beam_frame(before, vv_numbers(g, "normal", NULL), frame))
    return vv_complain(g, "normal",
                       "must not be zero or along the first segment of the file; say [0, 1, 0], for example");
  for (int64_t i = 1; i < t->rows; i++) {
    column_of(frame + 9 * (i - 1), 0, d1);
    if (!tangent_at(t, closed, i, d3) || !transport(before, d3, d1, frame + 9 * i)) return fold(file, t, i);
    memcpy(before, d3, sizeof d3);
  }
  return !closed || close_frames(t->rows, frame) ? VV_OK : fold(file, t, t->rows - 1);
}

static vv_status listed_frames(const vv_group *g, const vvi_columns *t, double *frame)
{
  const vv_group *file = vv_sub(g, "shape");
  for (int64_t i = 0; i < t->rows; i++) {
    double d1[3], d3[3], unit[3];
    triple(t, i, "d1x", d1);
    triple(t, i, "d3x", d3);
    if (!beam_frame(d3, d1, frame + 9 * i))
      return vv_complain(file, "file", "'%.100s' line %lld: %s", vv_text(file, "file"), (long long)t->line[i],
                         !beam_unit(d3, unit)   ? "d3 is zero; give the direction of the beam"
                         : !beam_unit(d1, unit) ? "d1 is zero; give a direction in the section"
                                                : "d1 is parallel to d3; it must lie in the section");
  }
  return VV_OK;
}

/* Neighbouring frames must differ by less than half a turn: cay^-1 ends there. */
static vv_status check_turns(const vv_group *g, const vvi_columns *t, const double *frame)
{
  const vv_group *file = vv_sub(g, "shape");
  const int64_t n = t->rows, last = beam_closed(g) ? n : n - 1;
  for (int64_t i = 0; i < last; i++) {
    const double *a = frame + 9 * i, *b = frame + 9 * ((i + 1) % n);
    double trace = 0.0;
    for (int c = 0; c < 9; c++) trace += a[c] * b[c];
    if (trace < -0.98) /* 3 rad */
      return vv_complain(file, "file",
                         "'%.100s' line %lld: the frame turns by almost half a turn to the next node; use "
                         "more nodes, or check d1 and d3",
                         vv_text(file, "file"), (long long)t->line[i]);
  }
  return VV_OK;
}

vv_status beam_polygon_shape(const vv_group *g, const vvi_columns *t, double *x, double *frame)
{
  const double *position = vv_numbers(g, "position", NULL);
  for (int64_t i = 0; i < t->rows; i++) {
    triple(t, i, "x", x + 3 * i);
    for (int c = 0; c < 3; c++) x[3 * i + c] += position[c];
  }
  VV_TRY(vvi_columns_column(t, "d1x") >= 0 ? listed_frames(g, t, frame) : transported_frames(g, t, frame));
  return check_turns(g, t, frame);
}

void beam_polygon_motion(const vvi_columns *t, double *v, double *w)
{
  static const char *const first[2] = {"vx", "wx"};
  double *const out[2] = {v, w};
  for (int k = 0; k < 2; k++)
    for (int64_t i = 0; vvi_columns_column(t, first[k]) >= 0 && i < t->rows; i++) {
      double one[3];
      triple(t, i, first[k], one);
      for (int c = 0; c < 3; c++) out[k][3 * i + c] += one[c];
    }
}
