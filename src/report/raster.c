/* report/raster.c  Every shape is first a mask of how much of each pixel it covers, made of thick line segments with round
 * ends, then laid over the picture in its colour: where lines of one shape cross, they are not darker. */
#include "report/raster.h"
#include "report/strokes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 16, NAME = 24, VALUE = 96 };

/* What a group sets for all that is in it. */
typedef struct style {
  unsigned char fill[3], stroke[3];
  bool fills, strokes;
  double width, opacity, size;
  double dash[2]; /* on and off; 0: whole lines */
} style;

typedef struct canvas {
  int width, height, scale;
  unsigned char *rgb;
  unsigned char *mask;
  int box[4]; /* of the mask that is not empty: x from, to, y from, to */
} canvas;

/* ---- masks ---- */

static void clear_box(canvas *c)
{
  c->box[0] = c->width, c->box[2] = c->height, c->box[1] = c->box[3] = -1;
}

static void cover(canvas *c, int x, int y, double share)
{
  if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(share > 0)) return;
  unsigned char *m = &c->mask[(size_t)y * (size_t)c->width + (size_t)x];
  const unsigned value = share >= 1 ? 255 : (unsigned)(255 * share + 0.5);
  if (value > *m) *m = (unsigned char)value;
  if (x < c->box[0]) c->box[0] = x;
  if (x > c->box[1]) c->box[1] = x;
  if (y < c->box[2]) c->box[2] = y;
  if (y > c->box[3]) c->box[3] = y;
}

static int clamp(double x, int low, int high)
{
  return x < low ? low : x > high ? high : (int)x;
}

/* All pixels nearer than half the width to the segment; at the rim by how much.  In pixels. */
static void segment(canvas *c, double ax, double ay, double bx, double by, double width)
{
  const double half = fmax(0.5 * width, 0.35), reach = half + 1, dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
  if (!isfinite(square)) return;
  const int y0 = clamp(floor(fmin(ay, by) - reach), 0, c->height),
            y1 = clamp(ceil(fmax(ay, by) + reach), -1, c->height - 1);
  const int x0 = clamp(floor(fmin(ax, bx) - reach), 0, c->width),
            x1 = clamp(ceil(fmax(ax, bx) + reach), -1, c->width - 1);
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      const double px = x + 0.5 - ax, py = y + 0.5 - ay, along = square > 0 ? (px * dx + py * dy) / square : 0;
      const double t = along < 0 ? 0 : along > 1 ? 1 : along, d = hypot(px - t * dx, py - t * dy);
      cover(c, x, y, half + 0.5 - d);
    }
}

static void lay(canvas *c, const unsigned char colour[3], double opacity)
{
  for (int y = c->box[2]; y <= c->box[3]; y++)
    for (int x = c->box[0]; x <= c->box[1]; x++) {
      const size_t at = (size_t)y * (size_t)c->width + (size_t)x;
      const double share = opacity * c->mask[at] / 255.0;
      c->mask[at] = 0;
      for (int k = 0; k < 3; k++) {
        unsigned char *to = &c->rgb[3 * at + (size_t)k];
        *to = (unsigned char)(*to + share * (colour[k] - *to) + 0.5);
      }
    }
  clear_box(c);
}

/* ---- pens: points of the picture, in its units ---- */

typedef struct pen {
  canvas *c;
  const style *s;
  double x, y, gone; /* gone: along the line, for dashes */
} pen;

static void move(pen *p, double x, double y)
{
  p->x = x, p->y = y, p->gone = 0;
}

static void solid(const pen *p, double ax, double ay, double bx, double by)
{
  const double s = p->c->scale;
  segment(p->c, s * ax, s * ay, s * bx, s * by, s * p->s->width);
}

static void line(pen *p, double x, double y)
{
  const double dx = x - p->x, dy = y - p->y, length = hypot(dx, dy), on = p->s->dash[0], period = on + p->s->dash[1];
  if (on <= 0 || !(length > 0) || length > 1e5) {
    solid(p, p->x, p->y, x, y);
  } else {
    for (double at = -fmod(p->gone, period); at < length; at += period) {
      const double from = fmax(at, 0), to = fmin(at + on, length);
      if (to > from)
        solid(p, p->x + dx * from / length, p->y + dy * from / length, p->x + dx * to / length,
              p->y + dy * to / length);
    }
  }
  p->gone += length, p->x = x, p->y = y;
}

