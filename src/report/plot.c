/* report/plot.c  A small chart writer.  Everything is drawn in pixels of the page; one pass per panel. */
#include "report/plot.h"
#include "io/file.h"
#include "math/math.h"
#include "report/png.h"
#include "report/raster.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TICKS = 16, MANY_MARKS = 24, RASTER = 6, LABEL_TEXT = 48 };

/* Okabe and Ito: eight colours that stay apart for colour-blind readers (black first, yellow darkened for paper). */
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#e69f00", "#000000", "#9a8c00"};

typedef struct axis {
  double lo, hi; /* of the data; logarithms on a log axis */
  bool log;
  double from, to; /* pixels of lo and hi */
  int n_tick;
  double tick[MAX_TICKS]; /* in the same measure as lo, hi */
  double step;
} axis;

typedef struct sheet {
  vvi_file file;
  vv_status status; /* the first failure stays */
} sheet;

static void draw(sheet *s, const char *format, ...) VV_PRINTF(2, 3);
static void draw(sheet *s, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (s->status == VV_OK) s->status = vvi_file_text(&s->file, text);
}

/* Text from a scene may hold anything: escape the markup, drop control characters. */
static void draw_text(sheet *s, const char *text)
{
  for (const char *c = text; *c != '\0'; c++) {
    const char one[2] = {(unsigned char)*c < 0x20 ? ' ' : *c, '\0'};
    draw(s, "%s", *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : *c == '"' ? "&quot;" : one);
  }
}

