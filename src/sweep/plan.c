/* sweep/plan.c  plan.yaml: which scene, what varies, what is measured, what is kept.  Read as words, as scenes are. */
#include "model/expression.h"
#include "model/spec.h"
#include "sweep/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 256, MOST_CASES = 10000000 };

typedef struct reader {
  vv_ctx *ctx;
  vvi_arena *arena;
  vvi_plan *plan;
  int faults;
} reader;

/* ---- messages ---- */

/* Notes a mistake and goes on: all of a plan are told at once. */
VV_PRINTF(3, 4) static bool fault(reader *r, const vvi_node *node, const char *format, ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const int line = node->line > 0 ? node->line : node->key_line;
  const int column = node->line > 0 ? node->column : node->key_column;
  (void)vvi_fail(r->ctx, VV_SCENE, "%.160s:%d:%d: %s%s%s", r->plan->file, line, column,
                 node->key != NULL ? node->key : "", node->key != NULL ? ": " : "", text);
  r->faults++;
  return false;
}

/* A key of `map` that is not among `known`, which ends with NULL. */
static void refuse_others(reader *r, const vvi_node *map, const char *const known[])
{
  for (const vvi_node *c = map->child; c != NULL; c = c->next) {
    char list[200] = "";
    const char *near = NULL;
    int least = INT_MAX, i = 0;
    for (; known[i] != NULL && strcmp(known[i], c->key) != 0; i++) {
      const int d = vv_text_slips(c->key, known[i]);
      if (d >= 0 && d < least) least = d, near = known[i];
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", known[i]);
    }
    if (known[i] != NULL && vvi_node_find(map, c->key) != c) fault(r, c, "is there twice");
    if (known[i] != NULL) continue;
    if (near != NULL)
      fault(r, c, "unknown key; did you mean '%s'?", near);
    else
      fault(r, c, "unknown key; known: %s", list);
  }
}

/* ---- values ---- */

static bool read_number(reader *r, const vvi_node *node, double *out)
{
  const vvi_scope scope = {.unit = {"m", "kg", "s"}};
  vvi_quantity q;
  vvi_mishap why;
  if (node->type != VVI_SCALAR || node->quoted) return fault(r, node, "a number is wanted here");
  if (!vvi_expression_read(&scope, node->text, &q, &why)) return fault(r, node, "%s", why.text);
  if (!q.plain)
    return fault(r, node, "a plain number is wanted here; the unit goes to `unit`: {uniform: [1, 2], unit: mm}");
  *out = q.value * q.up / q.down;
  return isfinite(*out) ? true : fault(r, node, "is not finite");
}

static bool read_whole(reader *r, const vvi_node *node, double least, double most, int64_t *out)
{
  double x = 0;
  if (!read_number(r, node, &x)) return false;
  if (x != floor(x) || x < least || x > most)
    return fault(r, node, "a whole number from %.0f to %.0f is wanted here", least, most);
  *out = (int64_t)x;
  return true;
}

static bool read_two(reader *r, const vvi_node *node, double *a, double *b)
{
  if (node->type != VVI_LIST || node->count != 2) return fault(r, node, "two numbers are wanted here: [1, 2]");
  return read_number(r, node->child, a) && read_number(r, node->child->next, b);
}

/* As it stands in a scene on one line. */
static void flow(vvi_text *t, const vvi_node *node)
{
  if (node->type == VVI_SCALAR) {
    vvi_text_put(t, node->quoted ? "'" : "");
    for (const char *c = node->text; *c != '\0'; c++) {
      vvi_text_add(t, c, 1);
      if (node->quoted && *c == '\'') vvi_text_put(t, "'");
    }
    vvi_text_put(t, node->quoted ? "'" : "");
    return;
  }
  vvi_text_put(t, node->type == VVI_MAP ? "{" : "[");
  for (const vvi_node *c = node->child; c != NULL; c = c->next) {
    if (c != node->child) vvi_text_put(t, ", ");
    if (node->type == VVI_MAP) vvi_text_print(t, "%.200s: ", c->key);
    flow(t, c);
  }
  vvi_text_put(t, node->type == VVI_MAP ? "}" : "]");
}

