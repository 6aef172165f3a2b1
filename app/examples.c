/* app/examples.c  visviva examples: the shipped scenes, listed and copied. */
#include "app.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VV_EXAMPLES_RELATIVE
#define VV_EXAMPLES_RELATIVE "../share/visviva/examples"
#endif

enum { MOST = 512, NAME = 160 };

typedef struct shelf {
  char root[APP_PATH];
  int n;
  char name[MOST][NAME]; /* newcomer/bar-on-wall, sorted */
} shelf;

/* ---- where they are ---- */

static bool find_root(char *out, size_t size)
{
  const char *wished = getenv("VISVIVA_EXAMPLES");
  if (wished != NULL && *wished != '\0') {
    snprintf(out, size, "%s", wished);
    if (app_is_folder(out)) return true;
    app_error("VISVIVA_EXAMPLES names '%s', which is no folder", wished);
    return false;
  }
  if (app_beside_program(out, size, VV_EXAMPLES_RELATIVE) && app_is_folder(out)) return true;
#ifdef VV_EXAMPLES_DIR
  snprintf(out, size, "%s", VV_EXAMPLES_DIR);
  if (app_is_folder(out)) return true;
#endif
  app_error("the shipped scenes were not found; set VISVIVA_EXAMPLES to their folder");
  return false;
}

/* ---- the list ---- */

static bool is_scene(const char *name)
{
  const size_t n = strlen(name);
  return name[0] != '.' && n > 5 && strcmp(name + n - 5, ".yaml") == 0;
}

static void add_scene(shelf *s, const char *group, const char *file)
{
  const int length = (int)strlen(file) - 5;
  if (s->n == MOST || strlen(group) + strlen(file) + 2 > NAME) return;
  snprintf(s->name[s->n++], NAME, "%s%s%.*s", group, group[0] != '\0' ? "/" : "", length, file);
}

static void add_folder(shelf *s, const char *folder, const char *group)
{
  char path[APP_PATH];
  DIR *dir = opendir(folder);
  if (dir == NULL) return;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (is_scene(e->d_name))
      add_scene(s, group, e->d_name);
    else if (group[0] == '\0' && e->d_name[0] != '.' && app_join(path, sizeof path, folder, e->d_name) &&
             app_is_folder(path))
      add_folder(s, path, e->d_name);
  }
  closedir(dir);
}

/* The newcomer's scenes come first. */
static int order(const void *a, const void *b)
{
  const bool new_a = strncmp(a, "newcomer/", 9) == 0, new_b = strncmp(b, "newcomer/", 9) == 0;
  return new_a != new_b ? new_b - new_a : strcmp(a, b);
}

static shelf *open_shelf(void)
{
  shelf *s = calloc(1, sizeof *s);
  if (s == NULL) {
    app_error("out of memory");
    return NULL;
  }
  if (!find_root(s->root, sizeof s->root)) {
    free(s);
    return NULL;
  }
  add_folder(s, s->root, "");
  qsort(s->name, (size_t)s->n, NAME, order);
  return s;
}

static bool path_of(const shelf *s, const char *name, char *out, size_t size)
{
  char file[NAME + 8];
  snprintf(file, sizeof file, "%s.yaml", name);
  return app_join(out, size, s->root, file);
}

static void copy_title(const char *text, char *out, size_t size)
{
  const char *line = strncmp(text, "title:", 6) == 0 ? text : strstr(text, "\ntitle:");
  if (line == NULL) return;
  const char *from = strchr(line, ':') + 1;
  from += strspn(from, " ");
  const char quote = *from == '"' || *from == '\'' ? *from++ : '\n';
  const char ends[] = {quote, '\n', '\0'};
  snprintf(out, size, "%.*s", (int)strcspn(from, ends), from);
}

/* The name without its group, and the title in what is left of 80 columns. */
static void print_one(const shelf *s, const char *name, int width)
{
  char path[APP_PATH], title[256] = "", clean[256];
  char *text = path_of(s, name, path, sizeof path) ? app_read_text(path) : NULL;
  if (text != NULL) copy_title(text, title, sizeof title);
  free(text);
  const char *slash = strrchr(name, '/');
  printf("  %-*s %.*s\n", width, slash != NULL ? slash + 1 : name, 77 - width, app_clean(clean, sizeof clean, title));
}

static int longest_name(const shelf *s)
{
  size_t longest = 0;
  for (int i = 0; i < s->n; i++) {
    const char *slash = strrchr(s->name[i], '/');
    const size_t n = strlen(slash != NULL ? slash + 1 : s->name[i]);
    if (n > longest) longest = n;
  }
  return longest < 60 ? (int)longest : 60;
}

static int list(const shelf *s)
{
  const int width = longest_name(s);
  for (int i = 0; i < s->n; i++) {
    const size_t group = strcspn(s->name[i], "/");
    if (i == 0 || strncmp(s->name[i], s->name[i - 1], group + 1) != 0) printf("%.*s\n", (int)group, s->name[i]);
    print_one(s, s->name[i], width);
  }
  if (s->n > 0) printf("Copy one into this folder: visviva examples %s\n", s->name[0]);
  return APP_DONE;
}