static void draw_label(sheet *s, double x, double y, const char *style, const char *text)
{
  if (text == NULL || text[0] == '\0') return;
  draw(s, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  draw_text(s, text);
  draw(s, "</text>\n");
}

/* ---- axes ---- */

static double measure(const axis *a, double value)
{
  return a->log ? (value > 0 ? log10(value) : NAN) : value;
}

static double pixel(const axis *a, double measured)
{
  return a->from + (measured - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static void take(axis *a, double value)
{
  const double m = measure(a, value);
  if (!isfinite(m)) return;
  if (!(a->lo <= m)) a->lo = m;
  if (!(a->hi >= m)) a->hi = m;
}

/* Room where there is none: a constant series sits in the middle of its panel. */
static void widen(axis *a, double margin)
{
  if (!(a->lo <= a->hi)) a->lo = 0, a->hi = 1;
  const double size = fmax(fabs(a->lo), fabs(a->hi));
  double span = a->hi - a->lo;
  if (!(span > 1e-12 * size)) {
    const double room = a->log ? 1 : size > 0 ? 0.1 * size : 1;
    a->lo -= room, a->hi += room;
    span = 0;
  }
  a->lo -= margin * span;
  a->hi += margin * span;
}

/* A log axis of less than two decades: 1, 2 and 5 of each; one of less than a decade: some between. */
static void make_fine_ticks(axis *a)
{
  static const double lead[2][7] = {{1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}};
  const bool short_axis = a->hi - a->lo < 0.9;
  const int n = short_axis ? 7 : 3;
  for (int i = 0; i < 4 * n && a->n_tick < MAX_TICKS; i++) {
    const double t = floor(a->lo) + floor((double)i / n) + log10(lead[short_axis][i % n]);
    if (t >= a->lo - 1e-9 && t <= a->hi + 1e-9) a->tick[a->n_tick++] = t;
  }
}

/* 1, 2, 5 times a power of ten; whole decades on a log axis that has room for them. */
static void make_ticks(axis *a, int wanted)
{
  const double raw = (a->hi - a->lo) / wanted;
  const double power = pow(10, floor(log10(raw)));
  const double lead = raw / power;
  a->step = power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
  if (a->log && a->hi - a->lo < 2) {
    make_fine_ticks(a);
    return;
  }
  if (a->log) a->step = fmax(1, ceil(raw));
  const double first = ceil(a->lo / a->step - 1e-9);
  for (a->n_tick = 0; a->n_tick < MAX_TICKS; a->n_tick++) {
    const double t = (first + a->n_tick) * a->step;
    if (t > a->hi + 1e-9 * (a->hi - a->lo)) break;
    a->tick[a->n_tick] = t;
  }
}

static void tick_label(const axis *a, double tick, char out[LABEL_TEXT])
{
  if (a->log) {
    const int decade = (int)floor(tick + 1e-9);
    snprintf(out, LABEL_TEXT, "%.2ge%d", pow(10, tick - decade), decade);
    return;
  }
  if (fabs(tick) < 1e-9 * a->step) tick = 0;
  const double largest = fmax(fabs(a->lo), fabs(a->hi));
  const int decimals = (int)fmax(0, -floor(log10(a->step) + 1e-9));
  if (largest < 1e6 && decimals <= 4) {
    snprintf(out, LABEL_TEXT, "%.*f", decimals, tick);
    return;
  }
  const int digits = (int)fmax(1, ceil(log10(fmax(largest, a->step) / a->step)) + 1);
  snprintf(out, LABEL_TEXT, "%.*g", digits < 15 ? digits : 15, tick);
}

/* ---- one panel ---- */

static void draw_frame(sheet *s, const axis *x, const axis *y)
{
  char label[LABEL_TEXT];
  draw(s, "<g stroke=\"#e4e4e4\" stroke-width=\"1\">\n");
  for (int i = 0; i < x->n_tick; i++) draw(s, "<path d=\"M%.1f %.1fV%.1f\"/>\n", pixel(x, x->tick[i]), y->from, y->to);
  for (int i = 0; i < y->n_tick; i++) draw(s, "<path d=\"M%.1f %.1fH%.1f\"/>\n", x->from, pixel(y, y->tick[i]), x->to);
  draw(s, "</g>\n<g font-size=\"11\" fill=\"#333\">\n");
  for (int i = 0; i < x->n_tick; i++) {
    tick_label(x, x->tick[i], label);
    draw_label(s, pixel(x, x->tick[i]), y->from + 14, "text-anchor=\"middle\"", label);
  }
  for (int i = 0; i < y->n_tick; i++) {
    tick_label(y, y->tick[i], label);
    draw_label(s, x->from - 5, pixel(y, y->tick[i]) + 4, "text-anchor=\"end\"", label);
  }
  draw(s, "</g>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n", x->from,
       y->to, x->to - x->from, y->from - y->to);
}

/* Few events: lines through the panel.  Many: a raster at its foot, one tick per pixel at most. */
static void draw_marks(sheet *s, const vvi_panel *p, const axis *x, const axis *y)
{
  const bool many = p->n_mark > MANY_MARKS;
  double last = -INFINITY;
  draw(s, "<g stroke=\"%s\" stroke-width=\"1\">\n", many ? "#666" : "#bbb");
  for (int64_t i = 0; i < p->n_mark; i++) {
    const double at = pixel(x, measure(x, p->mark[i]));
    if (!(at >= x->from && at <= x->to) || fabs(at - last) < 1) continue;
    last = at;
    draw(s, "<path d=\"M%.1f %.1fV%.1f\"/>\n", at, y->from, many ? y->from - RASTER : y->to);
  }
  draw(s, "</g>\n");
}

typedef struct pen {
  sheet *s;
  bool down;
  int column; /* pixel column being gathered; -1: none */
  double first, last, lo, hi, x;
} pen;

static void pen_point(pen *p, double x, double y)
{
  if (!p->down) draw(p->s, "<polyline points=\"");
  p->down = true;
  draw(p->s, "%.1f,%.1f ", x, y);
}

/* A pixel column is drawn as first, lowest, highest, last: what the eye would see of all its points. */
static void pen_column_end(pen *p)
{
  if (p->column < 0) return;
  pen_point(p, p->x, p->first);
  if (p->lo < fmin(p->first, p->last)) pen_point(p, p->x, p->lo);
  if (p->hi > fmax(p->first, p->last)) pen_point(p, p->x, p->hi);
  if (p->last != p->first) pen_point(p, p->x, p->last);
  p->column = -1;
}

static void pen_up(pen *p)
{
  pen_column_end(p);
  if (p->down) draw(p->s, "\"/>\n");
  p->down = false;
}

static void pen_gather(pen *p, double x, double y)
{
  const int column = (int)x;
  if (column != p->column) {
    pen_column_end(p);
    p->column = column;
    p->x = x;
    p->first = p->lo = p->hi = y;
  }
  p->last = y;
  p->lo = fmin(p->lo, y);
  p->hi = fmax(p->hi, y);
}

/* Value on the page; NAN: a gap. */
static double y_pixel(const vvi_panel *p, const axis *y, double value)
{
  if (p->log_y && p->y_floor > 0 && value < p->y_floor) value = p->y_floor;
  return pixel(y, measure(y, value));
}

static const char *colour_of(const vvi_series *series, int place)
{
  const int n = VV_COUNT(palette);
  return palette[series->colour > 0 ? (series->colour - 1) % n : place % n];
}

static void draw_line(sheet *s, const vvi_panel *p, const vvi_series *series, const axis *x, const axis *y)
{
  const bool dense = series->style != VVI_PLOT_CURVE && (double)series->n > 1.5 * (x->to - x->from);
  pen hand = {.s = s, .column = -1};
  for (int64_t i = 0; i < series->n; i++) {
    const double px = pixel(x, measure(x, series->x[i])), py = y_pixel(p, y, series->y[i]);
    if (!isfinite(px) || !isfinite(py))
      pen_up(&hand);
    else if (dense)
      pen_gather(&hand, px, py);
    else
      pen_point(&hand, px, py);
  }
  pen_up(&hand);
}

static void draw_net(sheet *s, const vvi_panel *p, const vvi_series *series, const axis *x, const axis *y)
{
  draw(s, "<path stroke-width=\"0.5\" d=\"");
  for (int64_t i = 0; i + 1 < series->n; i += 2) {
    double at[4];
    bool good = true;
    for (int k = 0; k < 2; k++) {
      at[2 * k] = pixel(x, measure(x, series->x[i + k]));
      at[2 * k + 1] = y_pixel(p, y, series->y[i + k]);
    }
    for (int k = 0; k < 4; k++) good = good && isfinite(at[k]);
    if (good) draw(s, "M%.1f %.1fL%.1f %.1f", at[0], at[1], at[2], at[3]);
  }
  draw(s, "\"/>\n");
}

/* ---- colours of values: even steps of lightness, as on the report page ---- */

static double clip(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

static int encode(double x)
{
  x = clip(x);
  return (int)(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055) + 0.5);
}

/* OKLCh to #rrggbb. */
static void colour_text(double light, double chroma, double hue, char out[8])
{
  const double a = chroma * cos(hue * VV_PI / 180), b = chroma * sin(hue * VV_PI / 180);
  const double l = pow(light + 0.3963377774 * a + 0.2158037573 * b, 3),
               m = pow(light - 0.1055613458 * a - 0.0638541728 * b, 3),
               n = pow(light - 0.0894841775 * a - 1.291485548 * b, 3);
  snprintf(out, 8, "#%02x%02x%02x", encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * n),
           encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * n),
           encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * n));
}

