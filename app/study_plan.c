/* app/study_plan.c  From the command line to runs that can be compared, before the first step is made. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- PATH=VALUE ---- */

/* A copy of "PATH=VALUE", cut at the first '='; NULL: reported. */
static char *cut(const char *option, const char *text, const char **path, const char **value)
{
  char *copy = strdup(text), *equals = copy != NULL ? strchr(copy, '=') : NULL;
  if (copy == NULL) {
    app_error("out of memory");
    return NULL;
  }
  if (equals == NULL || equals == copy || equals[1] == '\0') {
    app_error("%s needs PATH=VALUE, such as time.step=1e-4, not '%s'", option, text);
    free(copy);
    return NULL;
  }
  *equals = '\0';
  *path = copy;
  *value = equals + 1;
  return copy;
}

/* Cuts "1, 2, [3, 4], min(5, 6)" at the commas outside brackets; returns how many words, 0: reported. */
static int cut_list(char *list, const char *word[STUDY_RUNS], const char *option)
{
  int n = 0, depth = 0;
  for (char *c = list, *from = list;; c++) {
    depth += (*c == '[' || *c == '{' || *c == '(') - (*c == ']' || *c == '}' || *c == ')');
    if (*c != '\0' && (*c != ',' || depth > 0)) continue;
    const bool last = *c == '\0';
    *c = '\0';
    if (*from == '\0') app_error("--vary %s: an empty value in the list", option);
    if (n == STUDY_RUNS) app_error("--vary %s: more than %d values", option, STUDY_RUNS);
    if (*from == '\0' || n == STUDY_RUNS) return 0;
    while (*from == ' ') from++;
    word[n++] = from;
    if (last) return n;
    from = c + 1;
  }
}

static bool read_vary(study *s, const app_values *vary)
{
  if (vary->n == 0)
    return app_error("study needs what to vary, from coarse to fine: --vary time.step=1e-3,5e-4,2.5e-4") == APP_DONE;
  if (vary->n > STUDY_PATHS) return app_error("--vary can be given %d times at most", STUDY_PATHS) == APP_DONE;
  for (int i = 0; i < vary->n; i++) {
    const char *word[STUDY_RUNS], *list;
    s->text[i] = cut("--vary", vary->value[i], &s->path[i], &list);
    if (s->text[i] == NULL) return false;
    s->n_path++;
    for (int k = 0; k < i; k++)
      if (strcmp(s->path[k], s->path[i]) == 0) return app_error("--vary %s is given twice", s->path[i]) == APP_DONE;
    const int n = cut_list(s->text[i] + (list - s->text[i]), word, s->path[i]);
    if (n == 0) return false;
    if (i > 0 && n != s->n_run)
      return app_error("the lists of --vary are walked together and must be of the same length: %s has %d values, %s "
                       "has %d",
                       s->path[0], s->n_run, s->path[i], n) == APP_DONE;
    s->n_run = n;
    for (int k = 0; k < n; k++) s->run[k].word[i] = word[k];
  }
  return true;
}

static bool read_edits(study *s, const char *option, const app_values *from, int *n, app_edit edit[])
{
  for (int i = 0; i < from->n; i++) {
    char *copy = cut(option, from->value[i], &edit[*n].path, &edit[*n].value);
    if (copy == NULL) return false;
    s->edit_text[s->n_edit_text++] = copy;
    ++*n;
  }
  return true;
}

static int path_index(const study *s, const char *path)
{
  for (int i = 0; i < s->n_path; i++)
    if (strcmp(s->path[i], path) == 0) return i;
  return -1;
}

bool study_read(study *s, const app_values *vary, const app_values *reference, const app_values *set)
{
  if (!read_vary(s, vary)) return false;
  if (!read_edits(s, "--set", set, &s->n_set, s->set)) return false;
  if (!read_edits(s, "--reference", reference, &s->n_changed, s->changed)) return false;
  s->same_method = true;
  for (int i = 0; i < s->n_changed; i++) s->same_method &= path_index(s, s->changed[i].path) >= 0;
  return true;
}

/* ---- opening ---- */

