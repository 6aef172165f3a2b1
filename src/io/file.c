/* io/file.c  Checked text files, atomic replacement, numbers as text. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *vvi_path(vvi_arena *arena, const char *folder, const char *name)
{
  const size_t n = strlen(folder) + strlen(name) + 2;
  char *path = vvi_arena_alloc(arena, n);
  if (path != NULL) snprintf(path, n, "%s/%s", folder, name);
  return path;
}

bool vvi_exists(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0;
}

bool vvi_is_link(const char *path)
{
  struct stat s;
  return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

vv_status vvi_no_link(vv_ctx *ctx, const char *path)
{
  if (!vvi_is_link(path)) return VV_OK;
  return vvi_fail(ctx, VV_ARG, "%s: is a link, and nothing is written through links; remove it, or write a folder",
                  path);
}

vv_status vvi_io_fail(vv_ctx *ctx, const char *path, const char *what)
{
  const int why = errno;
  return vvi_fail(ctx, VV_IO, "%s: %s: %s", path, what, why != 0 ? strerror(why) : "unknown reason");
}

static bool is_folder(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

vv_status vvi_folder_create(vv_ctx *ctx, const char *path)
{
  char *part = malloc(strlen(path) + 1);
  if (part == NULL) return VV_NOMEM;
  strcpy(part, path);
  bool ok = part[0] != '\0';
  errno = ok ? 0 : EINVAL;
  for (char *c = part + 1; ok && part[0] != '\0'; c++) {
    const char was = *c;
    if (was != '/' && was != '\0') continue;
    *c = '\0';
    ok = is_folder(part) || mkdir(part, 0777) == 0 || (errno == EEXIST && is_folder(part));
    *c = was;
    if (was == '\0') break;
  }
  free(part);
  return ok ? VV_OK : vvi_io_fail(ctx, path, "folder not created");
}

/* What /dev has is no file, but for /dev/shm, a folder as any other. */
static bool is_device(const char *path)
{
  return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

int vvi_create(const char *path)
{
  if (is_device(path)) return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (unlink(path) != 0 && errno != ENOENT) return -1;
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* The stream of an open descriptor; failing, closes it. */
static FILE *stream_of(int fd, const char *mode)
{
  FILE *stream = fd >= 0 ? fdopen(fd, mode) : NULL;
  if (stream == NULL && fd >= 0) close(fd);
  return stream;
}

vv_status vvi_file_create(vv_ctx *ctx, const char *path, vvi_file *out)
{
  errno = 0;
  *out = (vvi_file){.ctx = ctx, .path = path, .stream = stream_of(vvi_create(path), "wb"), .hash = VVI_HASH_SEED};
  return out->stream != NULL ? VV_OK : vvi_io_fail(ctx, path, "not created");
}

/* Reads the first `bytes` bytes; false where there are fewer. */
static bool hash_start(FILE *stream, int64_t bytes, uint64_t *hash)
{
  char part[16384];
  *hash = VVI_HASH_SEED;
  while (bytes > 0) {
    const size_t want = bytes < (int64_t)sizeof part ? (size_t)bytes : sizeof part;
    const size_t n = fread(part, 1, want, stream);
    if (n == 0) return false;
    *hash = vvi_hash(*hash, part, n);
    bytes -= (int64_t)n;
  }
  return true;
}

vv_status vvi_file_continue(vv_ctx *ctx, const char *path, int64_t bytes, uint64_t hash, vvi_file *out, bool *damaged)
{
  struct stat s;
  errno = 0;
  *out = (vvi_file){.ctx = ctx, .path = path, .bytes = bytes, .hash = hash};
  *damaged = false;
  const int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ELOOP)) *damaged = true;
  if (*damaged) return VV_OK;
  out->stream = stream_of(fd, "r+b");
  if (out->stream == NULL) return vvi_io_fail(ctx, path, "not opened");
  uint64_t found = 0;
  const bool plain = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
  *damaged = !plain || !hash_start(out->stream, bytes, &found) || found != hash;
  if (!*damaged && ftruncate(fd, (off_t)bytes) == 0 && fseeko(out->stream, (off_t)bytes, SEEK_SET) == 0) return VV_OK;
  const vv_status status = *damaged ? VV_OK : vvi_io_fail(ctx, path, "not cut back to its checkpoint");
  fclose(out->stream);
  out->stream = NULL;
  return status;
}

vv_status vvi_file_write(vvi_file *file, const char *text, size_t bytes)
{
  errno = 0;
  if (fwrite(text, 1, bytes, file->stream) != bytes) return vvi_io_fail(file->ctx, file->path, "not written");
  file->bytes += (int64_t)bytes;
  file->hash = vvi_hash(file->hash, text, bytes);
  return VV_OK;
}