static void colour_of_value(const vvi_scale *scale, double value, char out[8])
{
  const double span = scale->hi - scale->lo, x = span > 0 ? clip((value - scale->lo) / span) : 0;
  const double far = fabs(2 * x - 1);
  if (!isfinite(value))
    snprintf(out, 8, "#888888");
  else if (scale->lo < 0 && scale->hi > 0)
    colour_text(0.95 - 0.47 * far, 0.005 + 0.125 * sqrt(far) * fmin(1, 4 * far), x < 0.5 ? 250 : 50, out);
  else
    colour_text(0.54 + 0.39 * x, 0.09 + 0.08 * sin(VV_PI * (0.1 + 0.8 * x)), 262 - 164 * x, out);
}

/* Triangles have a rim of their own colour: no paper shows between them. */
static void draw_cells(sheet *s, const vvi_panel *p, const vvi_series *series, const axis *x, const axis *y)
{
  for (int64_t i = 0; i + 2 < series->n; i += 3) {
    double at[6];
    char colour[8];
    for (int k = 0; k < 3; k++) {
      at[2 * k] = pixel(x, measure(x, series->x[i + k]));
      at[2 * k + 1] = y_pixel(p, y, series->y[i + k]);
    }
    if (!isfinite(at[0] + at[1] + at[2] + at[3])) continue;
    colour_of_value(p->scale, series->value[i / 3], colour);
    if (isfinite(at[4] + at[5]))
      draw(s, "<polygon fill=\"%s\" stroke=\"%s\" stroke-width=\"0.4\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
           colour, colour, at[0], at[1], at[2], at[3], at[4], at[5]);
    else
      draw(s, "<path stroke=\"%s\" stroke-width=\"5\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", colour, at[0], at[1], at[2],
           at[3]);
  }
}

