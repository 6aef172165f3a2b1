/* report/page_tables.c  Ledger and events for the report page.  Numbers travel as doubles, so that the page shows what the
 * tables say; long tables are thinned to rows that matter. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rows ---- */

/* Of `n` rows keeps first, last and those where one of these columns is largest or smallest within its stretch: a plot of
 * the kept rows has the outline of all. */
static const char *const outline[] = {"closure", "kinetic", "penetration"};
enum { OUTLINE = VV_COUNT(outline), PER_STRETCH = 1 + 2 * OUTLINE };

static void mark_extremes(const double *value, int64_t from, int64_t to, bool *keep)
{
  int64_t low = from, high = from;
  for (int64_t i = from; i < to; i++) {
    if (value[i] < value[low] || isnan(value[low])) low = i;
    if (value[i] > value[high] || isnan(value[high])) high = i;
  }
  keep[low] = keep[high] = true;
}

static vv_status keep_outline(vvi_arena *arena, const vvi_table *t, int64_t most, bool **out)
{
  bool *keep = *out = VVI_ARENA_NEW(arena, bool, t->rows + 1);
  if (keep == NULL) return VV_NOMEM;
  const int64_t stretches = t->rows <= most ? t->rows : most / PER_STRETCH > 1 ? most / PER_STRETCH - 1 : 1;
  for (int64_t s = 0; s < stretches; s++) {
    const int64_t from = s * t->rows / stretches, to = (s + 1) * t->rows / stretches;
    keep[from] = true;
    for (int k = 0; k < OUTLINE; k++) {
      const double *value = vvi_table_column(t, outline[k]);
      if (value != NULL && to > from + 1) mark_extremes(value, from, to, keep);
    }
  }
  if (t->rows > 0) keep[t->rows - 1] = true;
  return VV_OK;
}

