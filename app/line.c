/* app/line.c  Reads the command line: options, arguments, and suggestions for misspelt ones. */
#include "app.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was probably meant ---- */

bool app_nearer(const char *word, const char *known, int *least)
{
  const size_t length = strlen(word);
  const bool begins = length >= 2 && strncmp(word, known, length) == 0;
  const int slips = begins ? 0 : vv_text_slips(word, known);
  if (slips < 0 || slips >= *least) return false;
  *least = slips;
  return true;
}

const char *app_nearest(const char *word, const char *const *known, int n)
{
  const char *best = NULL;
  int least = INT_MAX;
  for (int i = 0; i < n; i++)
    if (app_nearer(word, known[i], &least)) best = known[i];
  return best;
}

/* ---- options and words ---- */

static const app_option *find(const app_line *line, const char *name, size_t length)
{
  for (int i = 0; i < line->n_option; i++) {
    const app_option *o = &line->option[i];
    if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    if (o->brief != NULL && strlen(o->brief) == length && strncmp(o->brief, name, length) == 0) return o;
  }
  return NULL;
}

static const char *usage_of(const char *verb)
{
  const app_verb *v = app_verb_find(verb);
  return v != NULL ? v->usage : verb;
}

static int unknown_option(const app_line *line, const char *word)
{
  const char *known[16] = {"--help"};
  int n = 1;
  for (int i = 0; i < line->n_option && n < 16; i++) known[n++] = line->option[i].name;
  const char *near = app_nearest(word, known, n);
  if (near != NULL) return app_error("%s: unknown option '%s'; did you mean '%s'?", line->verb, word, near);
  return app_error("%s: unknown option '%s'; usage: visviva %s", line->verb, word, usage_of(line->verb));
}

/* Returns how many arguments were used, 0 after a mistake. */
static int read_option(const app_line *line, int argc, char **argv)
{
  const char *word = argv[0], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
  const app_option *o = find(line, word, equals != NULL ? (size_t)(equals - word) : strlen(word));
  if (o == NULL) {
    unknown_option(line, word);
    return 0;
  }
  if (o->flag != NULL) {
    *o->flag = true;
    if (equals != NULL) app_error("%s: option '%s' takes no value", line->verb, o->name);
    return equals == NULL;
  }
  const char *value = equals != NULL ? equals + 1 : argc > 1 ? argv[1] : NULL;
  if (value == NULL || *value == '\0') {
    app_error("%s: option '%s' needs a value; usage: visviva %s", line->verb, word, usage_of(line->verb));
    return 0;
  }
  if (o->many != NULL && o->many->n == APP_MAX_VALUES) {
    app_error("%s: option '%s' can be given %d times at most", line->verb, o->name, APP_MAX_VALUES);
    return 0;
  }
  if (o->many != NULL) o->many->value[o->many->n++] = value;
  if (o->value != NULL) *o->value = value;
  return equals != NULL ? 1 : 2;
}

static bool is_help(const char *word)
{
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int read_word(app_line *line, const char *word)
{
  if (word[0] == '\0') {
    app_error("%s: an empty argument where a name was expected; usage: visviva %s", line->verb, usage_of(line->verb));
    return 0;
  }
  if (line->n == line->most) {
    app_error("%s: '%s' is one argument too many; usage: visviva %s", line->verb, word, usage_of(line->verb));
    return 0;
  }
  line->word[line->n++] = word;
  return 1;
}

bool app_line_read(app_line *line, int argc, char **argv, int *code)
{
  bool words_only = false;
  *code = APP_INPUT;
  for (int i = 0; i < argc;) {
    const bool option = !words_only && argv[i][0] == '-' && argv[i][1] != '\0';
    if (option && is_help(argv[i])) {
      *code = app_help(line->verb);
      return false;
    }
    int used = 1;
    if (option && strcmp(argv[i], "--") == 0)
      words_only = true;
    else
      used = option ? read_option(line, argc - i, argv + i) : read_word(line, argv[i]);
    if (used == 0) return false;
    i += used;
  }
  if (line->n >= line->least) return true;
  app_error("%s needs %s; usage: visviva %s", line->verb, line->needs, usage_of(line->verb));
  return false;
}

bool app_whole(const char *option, const char *text, long least, long most, int *out)
{
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && value >= least && value <= most) {
    *out = (int)value;
    return true;
  }
  app_error("%s must be a whole number from %ld to %ld, not '%s'", option, least, most, text);
  return false;
}

bool app_number(const char *option, const char *text, double *out)
{
  char *end;
  *out = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(*out) && *out >= 0) return true;
  app_error("%s must be a number that is not negative, not '%s'", option, text);
  return false;
}