/* The colours and their values, at the right of the panel. */
static void draw_scale(sheet *s, const vvi_scale *scale, const axis *x, const axis *y)
{
  enum { STEPS = 64, WIDE = 14, APART = 14, LABELS = 5 };
  const double left = x->to + APART, right = left + WIDE, high = (y->from - y->to) / STEPS;
  char text[LABEL_TEXT];
  for (int i = 0; i < STEPS; i++) {
    const double low = y->from - i * high, value = scale->lo + (scale->hi - scale->lo) * (i + 0.5) / STEPS;
    colour_of_value(scale, value, text);
    draw(s,
         "<polygon fill=\"%s\" stroke=\"%s\" stroke-width=\"0.4\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f "
         "%.1f,%.1f\"/>\n",
         text, text, left, low, right, low, right, low - high, left, low - high);
  }
  for (int i = 0; i < (scale->hi > scale->lo ? LABELS : 1); i++) {
    const double share = (double)i / (LABELS - 1), value = scale->lo + share * (scale->hi - scale->lo);
    snprintf(text, sizeof text, "%.3g", value);
    draw_label(s, right + 5, y->from + share * (y->to - y->from) + 4, "font-size=\"11\" fill=\"#333\"", text);
  }
  draw_label(s, right, y->to - 10, "font-size=\"11\" text-anchor=\"end\" fill=\"#333\"", scale->label);
}

