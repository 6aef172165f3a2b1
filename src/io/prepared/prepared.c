/* io/prepared/prepared.c  Scenes whose meshes are too large to be set up by everyone.
 *
 * `visviva prepare` compiles a scene once, and what vvi_keep is told on the way goes to a file: HDF5, one dataset an array, as
 * it lies in memory.  Whoever runs it maps the file: an array is there when it is asked for, of its pages those are read that
 * are touched, and processes of one machine share them.  What is written to them stays with the process that wrote it.
 *
 * Behind the end of what HDF5 knows the file has the hash of each of its MiB.  Each rank looks at its share of them before it
 * believes anything. */
#define _DEFAULT_SOURCE /* realpath */
#include "io/prepared.h"
#include "io/file.h"
#include "io/results/h5.h"
#include "visviva/model.h"
#include "visviva/net.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Raised when an array changes its meaning; a change of an item shows in its size. */
enum { VERSION = 1, ALIGN = 64, BLOCK = 1 << 20, WORD = 64 };

typedef struct prepared {
  vvi_prepared base;
  vvi_h5 file;
  char *path;
  char *map; /* the whole file; NULL: it is written */
  size_t bytes;
} prepared;

/* ---- hashes behind the end ---- */

typedef struct tail {
  uint64_t bytes, mark; /* of the file before the hashes */
} tail;
static const uint64_t MARK = 0x7669737669766100u + VERSION;

static int64_t blocks_of(uint64_t bytes)
{
  return (int64_t)((bytes + BLOCK - 1) / BLOCK);
}

/* Of block i of a file's first `bytes`; false: not read. */
static bool block_hash(int fd, uint64_t bytes, int64_t i, char *room, uint64_t *out)
{
  const uint64_t from = (uint64_t)i * BLOCK, n = bytes - from < BLOCK ? bytes - from : BLOCK;
  if (pread(fd, room, n, (off_t)from) != (ssize_t)n) return false;
  *out = vvi_hash(VVI_HASH_SEED, room, n);
  return true;
}

static bool write_hashes(int fd, char *room)
{
  const off_t size = lseek(fd, 0, SEEK_END);
  const tail end = {.bytes = (uint64_t)size, .mark = MARK};
  off_t at = size;
  uint64_t h;
  if (size < 0) return false;
  for (int64_t i = 0; i < blocks_of(end.bytes); i++, at += (off_t)sizeof h)
    if (!block_hash(fd, end.bytes, i, room, &h) || pwrite(fd, &h, sizeof h, at) != sizeof h) return false;
  return pwrite(fd, &end, sizeof end, at) == sizeof end;
}

/* Every `ranks`th block from this rank on. */
static bool is_whole(int fd, const vv_net *net, char *room)
{
  const off_t size = lseek(fd, 0, SEEK_END);
  tail end;
  uint64_t h, found;
  if (size < (off_t)sizeof end || pread(fd, &end, sizeof end, size - (off_t)sizeof end) != sizeof end) return false;
  if (end.mark != MARK || end.bytes > (uint64_t)size) return false;
  if ((uint64_t)size != end.bytes + sizeof h * (uint64_t)blocks_of(end.bytes) + sizeof end) return false;
  for (int64_t i = net != NULL ? net->rank : 0; i < blocks_of(end.bytes); i += net != NULL ? net->ranks : 1) {
    const off_t at = (off_t)(end.bytes + sizeof h * (uint64_t)i);
    if (pread(fd, &h, sizeof h, at) != sizeof h || !block_hash(fd, end.bytes, i, room, &found) || h != found)
      return false;
  }
  return true;
}

/* Writes the hashes of a file, or looks at them. */
static bool hash_file(const vv_ctx *ctx, const char *path, bool write)
{
  const int fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  char *room = malloc(BLOCK);
  const bool ok = fd >= 0 && room != NULL && (write ? write_hashes(fd, room) : is_whole(fd, vvi_ctx_net(ctx), room));
  if (fd >= 0) close(fd);
  free(room);
  return ok;
}

static char *map_file(const char *path, size_t *bytes)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
  void *map = MAP_FAILED;
  if (end > 0) map = mmap(NULL, (size_t)end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
  if (fd >= 0) close(fd);
  *bytes = end > 0 ? (size_t)end : 0;
  return map == MAP_FAILED ? NULL : map;
}

/* ---- arrays ---- */

static vv_status put(vvi_prepared *base, const char *name, const void *data, int64_t bytes)
{
  return vvi_h5_write(&((prepared *)base)->file, name, VVI_H5_BYTE, 1, &bytes, data);
}

static void *get(vvi_prepared *base, const char *name, int64_t bytes)
{
  prepared *f = (prepared *)base;
  int64_t at, there;
  if (!vvi_h5_has(&f->file, name) || vvi_h5_place(&f->file, name, &at, &there) != VV_OK || there != bytes) return NULL;
  return (uint64_t)at + (uint64_t)bytes <= f->bytes ? f->map + at : NULL;
}

static void close_file(vvi_prepared *base)
{
  prepared *f = (prepared *)base;
  (void)vvi_h5_close(&f->file);
  if (f->map != NULL) (void)munmap(f->map, f->bytes);
  free(f->path);
  free(f);
}

static prepared *make(const char *path, bool reads)
{
  prepared *f = calloc(1, sizeof *f);
  char *copy = malloc(strlen(path) + 1);
  if (f == NULL || copy == NULL) {
    free(f), free(copy);
    return NULL;
  }
  f->path = strcpy(copy, path);
  f->base = (vvi_prepared){.reads = reads, .put = put, .get = get, .close = close_file, .path = f->path};
  return f;
}

