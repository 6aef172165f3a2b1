/* app/study.c  visviva study: a family of runs, their errors, and the order with which they shrink. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the study as the library wants it ---- */

static const char *remark_of(const study *s, const study_run *r, char out[64])
{
  const bool done = r->stopped || r->scene.state->step == vv_model_steps(r->scene.model);
  out[0] = '\0';
  if (r->failed)
    snprintf(out, 64, "%s", vv_reason_text(r->report.reason));
  else if (!done && r->scene.state->step == 0)
    snprintf(out, 64, "not run");
  else if (!done)
    snprintf(out, 64, s->norm == STUDY_PAPER ? "to t = %.6g" : "stopped at t = %.6g", r->scene.state->t);
  else if (!study_of_nodes(s) && s->norm != STUDY_ENERGY && isfinite(study_contact_value(s, r)))
    snprintf(out, 64, "%.9g %.20s", study_contact_value(s, r), study_contact_unit(s));
  else if (!study_of_nodes(s) && s->norm != STUDY_ENERGY)
    snprintf(out, 64,
             s->norm == STUDY_FORCE && r->contact.n > 0 ? "a contact at an instant has no force" : "no such contact");
  return out;
}

static vv_study_row make_row(const study *s, const study_run *r, bool reference, char remark[64])
{
  return (vv_study_row){.word = r->word,
                        .h = study_h(s, r),
                        .step = r->step,
                        .steps = vv_model_steps(r->scene.model),
                        .nodes = vv_model_nodes(r->scene.model),
                        .wall_seconds = r->wall,
                        .error = reference ? NAN : study_error(s, r),
                        .slope = NAN,
                        .order = NAN,
                        .remark = remark_of(s, r, remark)};
}

/* Rows and remarks are storage of the caller. */
static vv_study make_study(const study *s, vv_study_row row[STUDY_RUNS], char remark[STUDY_RUNS + 1][64])
{
  for (int i = 0; i < s->n_run; i++) row[i] = make_row(s, &s->run[i], false, remark[i]);
  vv_study out = {.title = vv_model_title(s->reference.scene.model),
                  .norm = s->norm_text,
                  .n_path = s->n_path,
                  .path = s->path,
                  .h_name = s->refined == -2 ? NULL : s->h_name,
                  .h_unit = s->refined == -2  ? ""
                            : s->refined >= 0 ? s->length_unit
                                              : s->time_unit,
                  .time_unit = s->time_unit,
                  .error_unit = s->error_unit,
                  .n_row = s->n_run,
                  .row = row,
                  .reference = make_row(s, &s->reference, true, remark[STUDY_RUNS]),
                  .reference_h = study_reference_h(s)};
  vv_study_orders(&out);
  return out;
}

static bool write_files(study *s)
{
  vv_study_row row[STUDY_RUNS];
  char remark[STUDY_RUNS + 1][64];
  const vv_study out = make_study(s, row, remark);
  if (s->folder == NULL) return true;
  const vv_status status = vv_study_write(s->reference.scene.ctx, &out, s->folder);
  if (status != VV_OK) {
    app_progress_clear(&s->progress);
    app_messages(s->reference.scene.ctx, status);
    vv_ctx_messages_clear(s->reference.scene.ctx);
  }
  return status == VV_OK;
}

/* One more error is known: it is in the files even if the rest never comes; the last write is the one that counts. */
static void note_known(study *s)
{
  if (s->folder != NULL) (void)write_files(s);
}

/* ---- the table ---- */

static int width_of(const study *s, int path)
{
  size_t n = strlen(s->path[path]);
  for (int i = 0; i < s->n_run; i++)
    if (strlen(s->run[i].word[path]) > n) n = strlen(s->run[i].word[path]);
  return n < 60 ? (int)n : 60;
}

static void print_number(const char *format, double value, int width)
{
  if (isfinite(value))
    printf(format, width, value);
  else
    printf(" %*s", width, "-");
}

static void print_row(const study *s, const vv_study *out, const vv_study_row *r)
{
  char clean[64];
  printf(" ");
  for (int i = 0; i < s->n_path; i++) printf(" %-*s", width_of(s, i), app_clean(clean, sizeof clean, r->word[i]));
  printf(" %9lld", (long long)r->steps);
  print_number(" %*.3g", r->wall_seconds > 0 ? r->wall_seconds : NAN, 9);
  print_number(" %*.4e", r->error, 11);
  print_number(" %*.3f", r->slope, 7);
  if (out->reference_h > 0) print_number(" %*.3f", r->order, 7);
  printf("%s%s\n", r->remark[0] != '\0' ? "  " : "", r->remark);
}

