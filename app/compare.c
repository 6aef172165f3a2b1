/* app/compare.c  visviva compare: do two result folders agree? */
#include "app.h"

/* n of what both have; of how many, where one of them has more. */
static void print_part(const char *what, double difference, int64_t n, int64_t of_a, int64_t of_b, const char *kind,
                       const char *file)
{
  printf("  %-12s %12.3e  %lld %s%s of %s", what, difference, (long long)n, kind, app_plural(n), file);
  if (n < of_a || n < of_b) printf(", of %lld and %lld", (long long)of_a, (long long)of_b);
  printf("\n");
}

static void print_table(const vv_comparison *c)
{
  printf("  %-12s %12s  %s\n", "", "difference", "compared: what is of the same time");
  print_part("ledger", c->ledger, c->rows, c->rows_a, c->rows_b, "row", "ledger.csv");
  print_part("positions", c->positions, c->frames, c->frames_a, c->frames_b, "frame", "results.h5");
  printf("  %-12s %12.3e  %lld and %lld impacts of events.csv\n", "events", c->events, (long long)c->events_a,
         (long long)c->events_b);
  printf("  %-12s %12.3e  relative\n", "largest", c->difference);
}

static int judge(const vv_comparison *c, double tolerance)
{
  char where[256];
  print_table(c);
  if (c->difference > 0 && c->where[0] != '\0') printf("largest at %s\n", app_clean(where, sizeof where, c->where));
  const bool within = c->difference <= tolerance; /* false for a difference that is not a number */
  const bool all = c->rows == c->rows_a && c->rows == c->rows_b;
  if (within && c->difference == 0 && !all && tolerance == 0) { /* nobody can say that of rows that are not there */
    printf("different: %lld and %lld rows of ledger.csv, and %lld of the same time\n", (long long)c->rows_a,
           (long long)c->rows_b, (long long)c->rows);
    return APP_BROKEN;
  }
  if (within && c->difference == 0 && all)
    printf("the same\n");
  else
    printf("%s: %.3e %s the tolerance %.3e\n", within ? "alike" : "different", c->difference,
           within ? "is within" : "is more than", tolerance);
  return within ? APP_DONE : APP_BROKEN;
}

int app_verb_compare(int argc, char **argv)
{
  const char *text = NULL;
  const app_option option[] = {{.name = "--tol", .value = &text}};
  app_line line = {
      .verb = "compare", .option = option, .n_option = 1, .needs = "two result folders", .least = 2, .most = 2};
  int code;
  double tolerance = 0;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (text != NULL && !app_number("--tol", text, &tolerance)) return APP_INPUT;
  for (int i = 0; i < 2; i++)
    if (!app_is_folder(line.word[i])) return app_error("%s: is not a result folder", line.word[i]);
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_comparison c;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_compare(ctx, line.word[0], line.word[1], &c);
  if (status != VV_OK) app_messages(ctx, status);
  code = status == VV_OK ? judge(&c, tolerance) : APP_INPUT;
  vv_ctx_destroy(ctx);
  return code;
}