static const char *flow_text(reader *r, const vvi_node *node)
{
  vvi_text t = {0};
  flow(&t, node);
  const char *kept = t.nomem || t.c == NULL ? NULL : vvi_arena_text(r->arena, t.c);
  vvi_text_free(&t);
  if (kept == NULL) fault(r, node, "out of memory");
  return kept != NULL ? kept : "";
}

static bool read_words(reader *r, const vvi_node *node, vvi_vary *v)
{
  if (node->type != VVI_LIST || node->count == 0) return fault(r, node, "a list of values is wanted here");
  v->word = VVI_ARENA_NEW(r->arena, const char *, node->count);
  if (v->word == NULL) return fault(r, node, "out of memory");
  for (const vvi_node *c = node->child; c != NULL; c = c->next) v->word[v->n++] = flow_text(r, c);
  return true;
}

/* ---- laws ---- */

static bool read_uniform(reader *r, const vvi_node *node, vvi_vary *v)
{
  if (!read_two(r, node, &v->a, &v->b)) return false;
  if (!(v->a < v->b)) return fault(r, node, "the first end is to be below the second");
  if (v->law == VVI_LAW_LOGUNIFORM && !(v->a > 0)) return fault(r, node, "both ends are to be above 0");
  if (v->law == VVI_LAW_WHOLE && (v->a != floor(v->a) || v->b != floor(v->b)))
    return fault(r, node, "two whole numbers are wanted here");
  return true;
}

static bool read_normal(reader *r, const vvi_node *node, vvi_vary *v)
{
  static const char *const known[] = {"mean", "deviation", "low", "high", NULL};
  double *const value[] = {&v->a, &v->b, &v->low, &v->high};
  v->low = -INFINITY, v->high = INFINITY;
  if (node->type == VVI_LIST) return read_two(r, node, &v->a, &v->b);
  if (node->type != VVI_MAP) return fault(r, node, "{mean: ..., deviation: ...} is wanted here");
  refuse_others(r, node, known);
  for (int i = 0; known[i] != NULL; i++) {
    const vvi_node *c = vvi_node_find(node, known[i]);
    if (c == NULL && i < 2) return fault(r, node, "'%s' is missing", known[i]);
    if (c != NULL && !read_number(r, c, value[i])) return false;
  }
  if (!(v->b > 0)) return fault(r, node, "the deviation is to be above 0");
  /* drawn again until it lies inside: that must have a chance */
  if (!(v->high - v->low > 0.1 * v->b) || v->low > v->a + 3 * v->b || v->high < v->a - 3 * v->b)
    return fault(r, node, "next to nothing of the law lies between low and high");
  return true;
}

static bool read_range(reader *r, const vvi_node *node, vvi_vary *v)
{
  double a = 0, b = 0;
  int64_t n = 0;
  if (node->type != VVI_LIST || node->count != 3)
    return fault(r, node, "first, last and how many are wanted here: [0, 1, 11]");
  if (!read_number(r, node->child, &a) || !read_number(r, node->child->next, &b) ||
      !read_whole(r, node->child->next->next, 2, 1e6, &n))
    return false;
  v->word = VVI_ARENA_NEW(r->arena, const char *, n);
  for (int64_t i = 0; v->word != NULL && i < n; i++) {
    vvi_text t = {0};
    vvi_text_number(&t, a + (b - a) * ((double)i / (double)(n - 1)));
    v->word[v->n++] = t.nomem ? NULL : vvi_arena_text(r->arena, t.c);
    vvi_text_free(&t);
    if (v->word[i] == NULL) return fault(r, node, "out of memory");
  }
  return v->word != NULL ? true : fault(r, node, "out of memory");
}