static void make_words(const study *s, study_run *r)
{
  r->words[0] = '\0';
  for (int i = 0; i < s->n_path; i++) {
    const size_t used = strlen(r->words);
    snprintf(r->words + used, sizeof r->words - used, "%s%s=%s", i > 0 ? ", " : "", s->path[i], r->word[i]);
  }
  for (int i = 0; r == &s->reference && i < s->n_changed; i++) {
    const size_t used = strlen(r->words);
    if (path_index(s, s->changed[i].path) < 0)
      snprintf(r->words + used, sizeof r->words - used, ", %s=%s", s->changed[i].path, s->changed[i].value);
  }
}

static bool open_sim(study *s, study_run *r)
{
  vv_sim_def def = vv_sim_default();
  vv_status status = vv_sim_create(r->scene.model, r->scene.state, &def, &r->sim);
  r->step = vv_model_step(r->scene.model);
  r->look = 1 + vv_model_steps(r->scene.model) / 20000;
  if (status == VV_OK) status = vv_sim_observe(r->sim, s->norm == STUDY_ENERGY ? r->look : 0, study_watch, r);
  if (status != VV_OK) app_messages(r->scene.ctx, status);
  return status == VV_OK && study_body_open(s, r);
}

static void close_run(study_run *r)
{
  if (r->scene.model != NULL) study_body_close(r);
  vv_sim_destroy(r->sim);
  r->sim = NULL;
  app_scene_close(&r->scene);
}

static bool open_run(study *s, study_run *r)
{
  app_edit edit[2 * APP_MAX_VALUES + 2 * STUDY_PATHS + 1];
  int n = 0;
  char words[STUDY_TEXT];
  make_words(s, r);
  for (int i = 0; i < s->n_set; i++) edit[n++] = s->set[i];
  for (int i = 0; i < s->n_path; i++) edit[n++] = (app_edit){s->path[i], r->word[i]};
  for (int i = 0; r == &s->reference && i < s->n_changed; i++) edit[n++] = s->changed[i];
  if (r->fitted[0] != '\0') edit[n++] = (app_edit){"time.step", r->fitted};
  if (!app_scene_open_edited(&r->scene, s->scene, s->threads, s->device, n, edit, NULL)) {
    if (app_exists(s->scene))
      app_hint("that is %s%s; nothing was run", r == &s->reference ? "the reference, " : "the run with ",
               app_clean(words, sizeof words, r->words));
    return false;
  }
  return open_sim(s, r);
}

void study_close(study *s)
{
  for (int i = 0; i <= s->n_run; i++) {
    study_run *r = i < s->n_run ? &s->run[i] : &s->reference;
    close_run(r);
    free(r->contact.episode);
  }
  for (int i = 0; i < STUDY_PATHS; i++) free(s->text[i]);
  for (int i = 0; i < s->n_edit_text; i++) free(s->edit_text[i]);
}

/* ---- what is refined ---- */

static bool same(double a, double b)
{
  return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

double study_h(const study *s, const study_run *r)
{
  return s->refined >= 0 ? r->body[s->refined].length : s->refined == -1 ? r->step : NAN;
}

/* The step where it differs between the runs, else the elements of the first body whose number does. */
static void find_refined(study *s)
{
  s->refined = -2;
  for (int i = 0; i < vv_model_bodies(s->run[0].scene.model); i++)
    for (int k = 1; k < s->n_run && s->refined == -2; k++)
      if (s->run[k].body[i].length > 0 && !same(s->run[k].body[i].length, s->run[0].body[i].length)) s->refined = i;
  for (int k = 1; k < s->n_run; k++)
    if (!same(s->run[k].step, s->run[0].step)) s->refined = -1;
  if (s->n_run == 1) s->refined = -1;
  if (s->refined == -1) snprintf(s->h_name, sizeof s->h_name, "time step");
  if (s->refined >= 0)
    snprintf(s->h_name, sizeof s->h_name, "element length of %s",
             vv_model_body_name(s->run[0].scene.model, s->refined));
}

static const study_run *finest(const study *s)
{
  const study_run *best = &s->run[s->n_run - 1];
  for (int i = 0; i < s->n_run; i++)
    if (study_h(s, &s->run[i]) < study_h(s, best)) best = &s->run[i];
  return best;
}

/* The lengths that are not h must go with it: all in proportion, or all the same. */
static bool in_proportion(const study *s, const study_run *r, double mine, double ref, bool varies)
{
  const double part = study_h(s, r) / study_h(s, &s->reference);
  return varies ? same(mine / ref, part) : same(mine, ref);
}

double study_reference_h(const study *s)
{
  const double h = study_h(s, &s->reference);
  if (!s->same_method || s->refined == -2 || s->n_run < 2 || s->norm == STUDY_ENERGY) return 0;
  for (int k = 0; k < s->n_run; k++) {
    const study_run *r = &s->run[k];
    bool fits = study_h(s, r) > h;
    if (s->refined >= 0) fits &= same(r->step, s->reference.step);
    for (int i = 0; i < vv_model_bodies(r->scene.model); i++) {
      const double mine = r->body[i].length, ref = s->reference.body[i].length;
      bool varies = false;
      for (int j = 0; j < s->n_run; j++) varies |= !same(s->run[j].body[i].length, mine);
      if (mine > 0) fits &= in_proportion(s, r, mine, ref, varies);
    }
    if (!fits) return 0;
  }
  return h;
}

/* ---- the reference ---- */

/* As few digits as read back as the same number; whole numbers as such. */
static void print_shortest(char *out, size_t size, double x)
{
  const bool whole = x == floor(x) && fabs(x) < 1e9;
  for (int digits = whole ? 10 : 1; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, x);
    if (strtod(out, NULL) == x) return;
  }
}