static void print_table(const study *s, const vv_study *out)
{
  char clean[STUDY_TEXT];
  printf(" ");
  for (int i = 0; i < s->n_path; i++) printf(" %-*s", width_of(s, i), app_clean(clean, sizeof clean, s->path[i]));
  printf(" %9s %9s %11s %7s%s\n", "steps", "wall s", "error", "slope", out->reference_h > 0 ? "   order" : "");
  for (int i = 0; i < out->n_row; i++) print_row(s, out, &out->row[i]);
}

/* How far the reference is from the finest run: too near, and the plain slopes lie. */
static void print_advice(const study *s, const vv_study *out)
{
  double finest = INFINITY;
  for (int i = 0; i < out->n_row; i++) finest = fmin(finest, out->row[i].h);
  const double apart = finest / out->reference_h;
  if (!(out->reference_h > 0) || apart >= 8 || s->n_run < 2 || !isfinite(out->slope)) return;
  printf("The reference is only %.3g times as fine as the finest run, so its own error is\n"
         "in all errors and the last slope comes out too steep: order 1 would show %.2f,\n"
         "order 2 %.2f.  The column `order` is corrected for that.\n",
         apart, log2((2 * apart - 1) / (apart - 1)), log2((4 * apart * apart - 1) / (apart * apart - 1)));
}

/* Positions after impacts may never converge: every difference grows from impact to impact.  Said where errors do not shrink. */
static bool print_chaos(const study *s, const vv_study *out)
{
  const study_run *fine = &s->run[s->n_run - 1];
  double t = INFINITY;
  int known = 0;
  for (int i = 0; i < out->n_row; i++) known += isfinite(out->row[i].error) && out->row[i].error > 0;
  if (!study_of_nodes(s) || known < 2 || out->slope > 0.3) return false;
  for (int i = 0; i < s->n_run; i++)
    if (s->run[i].step < fine->step) fine = &s->run[i];
  if (s->reference.contact.n == 0) return false;
  const int64_t same = study_contacts_agree(fine, &s->reference, &t);
  printf("The errors do not shrink.  %lld contact%s: impacts amplify every difference, so that paths are chaotic.\n",
         (long long)s->reference.contact.n, app_plural(s->reference.contact.n));
  if (isfinite(t))
    printf("The finest run and the reference part at contact %lld, t = %.4g: end before it (--set time.end=%.3g), or\n",
           (long long)same + 1, t, 0.95 * t);
  printf("compare what does not depend on the path: --norm energy, first-contact, peak-force or impulse.\n");
  return true;
}

/* Errors of rounding have no order. */
static bool print_round_off(const study *s, const vv_study *out)
{
  double worst = 0;
  for (int i = 0; i < out->n_row; i++) worst = fmax(worst, isfinite(out->row[i].error) ? out->row[i].error : 1);
  const double scale = s->norm == STUDY_ENERGY ? 1 : s->norm == STUDY_END ? study_reach(&s->reference) : 0;
  if (!(worst <= 1e-12 * scale)) return false;
  printf("All errors are round-off: %s.\n", s->norm == STUDY_ENERGY ? "this method keeps the energy at any step"
                                                                    : "positions at the end are the same at any step");
  return true;
}

static void print_reference(const study *s, const vv_study *out)
{
  char clean[STUDY_TEXT];
  if (s->norm == STUDY_ENERGY) {
    printf("  reference          none: exact is 0\n");
    return;
  }
  printf("  reference          %s\n", app_clean(clean, sizeof clean, s->reference.words));
  printf("                     %lld steps, %.3g s, %s%s\n", (long long)out->reference.steps,
         out->reference.wall_seconds, out->reference_h > 0 ? "the same method" : "taken as exact",
         !s->reference.stopped && s->reference.scene.state->step < out->reference.steps ? ", not finished" : "");
  if (!study_of_nodes(s) && isfinite(study_contact_value(s, &s->reference)))
    printf("                     %.9g %s\n", study_contact_value(s, &s->reference), study_contact_unit(s));
}

static void print_study(const study *s, const vv_study *out)
{
  char clean[STUDY_TEXT];
  app_print_title(&s->reference.scene);
  printf("  error              %s\n", s->norm_text);
  print_reference(s, out);
  if (out->h_name != NULL && s->n_run > 1)
    printf("  slopes             over the %s\n", app_clean(clean, sizeof clean, out->h_name));
  if (s->fitted) printf("  steps              shortened where they did not divide time.end\n");
  print_table(s, out);
  if (!print_round_off(s, out) && !print_chaos(s, out)) {
    if (isfinite(out->slope)) printf("least squares        slope %.3f", out->slope);
    if (isfinite(out->slope) && isfinite(out->order) && out->reference_h > 0) printf(", order %.3f", out->order);
    if (isfinite(out->slope)) printf("\n");
    print_advice(s, out);
  }
  if (s->folder == NULL) return;
  printf("files in %s\n", app_clean(clean, sizeof clean, s->folder));
  app_list_file(s->folder, "study.csv");
  app_list_file(s->folder, "study.svg");
}