static bool read_length(reader *r, const vvi_node *node, vvi_vary *v)
{
  if (node->type == VVI_LIST) return read_two(r, node, &v->a, &v->b);
  const bool good = read_number(r, node, &v->a);
  v->b = v->a;
  return good;
}

static bool read_rotation(reader *r, const vvi_node *node, vvi_vary *v)
{
  (void)v;
  const bool good = node->type == VVI_SCALAR && strcmp(node->text, "uniform") == 0;
  return good ? true : fault(r, node, "write rotation: uniform");
}

typedef struct law {
  const char *name;
  vvi_law law;
  bool (*read)(reader *r, const vvi_node *node, vvi_vary *v);
} law;

static const law laws[] = {{"uniform", VVI_LAW_UNIFORM, read_uniform},
                           {"loguniform", VVI_LAW_LOGUNIFORM, read_uniform},
                           {"normal", VVI_LAW_NORMAL, read_normal},
                           {"whole", VVI_LAW_WHOLE, read_uniform},
                           {"choice", VVI_LAW_CHOICE, read_words},
                           {"direction", VVI_LAW_DIRECTION, read_length},
                           {"rotation", VVI_LAW_ROTATION, read_rotation},
                           {"list", VVI_LAW_LIST, read_words},
                           {"range", VVI_LAW_LIST, read_range}};
enum { LAWS = sizeof laws / sizeof laws[0] };

static bool read_law(reader *r, const vvi_node *node, vvi_vary *v)
{
  const char *known[LAWS + 2] = {"unit"};
  const law *chosen = NULL;
  for (int i = 0; i < LAWS; i++) known[i + 1] = laws[i].name;
  if (node->type == VVI_LIST) {
    v->law = VVI_LAW_LIST;
    return read_words(r, node, v);
  }
  if (node->type != VVI_MAP)
    return fault(r, node, "a list of values or a law is wanted here, such as {uniform: [1, 2]}");
  refuse_others(r, node, known);
  for (int i = 0; i < LAWS; i++) {
    if (vvi_node_find(node, laws[i].name) == NULL) continue;
    if (chosen != NULL) return fault(r, node, "has two laws, '%s' and '%s'", chosen->name, laws[i].name);
    chosen = &laws[i];
  }
  if (chosen == NULL) return fault(r, node, "has no law, such as {uniform: [1, 2]}");
  const vvi_node *unit = vvi_node_find(node, "unit");
  if (unit != NULL && (unit->type != VVI_SCALAR || unit->text[0] == '\0'))
    return fault(r, unit, "a unit is wanted here: mm");
  v->law = chosen->law;
  v->unit = unit != NULL ? vvi_arena_text(r->arena, unit->text) : "";
  return chosen->read(r, vvi_node_find(node, chosen->name), v);
}

/* ---- the parts of a plan ---- */

static bool is_map(reader *r, const vvi_node *node)
{
  if (node->type != VVI_MAP) return fault(r, node, "a map is wanted here");
  return node->count <= MOST_COLUMNS ? true : fault(r, node, "more than %d entries", MOST_COLUMNS);
}

/* Names of columns stand in the first line of the table. */
static bool is_column(reader *r, const vvi_node *node, const vvi_node *map)
{
  if (vvi_node_find(map, node->key) != node) return fault(r, node, "is there twice");
  if (node->key[0] == '\0' || strlen(node->key) > 200 || strpbrk(node->key, ",\"\n\r#") != NULL)
    return fault(r, node, "no comma, quote or # may stand in this name");
  return true;
}

static void read_vary(reader *r, const vvi_node *map)
{
  if (!is_map(r, map)) return;
  r->plan->vary = VVI_ARENA_NEW(r->arena, vvi_vary, map->count);
  for (const vvi_node *c = map->child; c != NULL && r->plan->vary != NULL; c = c->next) {
    vvi_vary *v = &r->plan->vary[r->plan->n_vary++];
    *v = (vvi_vary){.path = vvi_arena_text(r->arena, c->key), .unit = ""};
    if (is_column(r, c, map)) (void)read_law(r, c, v);
  }
}