static void draw_dots(sheet *s, const vvi_panel *p, const vvi_series *series, const axis *x, const axis *y,
                      const char *colour)
{
  draw(s, "<g fill=\"%s\" stroke=\"none\">\n", colour);
  const int64_t every = series->n > 2000 ? series->n / 2000 : 1;
  for (int64_t i = 0; i < series->n; i += every) {
    const double px = pixel(x, measure(x, series->x[i])), py = y_pixel(p, y, series->y[i]);
    if (isfinite(px) && isfinite(py)) draw(s, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n", px, py);
  }
  draw(s, "</g>\n");
}

static void draw_series(sheet *s, const vvi_panel *p, const axis *x, const axis *y)
{
  draw(s, "<g fill=\"none\" stroke-width=\"1.4\" stroke-linejoin=\"round\">\n");
  for (int i = 0; i < p->n_series; i++) {
    const vvi_series *series = &p->series[i];
    const char *colour = colour_of(series, i);
    draw(s, "<g stroke=\"%s\"%s", colour, series->style == VVI_PLOT_DASHED ? " stroke-dasharray=\"5 3\"" : "");
    if (p->fade != NULL) draw(s, " stroke-opacity=\"%.2f\"", 1 - p->fade[i]);
    draw(s, ">\n");
    if (series->style == VVI_PLOT_NET)
      draw_net(s, p, series, x, y);
    else if (series->style == VVI_PLOT_CELLS)
      draw_cells(s, p, series, x, y);
    else if (series->style != VVI_PLOT_DOTS)
      draw_line(s, p, series, x, y);
    if (series->style == VVI_PLOT_DOTS || series->style == VVI_PLOT_LINE_DOTS) draw_dots(s, p, series, x, y, colour);
    draw(s, "</g>\n");
  }
  draw(s, "</g>\n");
}

/* One line above the frame, to the right of the title's baseline: it never covers the data. */
static void draw_legend(sheet *s, const vvi_panel *p, const axis *x, const axis *y)
{
  double at = x->from;
  for (int i = 0; i < p->n_series; i++) {
    const char *name = p->series[i].name;
    if (name == NULL) continue;
    const double width = 22 + 6.2 * (double)strlen(name);
    if (at + width > x->to + 20) break; /* no room: the colours go on without a name */
    draw(s, "<path d=\"M%.1f %.1fh14\" stroke=\"%s\" stroke-width=\"3\"%s", at, y->to - 8, colour_of(&p->series[i], i),
         p->series[i].style == VVI_PLOT_DASHED ? " stroke-dasharray=\"5 3\"" : "");
    if (p->fade != NULL) draw(s, " stroke-opacity=\"%.2f\"", 1 - p->fade[i]);
    draw(s, "/>\n");
    draw_label(s, at + 17, y->to - 4, "font-size=\"11\" fill=\"#333\"", name);
    at += width + 6;
  }
}

static void draw_words(sheet *s, const vvi_panel *p, const axis *x, const axis *y)
{
  char style[160];
  const double middle = 0.5 * (y->from + y->to), left = x->from - 50;
  draw_label(s, x->from, y->to - 22, "font-size=\"13\" font-weight=\"bold\" fill=\"#111\"", p->title);
  draw_label(s, 0.5 * (x->from + x->to), y->from + 30, "font-size=\"12\" text-anchor=\"middle\" fill=\"#333\"",
             p->x_label);
  snprintf(style, sizeof style,
           "font-size=\"12\" text-anchor=\"middle\" fill=\"#333\" transform=\"rotate(-90 %.1f %.1f)\"", left, middle);
  draw_label(s, left, middle, style, p->y_label);
  draw_label(
      s, x->to - 6, y->to + 15,
      "font-size=\"11\" text-anchor=\"end\" fill=\"#333\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"",
      p->note);
}

static void find_ranges(const vvi_panel *p, axis *x, axis *y)
{
  for (int i = 0; i < p->n_series; i++) {
    const vvi_series *series = &p->series[i];
    for (int64_t k = 0; k < series->n; k++) {
      take(x, series->x[k]);
      if (isfinite(measure(x, series->x[k]))) {
        const double v = series->y[k];
        take(y, p->log_y && p->y_floor > 0 && v < p->y_floor ? p->y_floor : v);
      }
    }
  }
  widen(x, p->equal ? 0.05 : x->log ? 0.04 : 0);
  widen(y, 0.05);
}

/* The axis that would be drawn larger gets more range, half of it on either side. */
static void make_equal(axis *x, axis *y)
{
  const double wide = (x->hi - x->lo) / fabs(x->to - x->from), high = (y->hi - y->lo) / fabs(y->to - y->from);
  axis *a = wide < high ? x : y;
  const double room = 0.5 * (a->hi - a->lo) * (fmax(wide, high) / fmin(wide, high) - 1);
  a->lo -= room;
  a->hi += room;
}

static void draw_panel(sheet *s, const vvi_panel *p, double left, double top, double width, double height)
{
  axis x = {
      .lo = NAN, .hi = NAN, .log = p->log_x, .from = left + 66, .to = left + width - (p->scale != NULL ? 100 : 20)};
  axis y = {.lo = NAN, .hi = NAN, .log = p->log_y, .from = top + height - 40, .to = top + 40};
  find_ranges(p, &x, &y);
  if (p->equal) make_equal(&x, &y);
  make_ticks(&x, 6);
  make_ticks(&y, 6);
  draw_frame(s, &x, &y);
  if (p->n_mark > 0) draw_marks(s, p, &x, &y);
  draw_series(s, p, &x, &y);
  draw_legend(s, p, &x, &y);
  draw_words(s, p, &x, &y);
  if (p->scale != NULL) draw_scale(s, p->scale, &x, &y);
}

/* ---- the page ---- */

static void draw_page(sheet *s, const vvi_page *page)
{
  const int width = page->width > 0 ? page->width : 900, height = page->height > 0 ? page->height : 700;
  const int columns = page->columns > 0 ? page->columns : 2, rows = (page->n_panel + columns - 1) / columns;
  const double head = (page->title != NULL ? 30 : 0) + (page->subtitle != NULL ? 20 : 0) + 4;
  draw(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"", width, height,
       width, height);
  draw(s, " font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  draw_label(s, 20, 26, "font-size=\"18\" font-weight=\"bold\" fill=\"#111\"", page->title);
  draw_label(s, 20, page->title != NULL ? 46 : 18, "font-size=\"12\" fill=\"#444\"", page->subtitle);
  for (int i = 0; i < page->n_panel; i++) {
    const double w = (double)width / columns, h = (height - head) / rows;
    const int row = i / columns, column = i % columns;
    draw_panel(s, &page->panel[i], w * column, head + h * row, w, h);
  }
  draw(s, "</svg>\n");
}

static bool is_png(const char *path)
{
  const size_t n = strlen(path);
  if (n < 4 || path[n - 4] != '.') return false;
  for (int i = 0; i < 3; i++)
    if ((path[n - 3 + (size_t)i] | 0x20) != "png"[i]) return false;
  return true;
}

/* The same drawing, made in memory, as pixels: two to each unit. */
static vv_status write_png(vv_ctx *ctx, const char *path, const vvi_page *page)
{
  enum { SCALE = 2 };
  char *svg = NULL;
  size_t bytes = 0;
  int width, height;
  unsigned char *rgb = NULL;
  sheet s = {.status = VV_OK, .file = {.ctx = ctx, .path = path, .stream = open_memstream(&svg, &bytes)}};
  if (s.file.stream == NULL) return VV_NOMEM;
  draw_page(&s, page);
  const vv_status closed = vvi_file_close(&s.file);
  if (s.status == VV_OK) s.status = closed;
  if (s.status == VV_OK) s.status = vvi_raster(svg, SCALE, &width, &height, &rgb);
  if (s.status == VV_OK) s.status = vvi_png_write(ctx, path, width, height, rgb);
  free(rgb);
  free(svg);
  return s.status;
}

vv_status vvi_plot_write(vv_ctx *ctx, const char *path, const vvi_page *page)
{
  if (is_png(path)) return write_png(ctx, path, page);
  const size_t n = strlen(path) + 5;
  char *tmp = malloc(n);
  if (tmp == NULL) return VV_NOMEM;
  snprintf(tmp, n, "%s.tmp", path);
  sheet s = {.status = VV_OK};
  s.status = vvi_file_create(ctx, tmp, &s.file);
  if (s.status == VV_OK) {
    draw_page(&s, page);
    const vv_status closed = vvi_file_close(&s.file);
    if (s.status == VV_OK) s.status = closed;
    if (s.status == VV_OK)
      s.status = vvi_replace(ctx, tmp, path, false);
    else
      remove(tmp);
  }
  free(tmp);
  return s.status;
}