static int fall(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The strongest events, by normal impulse. */
static vv_status keep_strongest(vvi_arena *arena, const vvi_table *t, int64_t most, bool **out)
{
  bool *keep = *out = VVI_ARENA_NEW(arena, bool, t->rows + 1);
  double *size = VVI_ARENA_NEW(arena, double, t->rows + 1);
  if (keep == NULL || size == NULL) return VV_NOMEM;
  const double *impulse = vvi_table_column(t, "normal_impulse");
  double least = -INFINITY;
  if (t->rows > most && impulse != NULL) {
    for (int64_t i = 0; i < t->rows; i++) size[i] = isfinite(impulse[i]) ? fabs(impulse[i]) : 0;
    qsort(size, (size_t)t->rows, sizeof *size, fall);
    least = size[most];
  }
  int64_t kept = 0;
  for (int64_t i = 0; i < t->rows && kept < most; i++) {
    keep[i] = impulse == NULL || !(fabs(impulse[i]) <= least);
    kept += keep[i];
  }
  return VV_OK;
}

/* ---- words ---- */

typedef struct dictionary {
  int64_t slots; /* a power of two */
  int32_t *slot; /* [slots] 1 + number of the word; 0: empty */
  int32_t n;
  const char **word; /* [n] */
} dictionary;

static vv_status open_dictionary(vvi_arena *arena, const vvi_table *t, dictionary *d)
{
  int64_t cells = 0;
  for (int i = 0; i < t->columns; i++) cells += t->word[i] != NULL ? t->rows : 0;
  *d = (dictionary){.slots = 16};
  while (d->slots < 2 * cells) d->slots *= 2;
  d->slot = VVI_ARENA_NEW(arena, int32_t, d->slots);
  d->word = VVI_ARENA_NEW(arena, const char *, cells + 1);
  return d->slot != NULL && d->word != NULL ? VV_OK : VV_NOMEM;
}

static int32_t number_of(dictionary *d, const char *word)
{
  const uint64_t mask = (uint64_t)d->slots - 1;
  uint64_t at = vvi_hash(VVI_HASH_SEED, word, strlen(word)) & mask;
  while (d->slot[at] != 0 && strcmp(d->word[d->slot[at] - 1], word) != 0) at = (at + 1) & mask;
  if (d->slot[at] == 0) {
    d->word[d->n] = word;
    d->slot[at] = ++d->n;
  }
  return d->slot[at] - 1;
}

/* ---- tables ---- */

/* Column after column; a word is its number in the dictionary, and an empty cell is no number. */
static int put_cells(vvi_paper *p, const vvi_table *t, const bool *keep, dictionary *d)
{
  const int block = vvi_block_begin(p);
  for (int i = 0; i < t->columns; i++)
    for (int64_t row = 0; row < t->rows; row++) {
      if (!keep[row]) continue;
      const char *word = t->word[i] != NULL ? t->word[i][row] : NULL;
      vvi_block_double(p,
                       d != NULL && t->word[i] != NULL ? (word != NULL ? number_of(d, word) : -1) : t->value[i][row]);
    }
  vvi_block_end(p);
  return block;
}

static void put_table(vvi_paper *p, const char *key, const vvi_table *t, const bool *keep, dictionary *d)
{
  vvi_json *j = &p->json;
  int64_t rows = 0;
  for (int64_t i = 0; i < t->rows; i++) rows += keep[i];
  vvi_json_open(j, key, '{');
  vvi_json_whole(j, "rows", rows);
  vvi_json_whole(j, "all", t->rows);
  vvi_json_whole(j, "block", put_cells(p, t, keep, d));
  vvi_json_open(j, "columns", '[');
  for (int i = 0; i < t->columns; i++) {
    vvi_json_open(j, NULL, '{');
    vvi_json_text(j, "name", t->name[i]);
    vvi_json_text(j, "unit", t->unit[i]);
    vvi_json_flag(j, "words", d != NULL && t->word[i] != NULL);
    vvi_json_close(j, '}');
  }
  vvi_json_close(j, ']');
  vvi_json_open(j, "words", '[');
  for (int32_t i = 0; d != NULL && i < d->n; i++) vvi_json_text(j, NULL, d->word[i]);
  vvi_json_close(j, ']');
  vvi_json_close(j, '}');
}

vv_status vvi_page_ledger(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most)
{
  bool *keep;
  VV_TRY(keep_outline(arena, t, most, &keep));
  put_table(p, "ledger", t, keep, NULL);
  return p->status;
}

vv_status vvi_page_events(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most)
{
  bool *keep;
  dictionary d;
  VV_TRY(keep_strongest(arena, t, most, &keep));
  VV_TRY(open_dictionary(arena, t, &d));
  put_table(p, "events", t, keep, &d);
  return p->status;
}

/* ---- energy that bodies store ---- */

enum { STORE_COLUMNS = 4 };
static const char *const store_name[STORE_COLUMNS] = {"time", "body", "strain", "potential"};

/* These columns alone; false: one is missing. */
static bool pick_columns(const vvi_table *t, char *name[], char *unit[], double *value[], char **word[], vvi_table *out)
{
  *out =
      (vvi_table){.columns = STORE_COLUMNS, .rows = t->rows, .name = name, .unit = unit, .value = value, .word = word};
  for (int k = 0; k < STORE_COLUMNS; k++) {
    int i = 0;
    while (i < t->columns && strcmp(t->name[i], store_name[k]) != 0) i++;
    if (i == t->columns) return false;
    name[k] = t->name[i], unit[k] = t->unit[i], value[k] = t->value[i], word[k] = t->word[i];
  }
  return true;
}

/* All bodies at every n-th time. */
static vv_status keep_times(vvi_arena *arena, const vvi_table *t, int64_t most, bool **out)
{
  bool *keep = *out = VVI_ARENA_NEW(arena, bool, t->rows + 1);
  if (keep == NULL) return VV_NOMEM;
  const double *time = vvi_table_column(t, "time");
  const int64_t every = most > 0 ? (t->rows + most - 1) / most : 1;
  for (int64_t i = 0, number = 0; i < t->rows; i++) {
    if (i > 0 && time[i] != time[i - 1]) number++;
    keep[i] = every < 2 || number % every == 0;
  }
  return VV_OK;
}

vv_status vvi_page_stores(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most)
{
  char *name[STORE_COLUMNS], *unit[STORE_COLUMNS], **word[STORE_COLUMNS];
  double *value[STORE_COLUMNS];
  vvi_table few;
  bool *keep;
  dictionary d;
  if (t->rows == 0 || !pick_columns(t, name, unit, value, word, &few)) return VV_OK;
  VV_TRY(keep_times(arena, &few, most, &keep));
  VV_TRY(open_dictionary(arena, &few, &d));
  put_table(p, "stores", &few, keep, &d);
  return p->status;
}

/* ---- forces of contacts ---- */

enum { FORCE_COLUMNS = 4 };
static const char *const force_name[FORCE_COLUMNS] = {"contact", "time", "normal", "tangential"};

/* NULL: the folder has none, or another number of rows than contacts.csv (a file was put aside). */
static vv_status read_forces(vvi_arena *arena, vvi_run *run, double *out[FORCE_COLUMNS], int64_t *n)
{
  int64_t first = 0, dims[VVI_H5_RANK];
  int rank;
  *n = 0;
  if (!vvi_h5_has(&run->h5, "/contacts/force/contact")) return VV_OK;
  VV_TRY(vvi_h5_get_whole(&run->h5, "/contacts", "first", &first));
  VV_TRY(vvi_h5_shape(&run->h5, "/contacts/force/contact", &rank, dims));
  if (first != 0 || rank != 1) return VV_OK;
  for (int i = 0; i < FORCE_COLUMNS; i++) {
    char object[64] = "/contacts/force/";
    out[i] = VVI_ARENA_NEW(arena, double, dims[0] + 1);
    if (out[i] == NULL) return VV_NOMEM;
    VV_TRY(vvi_h5_read(&run->h5, strcat(object, force_name[i]), VVI_H5_DOUBLE, dims[0], out[i]));
  }
  *n = dims[0];
  return VV_OK;
}

static void put_forces(vvi_paper *p, const vvi_table *t, const int64_t *kept, double *const force[], int64_t n,
                       int64_t most)
{
  int64_t used = 0;
  vvi_json_open(&p->json, "forces", '{');
  const int block = vvi_block_begin(p);
  for (int64_t i = 0; i < n && used < most; i++) {
    const double row = force[0][i];
    if (!(row >= 0.0 && row < (double)t->rows) || kept[(int64_t)row] < 0) continue;
    vvi_block_double(p, (double)kept[(int64_t)row]);
    for (int k = 1; k < FORCE_COLUMNS; k++) vvi_block_double(p, force[k][i]);
    used++;
  }
  vvi_block_end(p);
  vvi_json_whole(&p->json, "block", block);
  vvi_json_whole(&p->json, "rows", used);
  vvi_json_close(&p->json, '}');
}

vv_status vvi_page_contacts(vvi_paper *p, vvi_arena *arena, const vvi_table *t, vvi_run *run, int64_t most)
{
  enum { SAMPLES = 16 }; /* for each row, on average */
  bool *keep;
  dictionary d;
  double *force[FORCE_COLUMNS];
  int64_t n, kept = 0;
  VV_TRY(keep_strongest(arena, t, most, &keep));
  VV_TRY(open_dictionary(arena, t, &d));
  put_table(p, "contacts", t, keep, &d);
  VV_TRY(read_forces(arena, run, force, &n));
  int64_t *place = VVI_ARENA_NEW(arena, int64_t, t->rows + 1);
  if (place == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < t->rows; i++) place[i] = keep[i] ? kept++ : -1;
  put_forces(p, t, place, force, n, SAMPLES * most);
  return p->status;
}

/* ---- poses of rigid bodies at their impacts ---- */

enum { POSE_COLUMNS = 10 };
static const char *const pose_name[POSE_COLUMNS] = {"time", "body", "copy", "x", "y", "z", "w", "i", "j", "k"};

static vv_status read_poses(vvi_arena *arena, vvi_run *run, double *column[POSE_COLUMNS], int64_t *n)
{
  int64_t dims[VVI_H5_RANK] = {0};
  int rank;
  *n = 0;
  if (!vvi_h5_has(&run->h5, "/poses/time")) return VV_OK;
  VV_TRY(vvi_h5_shape(&run->h5, "/poses/time", &rank, dims));
  for (int i = 0; dims[0] > 0 && i < POSE_COLUMNS; i++) {
    char object[32] = "/poses/";
    column[i] = VVI_ARENA_NEW(arena, double, dims[0]);
    if (column[i] == NULL) return VV_NOMEM;
    VV_TRY(vvi_h5_read(&run->h5, strcat(object, pose_name[i]), VVI_H5_DOUBLE, dims[0], column[i]));
  }
  *n = dims[0];
  return VV_OK;
}

/* Where there are too many, impacts of one copy that are nearer than `wait` count once.  keep[i]: row i is wanted. */
static vv_status thin_poses(vvi_arena *arena, double *const column[], int64_t n, double wait, bool **out)
{
  int64_t bodies = 0, *first, all = 0;
  bool *keep = *out = VVI_ARENA_NEW(arena, bool, n + 1);
  for (int64_t i = 0; i < n; i++) bodies = column[1][i] >= (double)bodies ? (int64_t)column[1][i] + 1 : bodies;
  first = VVI_ARENA_NEW(arena, int64_t, bodies + 1);
  if (keep == NULL || first == NULL) return VV_NOMEM;
  memset(first, 0, sizeof *first * (size_t)(bodies + 1));
  for (int64_t i = 0; i < n; i++) {
    const int64_t body = (int64_t)column[1][i], copies = (int64_t)column[2][i] + 1;
    if (body >= 0 && copies > first[body]) first[body] = copies;
  }
  for (int64_t k = 0; k < bodies; k++) {
    const int64_t copies = first[k];
    first[k] = all, all += copies;
  }
  double *last = VVI_ARENA_NEW(arena, double, all + 1);
  if (last == NULL) return VV_NOMEM;
  for (int64_t k = 0; k < all; k++) last[k] = -INFINITY;
  for (int64_t i = 0; i < n; i++) {
    double *before =
        &last[column[1][i] >= 0 && column[2][i] >= 0 ? first[(int64_t)column[1][i]] + (int64_t)column[2][i] : all];
    keep[i] = before != &last[all] && column[0][i] >= *before + wait;
    if (keep[i]) *before = column[0][i];
  }
  return VV_OK;
}

vv_status vvi_page_poses(vvi_paper *p, vvi_arena *arena, vvi_run *run, int64_t most)
{
  enum { IN_A_FRAME = 32 };
  double *column[POSE_COLUMNS];
  int64_t n, rows = 0;
  bool *keep;
  const double span = run->frames > 1 ? run->time[run->frames - 1] - run->time[0] : 0;
  VV_TRY(read_poses(arena, run, column, &n));
  const double wait = n > most && run->frames > 1 ? span / (double)(run->frames - 1) / IN_A_FRAME : 0;
  VV_TRY(thin_poses(arena, column, n, wait, &keep));
  vvi_json_open(&p->json, "poses", '{');
  const int block = vvi_block_begin(p);
  for (int64_t i = 0; i < n && rows < most; i++) {
    for (int k = 0; keep[i] && k < POSE_COLUMNS; k++) vvi_block_double(p, column[k][i]);
    rows += keep[i];
  }
  vvi_block_end(p);
  vvi_json_whole(&p->json, "block", block);
  vvi_json_whole(&p->json, "rows", rows);
  vvi_json_close(&p->json, '}');
  return p->status;
}