/* ---- reading ---- */

/* The value of an attribute of the element whose text begins at `e`; "": it has none. */
static const char *attribute(const char *e, const char *name, char out[], size_t room)
{
  const size_t n = strlen(name);
  const char *end = strchr(e, '>');
  out[0] = '\0';
  for (const char *c = strchr(e, ' '); c != NULL && c < end; c = strchr(c + 1, ' ')) {
    if (strncmp(c + 1, name, n) != 0 || c[1 + n] != '=' || c[2 + n] != '"') continue;
    const char *from = c + 3 + n, *to = strchr(from, '"');
    snprintf(out, room, "%.*s", to != NULL ? (int)(to - from) : 0, from);
    return from;
  }
  return out;
}

static double number(const char *e, const char *name, double otherwise)
{
  char text[VALUE];
  attribute(e, name, text, sizeof text);
  return text[0] != '\0' ? strtod(text, NULL) : otherwise;
}

static int digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

/* #rgb, #rrggbb or none; false: the attribute is not there. */
static bool colour(const char *e, const char *name, unsigned char out[3], bool *some)
{
  char text[VALUE];
  attribute(e, name, text, sizeof text);
  if (text[0] == '\0') return false;
  *some = text[0] == '#';
  const int n = *some && strlen(text) == 7 ? 2 : 1;
  for (int k = 0; *some && k < 3; k++)
    out[k] = (unsigned char)(n == 2 ? 16 * digit(text[1 + 2 * k]) + digit(text[2 + 2 * k]) : 17 * digit(text[1 + k]));
  return true;
}

static style inherit(const style *above, const char *e)
{
  style s = *above;
  char dash[VALUE], *rest;
  colour(e, "fill", s.fill, &s.fills);
  colour(e, "stroke", s.stroke, &s.strokes);
  s.width = number(e, "stroke-width", s.width);
  s.opacity = number(e, "stroke-opacity", s.opacity);
  s.size = number(e, "font-size", s.size);
  attribute(e, "stroke-dasharray", dash, sizeof dash);
  if (dash[0] != '\0') s.dash[0] = strtod(dash, &rest), s.dash[1] = strtod(rest, NULL);
  return s;
}

/* ---- elements ---- */

static void draw_rect(canvas *c, const style *s, const char *e)
{
  char width[VALUE];
  attribute(e, "width", width, sizeof width);
  if (strchr(width, '%') != NULL) { /* the paper */
    for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; i++) memcpy(c->rgb + 3 * i, s->fill, 3);
    return;
  }
  const double x = number(e, "x", 0), y = number(e, "y", 0), w = number(e, "width", 0), h = number(e, "height", 0);
  pen p = {.c = c, .s = s};
  if (!s->strokes) return;
  move(&p, x, y), line(&p, x + w, y), line(&p, x + w, y + h), line(&p, x, y + h), line(&p, x, y);
  lay(c, s->stroke, s->opacity);
}

static void draw_circle(canvas *c, const style *s, const char *e)
{
  const double x = c->scale * number(e, "cx", 0), y = c->scale * number(e, "cy", 0);
  segment(c, x, y, x, y, 2 * c->scale * number(e, "r", 1));
  lay(c, s->fill, 1);
}

static void draw_path(canvas *c, const style *s, const char *e)
{
  char none[2];
  const char *d = attribute(e, "d", none, sizeof none);
  pen p = {.c = c, .s = s};
  for (char *rest; *d != '"' && *d != '\0'; d = rest) {
    const char what = *d++;
    const double a = strtod(d, &rest), b = what == 'M' || what == 'L' ? strtod(rest, &rest) : 0;
    if (rest == d) break; /* not a path of ours */
    if (what == 'M') move(&p, a, b);
    if (what == 'L') line(&p, a, b);
    if (what == 'H') line(&p, a, p.y);
    if (what == 'h') line(&p, p.x + a, p.y);
    if (what == 'V') line(&p, p.x, a);
  }
  lay(c, s->stroke, s->opacity);
}

