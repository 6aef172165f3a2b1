/* app/files.c  Paths, and what lies in a result folder. */
#include "app.h"

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool app_join(char *out, size_t size, const char *folder, const char *name)
{
  const size_t n = strlen(folder);
  const char *slash = n > 0 && folder[n - 1] == '/' ? "" : "/";
  const int length = snprintf(out, size, "%s%s%s", folder, slash, name);
  if (length >= 0 && (size_t)length < size) return true;
  app_error("%s: the path is too long", folder);
  return false;
}

bool app_exists(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0;
}

bool app_is_folder(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static char *read_all(FILE *f)
{
  size_t size = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text != NULL) {
    const size_t got = fread(text + size, 1, room - size - 1, f);
    size += got;
    if (got == 0) break;
    if (size + 1 < room) continue;
    char *more = realloc(text, room *= 2);
    if (more == NULL) free(text);
    text = more;
  }
  if (text != NULL && ferror(f)) {
    free(text);
    return NULL;
  }
  if (text != NULL) text[size] = '\0';
  return text;
}

char *app_read_text(const char *path)
{
  struct stat s;
  errno = 0;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe must not hold us */
  FILE *f = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? fdopen(fd, "rb") : NULL;
  if (f == NULL) {
    if (fd >= 0) close(fd), errno = EINVAL;
    return NULL;
  }
  char *text = read_all(f);
  const int why = errno;
  fclose(f);
  errno = why;
  return text;
}

static double size_of(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 ? (double)s.st_size : -1;
}

void app_list_file(const char *folder, const char *name)
{
  char path[APP_PATH], amount[32];
  if (!app_join(path, sizeof path, folder, name)) return;
  const double bytes = size_of(path);
  if (bytes >= 0) printf("  %-18s %10s\n", name, app_bytes(amount, sizeof amount, bytes));
}

static void list_paraview(const char *folder)
{
  char inner[APP_PATH], path[APP_PATH], amount[32];
  double bytes = 0;
  int n = 0;
  if (!app_join(inner, sizeof inner, folder, "paraview")) return;
  DIR *dir = opendir(inner);
  if (dir == NULL) return;
  for (struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (e->d_name[0] == '.' || !app_join(path, sizeof path, inner, e->d_name)) continue;
    bytes += size_of(path) > 0 ? size_of(path) : 0;
    n++;
  }
  closedir(dir);
  if (n > 0)
    printf("  %-18s %10s  with %d frame file%s\n", "paraview/run.pvd", app_bytes(amount, sizeof amount, bytes), n - 1,
           app_plural(n - 1));
}

void app_list_files(const char *folder)
{
  static const char *const name[] = {"scene.yaml",   "ledger.csv",  "events.csv", "contacts.csv",
                                     "probes.csv",   "bodies.csv",  "results.h5", "checkpoint.h5",
                                     "summary.json", "picture.svg", "report.html"};
  char clean[APP_PATH];
  printf("files in %s\n", app_clean(clean, sizeof clean, folder));
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) app_list_file(folder, name[i]);
  list_paraview(folder);
}

/* Where this program lies; false: the system does not say. */
static bool own_path(char program[APP_PATH])
{
#ifdef __APPLE__
  char path[APP_PATH];
  uint32_t room = sizeof path;
  return _NSGetExecutablePath(path, &room) == 0 && realpath(path, program) != NULL;
#else
  const ssize_t n = readlink("/proc/self/exe", program, APP_PATH - 1);
  if (n <= 0) return false;
  program[n] = '\0';
  return true;
#endif
}

bool app_beside_program(char *out, size_t size, const char *relative)
{
  char program[APP_PATH];
  if (!own_path(program)) return false;
  char *slash = strrchr(program, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  return app_join(out, size, program, relative);
}