/* ---- a copy ---- */

/* By its whole name, or by its last part where that is unique; .yaml may be written. */
static const char *find(const shelf *s, const char *word)
{
  const size_t n = is_scene(word) ? strlen(word) - 5 : strlen(word);
  const char *found = NULL;
  for (int i = 0; i < s->n; i++) {
    const char *name = s->name[i], *slash = strrchr(name, '/'), *last = slash != NULL ? slash + 1 : name;
    if (strlen(name) == n && strncmp(name, word, n) == 0) return name;
    if (strlen(last) != n || strncmp(last, word, n) != 0) continue;
    if (found != NULL) return NULL;
    found = name;
  }
  return found;
}

static int unknown(const shelf *s, const char *word)
{
  const char *known[2 * MOST];
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    const char *slash = strrchr(s->name[i], '/');
    known[n++] = s->name[i];
    if (slash != NULL) known[n++] = slash + 1;
  }
  const char *near = app_nearest(word, known, n);
  if (near != NULL) return app_error("there is no example '%s'; did you mean '%s'?", word, near);
  return app_error("there is no example '%s'; `visviva examples` lists them", word);
}

static bool destination(const char *name, const char *wish, char *out, size_t size)
{
  char file[NAME + 8];
  const char *slash = strrchr(name, '/');
  snprintf(file, sizeof file, "%s.yaml", slash != NULL ? slash + 1 : name);
  if (wish == NULL) return snprintf(out, size, "%s", file) > 0;
  if (app_is_folder(wish)) return app_join(out, size, wish, file);
  return (size_t)snprintf(out, size, "%s", wish) < size;
}

static bool write_all(int fd, const char *text)
{
  size_t left = strlen(text);
  while (left > 0) {
    const ssize_t n = write(fd, text, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text += n;
    left -= (size_t)n;
  }
  return true;
}

static int write_copy(const char *text, const char *to)
{
  const int fd = open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd < 0 && errno == EEXIST) return app_error("%s: exists already and is not overwritten; name another file", to);
  if (fd < 0) return app_error("%s: not created: %s", to, strerror(errno));
  const bool written = write_all(fd, text);
  const int why = errno;
  if (close(fd) == 0 && written) return APP_DONE;
  unlink(to);
  app_error("%s: not written: %s", to, strerror(written ? errno : why));
  return APP_STOPPED;
}

/* path with its last part replaced by the n letters at name. */
static bool beside(const char *path, const char *name, size_t n, char *out, size_t size)
{
  const char *slash = strrchr(path, '/');
  const int folder = slash != NULL ? (int)(slash + 1 - path) : 0;
  return (size_t)snprintf(out, size, "%.*s%.*s", folder, path, (int)n, name) < size;
}

/* A scene may read tables and meshes that lie beside it: they go where it goes, unless they are there already. */
static int copy_files(const char *scene, const char *from, const char *to)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  int code = APP_DONE;
  for (const char *c = scene; *c != '\0' && code == APP_DONE; c += strspn(c, letters), c += strcspn(c, letters)) {
    char source[APP_PATH], target[APP_PATH];
    const size_t n = strspn(c, letters);
    if (n <= 4 || (strncmp(c + n - 4, ".csv", 4) != 0 && strncmp(c + n - 4, ".obj", 4) != 0)) continue;
    if (!beside(from, c, n, source, sizeof source) || !beside(to, c, n, target, sizeof target)) continue;
    char *file = access(target, F_OK) != 0 ? app_read_text(source) : NULL;
    if (file != NULL) code = write_copy(file, target);
    free(file);
  }
  return code;
}

static int copy(const shelf *s, const char *word, const char *wish)
{
  char from[APP_PATH], to[APP_PATH], quoted[APP_PATH];
  const char *name = find(s, word);
  if (name == NULL) return unknown(s, word);
  if (!path_of(s, name, from, sizeof from) || !destination(name, wish, to, sizeof to)) return APP_INPUT;
  char *text = app_read_text(from);
  if (text == NULL) return app_error("%s: not read: %s", from, strerror(errno));
  int code = write_copy(text, to);
  if (code == APP_DONE) code = copy_files(text, from, to);
  free(text);
  if (code == APP_DONE) printf("copied %s; run it with: visviva run %s\n", name, app_quote(quoted, sizeof quoted, to));
  return code;
}

int app_verb_examples(int argc, char **argv)
{
  app_line line = {.verb = "examples", .most = 2};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  shelf *s = open_shelf();
  if (s == NULL) return APP_INPUT;
  code = line.n == 0 ? list(s) : copy(s, line.word[0], line.n > 1 ? line.word[1] : NULL);
  free(s);
  return code;
}