vv_status vvi_file_text(vvi_file *file, const char *text)
{
  return vvi_file_write(file, text, strlen(text));
}

vv_status vvi_file_print(vvi_file *file, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  VV_ASSERT(n >= 0 && n < (int)sizeof text);
  return vvi_file_write(file, text, strlen(text));
}

vv_status vvi_file_flush(vvi_file *file, bool to_disk)
{
  errno = 0;
  if (fflush(file->stream) != 0) return vvi_io_fail(file->ctx, file->path, "not written");
  /* a special file (pipe, /dev/null) cannot be synchronised; that is no loss */
  if (to_disk && fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != EROFS)
    return vvi_io_fail(file->ctx, file->path, "not written to disk");
  return VV_OK;
}

vv_status vvi_file_close(vvi_file *file)
{
  if (file->stream == NULL) return VV_OK;
  errno = 0;
  const int failed = fclose(file->stream);
  file->stream = NULL;
  return failed == 0 ? VV_OK : vvi_io_fail(file->ctx, file->path, "not written");
}

static bool sync_path(const char *path)
{
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return false;
  const bool ok = fsync(fd) == 0 || errno == EINVAL;
  const int why = errno;
  close(fd);
  errno = why;
  return ok;
}

/* The name itself is an entry of the folder: it must reach the disk too. */
static bool sync_folder_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return sync_path(".");
  char *folder = malloc((size_t)(slash - path) + 2);
  if (folder == NULL) return false;
  memcpy(folder, path, (size_t)(slash - path) + 1); /* with the slash, so that "/name" gives "/" */
  folder[slash - path + 1] = '\0';
  const bool ok = sync_path(folder);
  free(folder);
  return ok;
}

vv_status vvi_put_aside(vv_ctx *ctx, vvi_arena *arena, const char *path, const char *goes_on)
{
  const size_t n = strlen(path) + sizeof ".damaged";
  char *aside = vvi_arena_alloc(arena, n);
  if (aside == NULL) return VV_NOMEM;
  snprintf(aside, n, "%s.damaged", path);
  errno = 0;
  const bool link = vvi_is_link(path), there = link || vvi_exists(path);
  if (link ? unlink(path) != 0 : there && rename(path, aside) != 0)
    return vvi_io_fail(ctx, path, "damaged, and not put aside");
  const char *name = strrchr(aside, '/') != NULL ? strrchr(aside, '/') + 1 : aside;
  if (link || !there)
    vvi_fail(ctx, VV_OK, "%s: %s; %s in a new file", path, link ? "a link, which is not followed" : "missing", goes_on);
  else
    vvi_fail(ctx, VV_OK, "%s: damaged; put aside as %s, %s in a new file", path, name, goes_on);
  return VV_OK;
}

/* A device or a pipe is not replaced by a file, nor what /dev calls stdout. */
static bool may_be_replaced(const char *path)
{
  struct stat s;
  const bool there = lstat(path, &s) == 0;
  if (there && ((!S_ISREG(s.st_mode) && !S_ISLNK(s.st_mode)) || is_device(path))) {
    errno = S_ISDIR(s.st_mode) ? EISDIR : EINVAL;
    return false;
  }
  errno = 0;
  return true;
}

vv_status vvi_replace(vv_ctx *ctx, const char *tmp, const char *path, bool to_disk)
{
  errno = 0;
  bool ok = (!to_disk || sync_path(tmp)) && may_be_replaced(path);
  ok = ok && rename(tmp, path) == 0;
  if (ok && (!to_disk || sync_folder_of(path))) return VV_OK;
  const vv_status status = vvi_io_fail(ctx, path, "not replaced");
  if (!ok) remove(tmp);
  return status;
}

/* Most columns of a ledger row are exact zeros or whole numbers: printf would cost more than the step itself. */
static int put_whole(char *out, int64_t value)
{
  char digit[24];
  int n = 0, length = 0;
  uint64_t rest = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
  do digit[n++] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0) out[length++] = '-';
  while (n > 0) out[length++] = digit[--n];
  out[length] = '\0';
  return length;
}

int vvi_put_number(char *out, double value)
{
  if (isnan(value)) return (int)strlen(strcpy(out, "nan"));
  if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value)))
    return put_whole(out, (int64_t)value);
  const int n = snprintf(out, 32, "%.17g", value);
  /* a host program may have set a locale with a decimal comma */
  for (char *c = out; *c != '\0'; c++)
    if (*c == ',') *c = '.';
  return n;
}