/* ---- reading ---- */

bool vvi_prepared_is(FILE *file)
{
  const int first = getc(file); /* of HDF5: no text begins so */
  if (first != EOF) ungetc(first, file);
  return first == 0x89;
}

static vv_status read_scene(prepared *f, char **text, size_t *length, char **source)
{
  vv_ctx *ctx = f->file.ctx;
  char word[WORD];
  int64_t version = 0, at, bytes;
  VV_TRY(vvi_h5_get_whole(&f->file, "/", "prepared", &version));
  VV_TRY(vvi_h5_get_text(&f->file, "/", "visviva", word, sizeof word));
  if (version != VERSION || strcmp(word, vv_version()) != 0)
    return vvi_fail(ctx, VV_IO, "%.160s: was prepared by visviva %s; prepare the scene again", f->path, word);
  char **const out[] = {text, source};
  const char *const name[] = {"scene", "source"};
  for (int i = 0; i < VV_COUNT(out); i++) {
    VV_TRY(vvi_h5_place(&f->file, name[i], &at, &bytes));
    if ((*out[i] = malloc((size_t)bytes + 1)) == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory for a scene");
    VV_TRY(vvi_h5_read(&f->file, name[i], VVI_H5_BYTE, bytes, *out[i]));
    (*out[i])[bytes] = '\0';
    if (i == 0) *length = (size_t)bytes;
  }
  return VV_OK;
}

vv_status vvi_prepared_open(vv_ctx *ctx, const char *path, char **text, size_t *length, char **source)
{
  prepared *f = make(path, true);
  *text = *source = NULL;
  if (f == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  vvi_ctx_prepare(ctx, &f->base);
  if (!hash_file(ctx, path, false))
    return vvi_fail(ctx, VV_IO, "%.160s: is no prepared scene, or damaged; prepare the scene again", path);
  errno = 0;
  if ((f->map = map_file(path, &f->bytes)) == NULL) return vvi_io_fail(ctx, path, "not mapped");
  VV_TRY(vvi_h5_open(ctx, f->path, false, &f->file));
  return read_scene(f, text, length, source);
}

/* ---- writing ---- */

static vv_status write_texts(prepared *f, const char *scene, const char *text, size_t length)
{
  char *source = realpath(scene, NULL);
  const char *name = source != NULL ? source : scene;
  const int64_t n = (int64_t)strlen(name), bytes = (int64_t)length;
  vv_status status = vvi_h5_set_whole(&f->file, "/", "prepared", VERSION);
  if (status == VV_OK) status = vvi_h5_set_text(&f->file, "/", "visviva", vv_version());
  if (status == VV_OK) status = vvi_h5_write(&f->file, "scene", VVI_H5_BYTE, 1, &bytes, text);
  if (status == VV_OK) status = vvi_h5_write(&f->file, "source", VVI_H5_BYTE, 1, &n, name);
  free(source);
  return status;
}

/* Compiled, told to the file on the way, and given up. */
static vv_status compile(vv_ctx *ctx, const char *scene, const char *text, size_t length)
{
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_status status = vv_scene_parse(ctx, scene, text, length, &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  return status;
}

static vv_status write_all(vv_ctx *ctx, prepared *f, const char *scene, const char *tmp, const char *text,
                           size_t length)
{
  VV_TRY(vvi_h5_create_aligned(ctx, tmp, ALIGN, &f->file));
  VV_TRY(write_texts(f, scene, text, length));
  VV_TRY(compile(ctx, scene, text, length));
  VV_TRY(vvi_h5_close(&f->file));
  errno = 0;
  return hash_file(ctx, tmp, true) ? VV_OK : vvi_io_fail(ctx, tmp, "not written");
}

/* Nothing but a prepared scene is written over, least of all the scene itself. */
static vv_status refuse_others(vv_ctx *ctx, const char *path)
{
  FILE *file = vvi_open_plain(path);
  const bool ours = file == NULL || vvi_prepared_is(file);
  if (file != NULL) fclose(file);
  return ours ? VV_OK : vvi_fail(ctx, VV_ARG, "%s: is there, and is no prepared scene; name another file", path);
}

vv_status vv_scene_prepare(vv_ctx *ctx, const char *scene, const char *path)
{
  VV_TRY(refuse_others(ctx, path));
  vvi_arena arena = {0};
  char *text = NULL, *tmp = vvi_arena_alloc(&arena, strlen(path) + sizeof ".tmp");
  size_t length = 0;
  prepared *f = tmp != NULL ? make(path, false) : NULL;
  if (f == NULL) {
    vvi_arena_free(&arena);
    return vvi_fail(ctx, VV_NOMEM, "out of memory");
  }
  strcat(strcpy(tmp, path), ".tmp");
  vv_status status = vvi_scene_text(ctx, scene, &text, &length);
  if (status == VV_OK) {
    vvi_ctx_prepare(ctx, &f->base);
    status = write_all(ctx, f, scene, tmp, text, length);
    if (status == VV_OK) status = vvi_replace(ctx, tmp, path, true);
    if (status != VV_OK) (void)remove(tmp);
    vvi_ctx_prepare(ctx, NULL);
  } else {
    close_file(&f->base);
  }
  free(text);
  vvi_arena_free(&arena);
  return status;
}
