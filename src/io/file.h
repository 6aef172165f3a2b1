/* io/file.h  Text files whose every write is checked, and files that are replaced in one move. */
#pragma once
#include "base/base.h"

#include <stdio.h>

/* Counts its bytes and hashes them: a checkpoint remembers how long each table was, and what was in it. */
typedef struct vvi_file {
  vv_ctx *ctx;
  const char *path; /* lives as long as the file */
  FILE *stream;     /* NULL: closed */
  int64_t bytes;
  uint64_t hash; /* of all of them */
} vvi_file;

/* "FOLDER/NAME" in the arena; NULL when out of memory. */
char *vvi_path(vvi_arena *arena, const char *folder, const char *name);
bool vvi_exists(const char *path);
bool vvi_is_link(const char *path);
vv_status vvi_folder_create(vv_ctx *ctx, const char *path); /* with its parents */
/* Refuses a link (VV_ARG) where a folder of ours is to be written: what lies behind it is somebody else's. */
vv_status vvi_no_link(vv_ctx *ctx, const char *path);

/* "PATH: WHAT: reason of errno", VV_IO. */
vv_status vvi_io_fail(vv_ctx *ctx, const char *path, const char *what);

/* A new file for writing; what has this name is removed first, a link included: nothing is ever written through a link, nor
 * into a file that has another name, too.  What lies under /dev is opened as it is.  -1 with errno: not created. */
int vvi_create(const char *path);
vv_status vvi_file_create(vv_ctx *ctx, const char *path, vvi_file *out);
/* Opens for appending after the first `bytes` bytes; what follows them is cut off.  *damaged: it is missing, too short, no
 * plain file, or these bytes have another hash; then nothing is open. */
vv_status vvi_file_continue(vv_ctx *ctx, const char *path, int64_t bytes, uint64_t hash, vvi_file *out, bool *damaged);
vv_status vvi_file_write(vvi_file *file, const char *text, size_t bytes);
vv_status vvi_file_text(vvi_file *file, const char *text);
vv_status vvi_file_print(vvi_file *file, const char *format, ...) VV_PRINTF(2, 3); /* at most 1023 bytes */
vv_status vvi_file_flush(vvi_file *file, bool to_disk);
vv_status vvi_file_close(vvi_file *file);

/* Renames a damaged file to NAME.damaged and says so (a warning); a link is removed.  goes_on: what does, "rows go on". */
vv_status vvi_put_aside(vv_ctx *ctx, vvi_arena *arena, const char *path, const char *goes_on);
/* Moves `path.tmp` (closed, complete) onto `path`; to_disk: survives a power cut.  Failing, removes the tmp file. */
vv_status vvi_replace(vv_ctx *ctx, const char *tmp, const char *path, bool to_disk);

/* Writes a double so that it reads back with the same bits (%.17g, always a decimal point); returns its length < 32. */
int vvi_put_number(char *out, double value);