static void draw_polyline(canvas *c, const style *s, const char *e)
{
  char none[2], *rest;
  const char *at = attribute(e, "points", none, sizeof none);
  pen p = {.c = c, .s = s};
  for (bool first = true; *at != '"' && *at != '\0'; first = false) {
    const double x = strtod(at, &rest), y = *rest == ',' ? strtod(rest + 1, &rest) : 0;
    if (rest == at) break;
    if (first)
      move(&p, x, y), solid(&p, x, y, x, y);
    else
      line(&p, x, y);
    for (at = rest; *at == ' ';) at++;
  }
  lay(c, s->stroke, s->opacity);
}

/* Convex: a pixel is inside if it is on one side of all edges; the rim, a line of the same colour, smooths the edge. */
static void draw_polygon(canvas *c, const style *s, const char *e)
{
  enum { MOST = 8 };
  char none[2], *rest;
  const char *text = attribute(e, "points", none, sizeof none);
  double at[MOST][2], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  int n = 0;
  for (; n < MOST && *text != '"' && *text != '\0'; n++) {
    at[n][0] = strtod(text, &rest), at[n][1] = *rest == ',' ? strtod(rest + 1, &rest) : 0;
    if (rest == text) break;
    for (int k = 0; k < 2; k++) {
      at[n][k] *= c->scale;
      low[k] = fmin(low[k], at[n][k]), high[k] = fmax(high[k], at[n][k]);
    }
    for (text = rest; *text == ' ';) text++;
  }
  if (n < 3 || !isfinite(low[0] + low[1] + high[0] + high[1])) return;
  for (int y = clamp(floor(low[1]), 0, c->height); y <= clamp(ceil(high[1]), -1, c->height - 1); y++)
    for (int x = clamp(floor(low[0]), 0, c->width); x <= clamp(ceil(high[0]), -1, c->width - 1); x++) {
      int left = 0, right = 0;
      for (int i = 0; i < n; i++) {
        const double *a = at[i], *b = at[(i + 1) % n];
        const double side = (b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0]);
        left += side >= 0, right += side <= 0;
      }
      if (left == n || right == n) cover(c, x, y, 1);
    }
  for (int i = 0; i < n; i++)
    segment(c, at[i][0], at[i][1], at[(i + 1) % n][0], at[(i + 1) % n][1], c->scale * s->width);
  lay(c, s->fill, 1);
}

/* ---- words ---- */

/* The next character of a text: entities are what they mean, letters of several bytes one box. */
static int next_letter(const char **text)
{
  static const struct {
    const char *name;
    char letter;
  } entity[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}};
  for (int i = 0; i < VV_COUNT(entity); i++)
    if (strncmp(*text, entity[i].name, strlen(entity[i].name)) == 0) {
      *text += strlen(entity[i].name);
      return entity[i].letter;
    }
  const unsigned char c = (unsigned char)*(*text)++;
  while (c >= 0xc0 && ((unsigned char)**text & 0xc0) == 0x80) ++*text;
  return c;
}

static double text_width(const char *text, const char *end, double unit)
{
  double sum = 0;
  for (int wide; text < end; sum += unit * (wide + VVI_STROKES_GAP)) vvi_strokes(next_letter(&text), &wide);
  return sum - unit * VVI_STROKES_GAP;
}

/* One letter with its base line at x, y; upright: read from below. */
static void draw_letter(pen *p, const char *strokes, double x, double y, double unit, bool upright)
{
  for (bool down = false; *strokes != '\0';) {
    const double u = unit * (strokes[0] - '0'), v = unit * (strokes[1] - '0' - VVI_STROKES_BASE);
    const double px = upright ? x - v : x + u, py = upright ? y - u : y - v;
    if (!down) move(p, px, py), solid(p, px, py, px, py);
    line(p, px, py);
    down = strokes[2] == ' ';
    strokes += strokes[2] == '\0' ? 2 : 3;
  }
}