static void read_set(reader *r, const vvi_node *map)
{
  if (!is_map(r, map)) return;
  r->plan->set = VVI_ARENA_NEW(r->arena, vvi_edit, map->count);
  for (const vvi_node *c = map->child; c != NULL && r->plan->set != NULL; c = c->next)
    r->plan->set[r->plan->n_set++] = (vvi_edit){vvi_arena_text(r->arena, c->key), flow_text(r, c)};
}

/* table.h5 writes '/' as '_', since it would be a folder there. */
static bool same_set(const char *a, const char *b)
{
  for (; *a != '\0' && (*a == *b || (strchr("/_", *a) != NULL && *b != '\0' && strchr("/_", *b) != NULL)); a++) b++;
  return *a == *b;
}

static void read_measures(reader *r, const vvi_node *map)
{
  static const char *const taken[] = {"case", "status", "why", "steps", "time", "hash", NULL};
  if (!is_map(r, map)) return;
  r->plan->measure = VVI_ARENA_NEW(r->arena, vvi_measure, map->count);
  for (const vvi_node *c = map->child; c != NULL && r->plan->measure != NULL; c = c->next) {
    if (!is_column(r, c, map)) continue;
    if (c->type != VVI_SCALAR || c->text[0] == '\0') {
      fault(r, c, "what to measure is wanted here, such as ledger.total");
      continue;
    }
    for (int i = 0; taken[i] != NULL; i++)
      if (strcmp(taken[i], c->key) == 0) fault(r, c, "every table has a column of this name; choose another");
    for (int i = 0; i < r->plan->n_vary; i++)
      if (strcmp(r->plan->vary[i].path, c->key) == 0) fault(r, c, "has the name of something that varies");
    if (strcmp(c->key, ".") == 0) fault(r, c, "is no name of a column");
    for (int i = 0; i < r->plan->n_measure; i++)
      if (same_set(r->plan->measure[i].name, c->key))
        fault(r, c, "would have the name of '%.80s' in table.h5, where '/' is '_'", r->plan->measure[i].name);
    vvi_measure *m = &r->plan->measure[r->plan->n_measure++];
    *m = (vvi_measure){
        .name = vvi_arena_text(r->arena, c->key), .text = vvi_arena_text(r->arena, c->text), .line = c->line};
    if (vvi_measure_parse(r->ctx, r->arena, r->plan, m) != VV_OK) r->faults++;
  }
}

static void read_keep(reader *r, const vvi_node *map)
{
  static const char *const known[] = {"failed", "cases", NULL};
  if (!is_map(r, map)) return;
  refuse_others(r, map, known);
  const vvi_node *failed = vvi_node_find(map, "failed"), *cases = vvi_node_find(map, "cases");
  if (failed != NULL) {
    const bool word = failed->type == VVI_SCALAR;
    r->plan->keep_failed = word && strcmp(failed->text, "true") == 0;
    if (!word || (!r->plan->keep_failed && strcmp(failed->text, "false") != 0)) fault(r, failed, "write true or false");
  }
  if (cases == NULL) return;
  if (cases->type != VVI_LIST) {
    fault(r, cases, "a list of cases is wanted here: [0, 17]");
    return;
  }
  r->plan->keep = VVI_ARENA_NEW(r->arena, int64_t, cases->count + 1);
  for (const vvi_node *c = cases->child; c != NULL && r->plan->keep != NULL; c = c->next) {
    const double most = (double)vvi_plan_cases(r->plan) - 1;
    if (read_whole(r, c, 0, most, &r->plan->keep[r->plan->n_keep])) r->plan->n_keep++;
  }
}

