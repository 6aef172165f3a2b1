/* tests/fuzz/replay.c  Runs a fuzz target over stored inputs, in builds without libFuzzer.
 *
 * Arguments: files and folders.  Every file goes in whole and cut short at up to 64 places: a reader must survive a file
 * whose end is missing.  A target that brings its own main (under VV_FUZZ_STANDALONE) keeps it: this one is weak. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int n_file, n_input;

/* A copy of exact size, so that a sanitizer sees one byte too far. */
static void feed(const uint8_t *data, size_t size)
{
  uint8_t *copy = calloc(size > 0 ? size : 1, 1);
  if (copy == NULL) abort();
  if (size > 0) memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  n_input++;
}

static int replay_file(const char *path, size_t size)
{
  FILE *f = fopen(path, "rb");
  uint8_t *data = malloc(size > 0 ? size : 1);
  if (f == NULL || data == NULL || fread(data, 1, size, f) != size) {
    fprintf(stderr, "cannot read %s\n", path);
    if (f != NULL) fclose(f);
    free(data);
    return 1;
  }
  fclose(f);
  const size_t cuts = size < 64 ? size : 64;
  for (size_t i = 0; i < cuts; i++) feed(data, size * i / cuts);
  feed(data, size);
  free(data);
  n_file++;
  return 0;
}

static int replay(const char *path)
{
  struct stat s;
  if (stat(path, &s) != 0) {
    fprintf(stderr, "cannot find %s\n", path);
    return 1;
  }
  if (!S_ISDIR(s.st_mode)) return replay_file(path, (size_t)s.st_size);
  DIR *d = opendir(path);
  if (d == NULL) return 1;
  int bad = 0;
  for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
    if (e->d_name[0] == '.') continue;
    const size_t length = strlen(path) + strlen(e->d_name) + 2;
    char *name = malloc(length);
    if (name == NULL) abort();
    snprintf(name, length, "%s/%s", path, e->d_name);
    bad += replay(name);
    free(name);
  }
  closedir(d);
  return bad;
}

__attribute__((weak)) int main(int argc, char **argv)
{
  int bad = 0;
  feed(NULL, 0);
  for (int i = 1; i < argc; i++) bad += replay(argv[i]);
  printf("%d files, %d inputs\n", n_file, n_input);
  return bad != 0;
}