/* ---- the verb ---- */

static int count_broken(const study *s)
{
  int broken = 0;
  for (int i = 0; i <= s->n_run; i++) {
    const study_run *r = i < s->n_run ? &s->run[i] : &s->reference;
    const vv_claim *claim;
    const int n = r->scene.state->step > 0 ? vv_sim_claims(r->sim, &claim) : 0;
    for (int k = 0; k < n; k++) {
      char words[STUDY_TEXT];
      if (claim[k].kept) continue;
      broken++;
      app_error("claim broken with %s: %s is off by %.3g, more than its bound %.3g, at t = %.6g",
                app_clean(words, sizeof words, r->words), claim[k].name, claim[k].worst, claim[k].bound, claim[k].when);
    }
  }
  return broken;
}

static int run(study *s)
{
  vv_study_row row[STUDY_RUNS];
  char remark[STUDY_RUNS + 1][64];
  if (!write_files(s)) return APP_INPUT; /* a folder that cannot be written is found before the first step */
  int code = study_advance(s, note_known);
  const vv_study out = make_study(s, row, remark);
  if (!write_files(s)) code = APP_STOPPED;
  if (!s->quiet) print_study(s, &out);
  if (app_signalled()) app_hint("interrupted; what is known so far is %s", s->quiet ? "in the files" : "above");
  if (code != APP_DONE) return code;
  return count_broken(s) > 0 ? APP_BROKEN : APP_DONE;
}

static bool folder_is_fit(const study *s)
{
  static const char *const name[] = {"study.csv", "study.svg"};
  char path[APP_PATH];
  if (s->folder == NULL) return true;
  if (app_exists(s->folder) && !app_is_folder(s->folder))
    return app_error("%s: is a file, not a folder; name another one with -o", s->folder) == APP_DONE;
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    if (!app_join(path, sizeof path, s->folder, name[i])) return false;
    if (app_exists(path) && !s->overwrite)
      return app_error("%s: holds a study already; replace it with --overwrite, or name another folder with -o",
                       s->folder) == APP_DONE;
  }
  return true;
}

static bool read_norm(const char *text, study_norm *out)
{
  static const char *const word[STUDY_NORMS] = {"end", "paper", "energy", "first-contact", "peak-force", "impulse"};
  *out = STUDY_END;
  for (int i = 0; text != NULL && i < STUDY_NORMS; i++)
    if (strcmp(text, word[i]) == 0) {
      *out = (study_norm)i;
      return true;
    }
  if (text == NULL) return true;
  const char *near = app_nearest(text, word, STUDY_NORMS);
  if (near != NULL) return app_error("there is no norm '%s'; did you mean '%s'?", text, near) == APP_DONE;
  app_error("--norm must be end, paper, energy, first-contact, peak-force or impulse, not '%s'", text);
  return false;
}

int app_verb_study(int argc, char **argv)
{
  const char *threads = NULL, *norm = NULL;
  app_values vary = {0}, reference = {0}, set = {0};
  study *s = calloc(1, sizeof *s);
  if (s == NULL) return app_error("out of memory");
  const app_option option[] = {
      {.name = "--vary", .many = &vary},
      {.name = "--reference", .many = &reference},
      {.name = "--set", .many = &set},
      {.name = "--norm", .value = &norm},
      {.name = "--output", .brief = "-o", .value = &s->folder},
      {.name = "--threads", .value = &threads},
      {.name = "--device", .value = &s->device},
      {.name = "--overwrite", .flag = &s->overwrite},
      {.name = "--quiet", .brief = "-q", .flag = &s->quiet},
  };
  app_line line = {.verb = "study", .option = option, .n_option = 9, .needs = "a scene file", .least = 1, .most = 1};
  int code = APP_INPUT;
  if (app_line_read(&line, argc, argv, &code) && read_norm(norm, &s->norm) &&
      (threads == NULL || app_whole("--threads", threads, 1, 1024, &s->threads)) && folder_is_fit(s)) {
    s->scene = line.word[0];
    const bool ready = study_read(s, &vary, &reference, &set) && study_open(s);
    code = ready ? run(s) : APP_INPUT;
    study_close(s);
  }
  free(s);
  return code;
}