static void read_limits(reader *r, const vvi_node *map)
{
  static const char *const known[] = {"wall", "tries", "kills", NULL};
  if (!is_map(r, map)) return;
  refuse_others(r, map, known);
  const vvi_node *wall = vvi_node_find(map, "wall"), *tries = vvi_node_find(map, "tries"),
                 *kills = vvi_node_find(map, "kills");
  if (wall != NULL && read_number(r, wall, &r->plan->wall) && !(r->plan->wall > 0)) fault(r, wall, "is to be above 0");
  if (tries != NULL) (void)read_whole(r, tries, 1, 1000, &r->plan->tries);
  if (kills != NULL) (void)read_whole(r, kills, 1, 1e6, &r->plan->kills);
}

int64_t vvi_plan_cases(const vvi_plan *plan)
{
  double n = (double)plan->draws; /* may be far too large: the caller looks */
  for (int i = 0; i < plan->n_vary; i++)
    if (plan->vary[i].law == VVI_LAW_LIST) n *= plan->vary[i].n;
  return n < 1e18 ? (int64_t)n : INT64_MAX;
}

static void read_version(reader *r, const vvi_node *root)
{
  const vvi_node *version = vvi_node_find(root, "visviva-sweep");
  if (version == NULL)
    fault(r, root, "this is no plan of a sweep: its first line is `visviva-sweep: 1`");
  else if (version->type != VVI_SCALAR || strcmp(version->text, "1") != 0)
    fault(r, version, "is to be 1, the version of this grammar");
}

static void read_root(reader *r, const vvi_node *root)
{
  static const char *const known[] = {"visviva-sweep", "title",   "scene", "seed",   "draws", "set",
                                      "vary",          "measure", "keep",  "limits", NULL};
  vvi_plan *p = r->plan;
  const vvi_node *scene = vvi_node_find(root, "scene"), *seed = vvi_node_find(root, "seed");
  const vvi_node *draws = vvi_node_find(root, "draws"), *set = vvi_node_find(root, "set");
  const vvi_node *vary = vvi_node_find(root, "vary"), *measure = vvi_node_find(root, "measure");
  const vvi_node *keep = vvi_node_find(root, "keep"), *limits = vvi_node_find(root, "limits");
  const vvi_node *title = vvi_node_find(root, "title");
  read_version(r, root);
  if (r->faults > 0) return;
  refuse_others(r, root, known);
  if (scene == NULL || scene->type != VVI_SCALAR || scene->text[0] == '\0')
    fault(r, scene != NULL ? scene : root, "`scene: FILE.yaml` is missing");
  else
    p->scene = vvi_arena_text(r->arena, scene->text);
  if (title != NULL && title->type == VVI_SCALAR) p->title = vvi_arena_text(r->arena, title->text);
  if (seed != NULL) (void)read_whole(r, seed, -9e15, 9e15, &p->seed);
  if (draws != NULL) (void)read_whole(r, draws, 1, MOST_CASES, &p->draws);
  if (set != NULL) read_set(r, set);
  if (vary != NULL)
    read_vary(r, vary);
  else
    fault(r, root, "`vary` is missing: what differs between the cases");
  if (r->faults == 0 && vvi_plan_cases(p) > MOST_CASES) fault(r, vary, "makes more than %d cases", MOST_CASES);
  if (measure != NULL) read_measures(r, measure);
  if (r->faults == 0 && keep != NULL) read_keep(r, keep);
  if (limits != NULL) read_limits(r, limits);
}

vv_status vvi_plan_read(vv_ctx *ctx, vvi_arena *arena, const char *path, vvi_plan *out)
{
  vv_spec *spec = NULL;
  *out = (vvi_plan){.file = vvi_arena_text(arena, path), .draws = 1, .tries = 3, .kills = 20};
  VV_TRY(vv_scene_read(ctx, path, &spec));
  reader r = {.ctx = ctx, .arena = arena, .plan = out};
  vvi_locale locale = vvi_locale_enter();
  read_root(&r, spec->root);
  vvi_locale_leave(&locale);
  vv_spec_destroy(spec);
  return r.faults > 0 ? VV_SCENE : VV_OK;
}
