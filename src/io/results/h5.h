/* io/results/h5.h  The few HDF5 operations visviva needs.  The only door to hdf5.h.
 *
 * Default file format (readable after a crash when flushed), little-endian types on disk, no time stamps: the same run
 * gives the same content.  Nothing is printed; every failure is one message that names the file. */
#pragma once
#include "base/base.h"

typedef enum vvi_h5_type { VVI_H5_DOUBLE, VVI_H5_INT64, VVI_H5_INT32, VVI_H5_BYTE } vvi_h5_type;

typedef struct vvi_h5 {
  vv_ctx *ctx;
  const char *path; /* lives as long as the file */
  int64_t id;       /* 0: closed */
  int64_t driver;   /* h5_disk.h; as long as the file is open */
  int error;        /* errno of the first write that failed; the driver holds its address: do not move an open vvi_h5 */
} vvi_h5;

enum { VVI_H5_RANK = 4 };

vv_status vvi_h5_create(vv_ctx *ctx, const char *path, vvi_h5 *out);
/* Datasets begin at multiples of `align` bytes: the file can be mapped. */
vv_status vvi_h5_create_aligned(vv_ctx *ctx, const char *path, int align, vvi_h5 *out);
vv_status vvi_h5_open(vv_ctx *ctx, const char *path, bool write, vvi_h5 *out);
vv_status vvi_h5_flush(vvi_h5 *f, bool to_disk);
vv_status vvi_h5_close(vvi_h5 *f);

vv_status vvi_h5_group(vvi_h5 *f, const char *name);
bool vvi_h5_has(vvi_h5 *f, const char *name); /* an object; its parents may be missing */
/* Names in a group, in alphabetical order; they live in the arena. */
vv_status vvi_h5_names(vvi_h5 *f, const char *group, vvi_arena *arena, int *n, char ***names);

/* Attributes of an object ("/" is the file).  Setting replaces the value. */
vv_status vvi_h5_set_text(vvi_h5 *f, const char *object, const char *name, const char *text);
vv_status vvi_h5_set_whole(vvi_h5 *f, const char *object, const char *name, int64_t value);
vv_status vvi_h5_set_number(vvi_h5 *f, const char *object, const char *name, double value);
/* Cut to what fits into `room` bytes with its end. */
vv_status vvi_h5_get_text(vvi_h5 *f, const char *object, const char *name, char *out, size_t room);
vv_status vvi_h5_get_whole(vvi_h5 *f, const char *object, const char *name, int64_t *value);
vv_status vvi_h5_get_number(vvi_h5 *f, const char *object, const char *name, double *value);

/* Datasets of fixed size.  A dimension may be 0. */
vv_status vvi_h5_write(vvi_h5 *f, const char *name, vvi_h5_type type, int rank, const int64_t dims[], const void *data);
vv_status vvi_h5_shape(vvi_h5 *f, const char *name, int *rank, int64_t dims[VVI_H5_RANK]);
vv_status vvi_h5_read(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t count, void *data);
/* Where a dataset of fixed size lies in the file, and its bytes; offset 0: it has none. */
vv_status vvi_h5_place(vvi_h5 *f, const char *name, int64_t *offset, int64_t *bytes);
/* The box of `count` values from `first` on, in every dimension. */
vv_status vvi_h5_read_box(vvi_h5 *f, const char *name, vvi_h5_type type, int rank, const int64_t first[],
                          const int64_t count[], void *data);

/* Datasets that grow frame by frame: [frames] or [frames][n] or [frames][n][components]; one chunk per frame. */
vv_status vvi_h5_series_create(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int components, int64_t *id);
/* Refuses one that vvi_h5_series_create would have made otherwise (type, shape, chunks), or of fewer than `least` frames. */
vv_status vvi_h5_series_open(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int components, int64_t least,
                             int64_t *id);
vv_status vvi_h5_series_put(vvi_h5 *f, int64_t id, vvi_h5_type type, int64_t frame, const void *data);
vv_status vvi_h5_series_cut(vvi_h5 *f, int64_t id, int64_t frames); /* keeps the first `frames` */

/* Columns of tables that grow row by row: [rows] or [rows][n].  A write to a dataset costs some microseconds, however little
 * it holds: rows wait here until a chunk of the dataset is full, or somebody asks for them. */
typedef struct vvi_h5_column {
  int64_t id;
  vvi_h5_type type;
  int64_t bytes;          /* of a row */
  int64_t first, waiting; /* rows of the table that wait: [first, first + waiting) */
  char *row;              /* [VVI_H5_BLOCK][bytes]; none before the first row */
} vvi_h5_column;

enum { VVI_H5_BLOCK = 256 };

vv_status vvi_h5_column_create(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, vvi_h5_column *c);
/* As vvi_h5_series_open; keeps what is in the file. */
vv_status vvi_h5_column_open(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int64_t least, vvi_h5_column *c);
/* The rows from `row` on are given up: it is the last of the table then. */
vv_status vvi_h5_column_put(vvi_h5 *f, vvi_h5_column *c, int64_t row, const void *data);
vv_status vvi_h5_column_write(vvi_h5 *f, vvi_h5_column *c);             /* what waits goes to the file */
vv_status vvi_h5_column_cut(vvi_h5 *f, vvi_h5_column *c, int64_t rows); /* keeps the first `rows` */
void vvi_h5_column_free(vvi_h5_column *c);                              /* what waits is lost */