static void draw_letters(canvas *c, const style *s, const char *text, const char *end, double x, double y, double unit,
                         bool upright)
{
  pen p = {.c = c, .s = s};
  for (int wide; text < end;) {
    draw_letter(&p, vvi_strokes(next_letter(&text), &wide), x, y, unit, upright);
    if (upright)
      y -= unit * (wide + VVI_STROKES_GAP);
    else
      x += unit * (wide + VVI_STROKES_GAP);
  }
}

static void draw_text(canvas *c, const style *s, const char *e)
{
  char anchor[NAME], weight[NAME], turn[VALUE];
  const char *text = strchr(e, '>') + 1, *end = strstr(text, "</text>");
  attribute(e, "text-anchor", anchor, sizeof anchor);
  attribute(e, "font-weight", weight, sizeof weight);
  attribute(e, "transform", turn, sizeof turn);
  if (end == NULL) return;
  const bool upright = turn[0] != '\0';
  const double unit = 0.72 * s->size / (VVI_STROKES_TOP - VVI_STROKES_BASE), width = text_width(text, end, unit);
  const double back = strcmp(anchor, "middle") == 0 ? 0.5 * width : strcmp(anchor, "end") == 0 ? width : 0;
  const double x = number(e, "x", 0) - (upright ? 0 : back), y = number(e, "y", 0) + (upright ? back : 0);
  style pencil = *s;
  pencil.dash[0] = 0;
  if (s->strokes) { /* a rim of paper about it */
    pencil.width = (strcmp(weight, "bold") == 0 ? 0.13 : 0.085) * s->size + s->width;
    draw_letters(c, &pencil, text, end, x, y, unit, upright);
    lay(c, s->stroke, 1);
  }
  pencil.width = (strcmp(weight, "bold") == 0 ? 0.13 : 0.085) * s->size;
  draw_letters(c, &pencil, text, end, x, y, unit, upright);
  lay(c, s->fill, 1);
}

/* ---- the picture ---- */

static bool is(const char *e, const char *name)
{
  const size_t n = strlen(name);
  return strncmp(e, name, n) == 0 && (e[n] == ' ' || e[n] == '>' || e[n] == '/');
}

static void draw_all(canvas *c, const char *svg)
{
  style level[DEEP] = {{.fills = true, .width = 1, .opacity = 1, .size = 12}};
  int deep = 0;
  for (const char *e = strchr(svg, '<'); e != NULL; e = strchr(e, '<')) {
    e++;
    if (strncmp(e, "/g>", 3) == 0 && deep > 0) deep--;
    const style s = *e != '/' && strchr(e, '>') != NULL ? inherit(&level[deep], e) : level[deep];
    if (is(e, "g") && deep + 1 < DEEP) level[++deep] = s;
    if (is(e, "rect")) draw_rect(c, &s, e);
    if (is(e, "circle")) draw_circle(c, &s, e);
    if (is(e, "path")) draw_path(c, &s, e);
    if (is(e, "polyline")) draw_polyline(c, &s, e);
    if (is(e, "polygon")) draw_polygon(c, &s, e);
    if (is(e, "text")) draw_text(c, &s, e);
  }
}

vv_status vvi_raster(const char *svg, int scale, int *width, int *height, unsigned char **rgb)
{
  const char *e = strstr(svg, "<svg ");
  *rgb = NULL;
  if (e == NULL) return VV_ARG;
  const double w = number(e, "width", 0), h = number(e, "height", 0), most = 30000;
  if (!(w > 0 && h > 0 && w * scale < most && h * scale < most)) return VV_ARG;
  canvas c = {.width = (int)(w * scale), .height = (int)(h * scale), .scale = scale};
  const size_t pixels = (size_t)c.width * (size_t)c.height;
  c.rgb = malloc(3 * pixels);
  c.mask = calloc(pixels, 1);
  if (c.rgb == NULL || c.mask == NULL) {
    free(c.rgb);
    free(c.mask);
    return VV_NOMEM;
  }
  memset(c.rgb, 255, 3 * pixels);
  clear_box(&c);
  draw_all(&c, e);
  free(c.mask);
  *width = c.width, *height = c.height, *rgb = c.rgb;
  return VV_OK;
}