/* A varied value as the scene understands it: 1/240 and 2 mm are numbers too.  Parameters are no keys: those must be plain. */
static bool value_of(const study *s, const study_run *r, int path, double *out)
{
  char word[64];
  const bool key = strpbrk(s->path[path], ".[") != NULL;
  if (strcmp(s->path[path], "time.step") == 0) {
    *out = r->step;
    return true;
  }
  if (key && !vv_model_word(r->scene.model, s->path[path], word, sizeof word)) return false;
  char *end;
  const char *text = key ? word : r->word[path];
  *out = strtod(text, &end);
  return end != text && *end == '\0';
}

/* Nobody described it: the finest run once more refined, every number by two. */
static bool halve(study *s, const study_run *fine)
{
  const study_run *other = fine == &s->run[0] ? &s->run[s->n_run - 1] : &s->run[0];
  for (int i = 0; i < s->n_path; i++) {
    double value = 0, coarse = 0;
    if (s->refined == -2 || !value_of(s, fine, i, &value) || !value_of(s, other, i, &coarse))
      return app_error("what is varied (%s=%s) gives no finer reference by itself; describe one with --reference "
                       "PATH=VALUE, such as --reference time.step=%.3g",
                       s->path[i], fine->word[i], 0.5 * fine->step) == APP_DONE;
    const bool grows = coarse < value || (s->n_run == 1 && strstr(s->path[i], "elements") != NULL);
    print_shortest(s->halved[i], sizeof s->halved[i], grows ? 2 * value : 0.5 * value);
    s->changed[s->n_changed++] = (app_edit){s->path[i], s->halved[i]};
  }
  return true;
}

static bool open_reference(study *s)
{
  const study_run *fine = finest(s);
  memcpy(s->reference.word, fine->word, sizeof fine->word);
  if (s->n_changed == 0 && s->norm != STUDY_ENERGY && !halve(s, fine)) return false;
  for (int i = 0; i < s->n_changed; i++) {
    const int k = path_index(s, s->changed[i].path);
    if (k >= 0) s->reference.word[k] = s->changed[i].value;
  }
  return open_run(s, &s->reference);
}

/* ---- do they nest? ---- */

static double end_of(const study_run *r)
{
  char end[64];
  app_scene_word(&r->scene, "time", "end", end, sizeof end);
  return strtod(end, NULL);
}

static bool ends_early(const study_run *r)
{
  return (double)vv_model_steps(r->scene.model) * r->step < end_of(r) * (1 - 1e-9);
}

/* Steps that do not divide time.end are shortened until they do; where they are whole parts of the coarsest, they stay so. */
static bool fit_run(study *s, study_run *r, double coarse, double coarse_steps)
{
  const double end = end_of(r), part = round(coarse / r->step);
  double steps = part * coarse_steps;
  if (!(fabs(coarse / r->step - part) < 0.02 * part) || end / steps > r->step * (1 + 1e-9))
    steps = ceil(end / r->step - 1e-9);
  if (fabs(steps * r->step - end) <= 1e-9 * end) return true;
  print_shortest(r->fitted, sizeof r->fitted, end / steps);
  s->fitted = true;
  close_run(r);
  return open_run(s, r);
}

