/* app/help_keys.c  visviva help time.step: what the reference page says about a key of scenes or a group of them. */
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096, CELLS = 6, NAME = 22, WIDTH = 80 };

/* The reference page as a file that vanishes when it is closed; NULL: there is no room for it. */
static FILE *open_page(void)
{
  char path[] = "/tmp/visviva-help-XXXXXX";
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  FILE *page = NULL;
  const int file = mkstemp(path);
  if (file < 0) return NULL;
  close(file);
  if (vv_ctx_create(&def, &ctx) == VV_OK && vv_scene_reference(ctx, path) == VV_OK) page = fopen(path, "r");
  vv_ctx_destroy(ctx);
  remove(path);
  return page;
}

/* "### `shell.copies[]`" and "## kind: shell" as the path that a reader would write. */
static bool heading(const char *line, char *out, size_t size)
{
  size_t n = 0;
  if (line[0] != '#') return false;
  line += strspn(line, "# ");
  if (strncmp(line, "kind: ", 6) == 0) line += 6;
  for (; *line != '\0' && *line != '\n' && n + 1 < size; line++)
    if (strchr("`[]", *line) == NULL) out[n++] = *line;
  out[n] = '\0';
  return true;
}

/* Cells of a row of a table, without quotes; bars inside a cell are \|. */
static int cells_of(char *line, char *cell[CELLS])
{
  int n = 0;
  char *to = line;
  if (line[0] != '|') return 0;
  for (char *c = line + 1; *c != '\0' && n < CELLS; c++) {
    if (c == line + 1 || (c[-1] == '|' && c[-2] != '\\')) {
      c += strspn(c, " ");
      cell[n] = to;
    }
    if (c[0] == '\\' && c[1] == '|')
      c++;
    else if (*c == '|') {
      while (to > cell[n] && to[-1] == ' ') to--;
      *to++ = '\0', n++;
      continue;
    }
    if (*c != '`' && *c != '\n') *to++ = *c;
  }
  return n;
}

/* Words, broken before the edge of the screen. */
static void print_text(const char *text, int *column)
{
  for (const char *c = text + strspn(text, " "); *c != '\0';) {
    const int n = (int)strcspn(c, " ");
    if (*column + 1 + n > WIDTH) *column = printf("\n%*s", NAME, "") - 1;
    *column += printf("%s%.*s", *column > NAME ? " " : "", n, c);
    c += n;
    c += strspn(c, " ");
  }
}

static void print_row(char *const cell[CELLS])
{
  char facts[2 * LINE];
  int column = printf("  %-*s", NAME - 2, cell[0]);
  const bool fixed = strcmp(cell[3], "required") == 0 || cell[3][0] == '\0';
  snprintf(facts, sizeof facts, "%s%s%s%s%s%s%s", cell[1], cell[2][0] != '\0' && strcmp(cell[2], "1") != 0 ? ", " : "",
           strcmp(cell[2], "1") != 0 ? cell[2] : "", cell[3][0] != '\0' ? (fixed ? ", " : "; default ") : "", cell[3],
           cell[4][0] != '\0' ? "; " : "", cell[4]);
  if (column > NAME) column = printf("\n%*s", NAME, "") - 1;
  print_text(facts, &column);
  column = printf("\n%*s", NAME, "") - 1;
  print_text(cell[5], &column);
  printf("\n");
}

/* The section of this path, or the row `key` of it; false: there is none. */
static bool print_section(FILE *page, const char *path, const char *key)
{
  char line[LINE], name[LINE], *cell[CELLS];
  bool inside = false, found = false;
  rewind(page);
  while (fgets(line, sizeof line, page) != NULL) {
    if (heading(line, name, sizeof name)) {
      if (inside) break;
      inside = strcmp(name, path) == 0;
      found |= inside && key == NULL;
    } else if (inside && line[0] == '|') {
      if (cells_of(line, cell) < CELLS || strcmp(cell[0], "key") == 0 || cell[0][0] == '-') continue;
      if (key != NULL && strcmp(cell[0], key) != 0) continue;
      print_row(cell);
      found = true;
    } else if (inside && key == NULL && line[0] != '\n') {
      printf("%s", line);
    }
  }
  return found;
}

static void nearer(const char *name, const char *path, char near[APP_KEY], int *least, bool *found)
{
  if (strlen(path) >= APP_KEY || !app_nearer(name, path, least)) return;
  strcpy(near, path);
  *found = true;
}

/* A group of keys, a key of it by its path, or a key of the scene itself. */
bool app_help_key_near(const char *name, char near[APP_KEY], int *least)
{
  char line[LINE], group[LINE] = "", path[2 * LINE], *cell[CELLS];
  bool found = false;
  FILE *page = open_page();
  if (page == NULL) return false;
  while (fgets(line, sizeof line, page) != NULL) {
    if (heading(line, group, sizeof group)) {
      nearer(name, group, near, least, &found);
    } else if (cells_of(line, cell) == CELLS && cell[0][0] != '-' && strcmp(cell[0], "key") != 0) {
      snprintf(path, sizeof path, "%s.%s", group, cell[0]);
      nearer(name, strcmp(group, "scene") == 0 ? cell[0] : path, near, least, &found);
    }
  }
  fclose(page);
  return found;
}

bool app_help_key(const char *name)
{
  char path[256], *dot;
  FILE *page = strlen(name) < sizeof path ? open_page() : NULL;
  if (page == NULL) return false;
  strcpy(path, name);
  bool found = (dot = strrchr(path, '.')) == NULL && print_section(page, "scene", name);
  if (dot != NULL) { /* what may stand there, which need not be a map, then what is below it */
    *dot = '\0';
    found = print_section(page, path, dot + 1);
  }
  found |= print_section(page, name, NULL);
  fclose(page);
  return found;
}