static bool fit_steps(study *s)
{
  bool early = false;
  double coarse = 0;
  for (int i = 0; i <= s->n_run; i++) {
    const study_run *r = i < s->n_run ? &s->run[i] : &s->reference;
    early |= ends_early(r), coarse = fmax(coarse, r->step);
  }
  const double steps = ceil(end_of(&s->run[0]) / coarse - 1e-9);
  for (int i = 0; early && i <= s->n_run; i++)
    if (!fit_run(s, i < s->n_run ? &s->run[i] : &s->reference, coarse, steps)) return false;
  return true;
}

static bool check_times(const study *s, study_run *r)
{
  char words[STUDY_TEXT];
  const study_run *ref = &s->reference;
  const double mine = end_of(r), other = end_of(ref);
  app_clean(words, sizeof words, r->words);
  if (s->norm == STUDY_END && fabs(mine - other) > 1e-9 * fmax(mine, other))
    return app_error("the run with %s ends at t = %.9g, the reference at t = %.9g: only the same times can be compared",
                     words, mine, other) == APP_DONE;
  const double fine = finest(s)->step;
  r->ratio = (int64_t)llround(r->step / ref->step);
  const double off = fabs(r->step / ref->step - (double)r->ratio);
  if (s->norm == STUDY_PAPER && (r->ratio < 1 || off > 1e-6))
    return app_error(
               "the step %.9g of the run with %s is no multiple of the reference's %.9g, but --norm paper compares "
               "at every step of the run: take --reference time.step=%.9g, or --norm end",
               r->step, words, ref->step, fine / fmax(1, ceil(fine / ref->step - 1e-9))) == APP_DONE;
  return true;
}

static void name_contact_norm(study *s)
{
  static const char *const text[STUDY_NORMS] = {
      [STUDY_ENERGY] = "largest relative error of the energy balance in the run",
      [STUDY_TOUCH] = "time of the first contact, against that of the reference",
      [STUDY_FORCE] = "peak force of the first contact, relative to the reference",
      [STUDY_IMPULSE] = "impulse of the first contact, relative to the reference"};
  snprintf(s->norm_text, sizeof s->norm_text, "%s", text[s->norm]);
  if (s->norm == STUDY_TOUCH) snprintf(s->error_unit, sizeof s->error_unit, "%.100s", s->time_unit);
}

static void name_units(study *s)
{
  const app_scene *scene = &s->reference.scene;
  char end[64];
  app_scene_word(scene, "units", "time", s->time_unit, sizeof s->time_unit);
  app_scene_word(scene, "units", "length", s->length_unit, sizeof s->length_unit);
  app_scene_word(scene, "time", "end", end, sizeof end);
  if (!study_of_nodes(s)) {
    name_contact_norm(s);
  } else if (s->norm == STUDY_PAPER) {
    snprintf(s->norm_text, sizeof s->norm_text, "relative at each node, sqrt(dt dl sum of squares) over all steps");
    snprintf(s->error_unit, sizeof s->error_unit, "sqrt(%.100s %.100s)", s->time_unit, s->length_unit);
  } else {
    snprintf(s->norm_text, sizeof s->norm_text, "root mean square over the nodes of their %s at t = %.9g",
             s->frames ? "positions and frames" : "positions", strtod(end, NULL));
    if (!s->frames) snprintf(s->error_unit, sizeof s->error_unit, "%.100s", s->length_unit);
  }
}

bool study_open(study *s)
{
  for (int i = 0; i < s->n_run; i++)
    if (!open_run(s, &s->run[i])) return false;
  for (int i = 1; i < s->n_run; i++)
    if (vv_model_bodies(s->run[i].scene.model) != vv_model_bodies(s->run[0].scene.model))
      return app_error("the runs have different numbers of bodies") == APP_DONE;
  find_refined(s);
  if (!open_reference(s) || !fit_steps(s)) return false;
  for (int i = 0; i < s->n_run; i++)
    if (!check_times(s, &s->run[i]) || (study_of_nodes(s) && !study_twins(s, &s->run[i]))) return false;
  name_units(s);
  return true;
}
