/* io/results/h5.c  The few HDF5 operations that visviva needs. */
#include "io/results/h5.h"
#include "io/results/h5_disk.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A body can have 1e8 nodes; HDF5 allows chunks below 4 GiB. */
enum { CHUNK_BYTES = 64 << 20 };

/* HDF5 prints its error stack by default; the library never prints. */
typedef struct quiet {
  H5E_auto2_t print;
  void *data;
} quiet;

static quiet hush(void)
{
  quiet q = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0;
  return q;
}

/* A write that failed in the driver fails every operation after it: the file is not what HDF5 believes. */
static vv_status end(quiet q, const vvi_h5 *f, bool ok, const char *what, const char *name)
{
  const int why = f->error != 0 ? f->error : errno;
  if (f->error != 0) ok = false;
  if (!ok) H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, q.print, q.data);
  if (ok) return VV_OK;
  const char *reason = why != 0 ? strerror(why) : "missing or damaged";
  if (name != NULL) return vvi_fail(f->ctx, VV_IO, "%s: %s '%s': %s", f->path, what, name, reason);
  return vvi_fail(f->ctx, VV_IO, "%s: %s: %s", f->path, what, reason);
}

static hid_t memory_type(vvi_h5_type type)
{
  switch (type) {
  case VVI_H5_DOUBLE:
    return H5T_NATIVE_DOUBLE;
  case VVI_H5_INT64:
    return H5T_NATIVE_INT64;
  case VVI_H5_INT32:
    return H5T_NATIVE_INT32;
  case VVI_H5_BYTE:
    break;
  }
  return H5T_NATIVE_UINT8;
}

static hid_t file_type(vvi_h5_type type)
{
  switch (type) {
  case VVI_H5_DOUBLE:
    return H5T_IEEE_F64LE;
  case VVI_H5_INT64:
    return H5T_STD_I64LE;
  case VVI_H5_INT32:
    return H5T_STD_I32LE;
  case VVI_H5_BYTE:
    break;
  }
  return H5T_STD_U8LE;
}

/* Rows are written and read in whole blocks, one after the other: of each dataset HDF5 keeps a few blocks.  Left to itself it keeps a
 * megabyte of each, which a run with impacts fills, column by column, for all its life. */
enum { KEPT_BLOCKS = 4 };

/* Strong close: no forgotten dataset keeps the file open and half written.  Format of HDF5 1.8: what describes the data carries
 * checksums, so that a damaged file is refused before its numbers are believed; that of 1.10 would also mark a file as open, and a
 * killed run could not be resumed. */
static hid_t access_list(vvi_h5 *f)
{
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list >= 0) H5Pset_cache(list, 0, KEPT_BLOCKS, sizeof(double[KEPT_BLOCKS * VVI_H5_BLOCK]), 1.0);
  if (list >= 0) H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
  if (list >= 0) H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18);
  f->driver = list >= 0 ? (int64_t)vvi_h5_disk_use(list, &f->error) : -1;
  return list;
}

/* How a file, a group or a dataset is made: without the time of day, which would differ between equal runs. */
static hid_t timeless(hid_t class)
{
  const hid_t list = H5Pcreate(class);
  if (list >= 0) H5Pset_obj_track_times(list, false);
  return list;
}

static vv_status opened(quiet q, vvi_h5 *f, hid_t list, hid_t id, const char *what)
{
  if (list >= 0) H5Pclose(list);
  f->id = id > 0 ? (int64_t)id : 0;
  if (f->id == 0) vvi_h5_disk_leave((hid_t)f->driver);
  return end(q, f, id > 0, what, NULL);
}

vv_status vvi_h5_create_aligned(vv_ctx *ctx, const char *path, int align, vvi_h5 *out)
{
  *out = (vvi_h5){.ctx = ctx, .path = path};
  const quiet q = hush();
  const hid_t list = access_list(out), how = timeless(H5P_FILE_CREATE);
  const bool placed = align == 1 || (list >= 0 && H5Pset_alignment(list, 1, (hsize_t)align) >= 0);
  const hid_t id = how >= 0 && placed ? H5Fcreate(path, H5F_ACC_TRUNC, how, list) : H5I_INVALID_HID;
  if (how >= 0) H5Pclose(how);
  return opened(q, out, list, id, "not created");
}

vv_status vvi_h5_create(vv_ctx *ctx, const char *path, vvi_h5 *out)
{
  return vvi_h5_create_aligned(ctx, path, 1, out);
}

vv_status vvi_h5_open(vv_ctx *ctx, const char *path, bool write, vvi_h5 *out)
{
  *out = (vvi_h5){.ctx = ctx, .path = path};
  const quiet q = hush();
  const hid_t list = access_list(out);
  return opened(q, out, list, H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list), "not opened");
}

vv_status vvi_h5_flush(vvi_h5 *f, bool to_disk)
{
  const quiet q = hush();
  const bool ok = H5Fflush((hid_t)f->id, H5F_SCOPE_GLOBAL) >= 0;
  if (ok) vvi_h5_disk_commit((hid_t)f->id, to_disk);
  return end(q, f, ok, "not written", NULL);
}

vv_status vvi_h5_close(vvi_h5 *f)
{
  if (f->id == 0) return VV_OK;
  const quiet q = hush();
  const bool ok = H5Fclose((hid_t)f->id) >= 0;
  vvi_h5_disk_leave((hid_t)f->driver);
  f->id = 0;
  return end(q, f, ok, "not written", NULL);
}

vv_status vvi_h5_group(vvi_h5 *f, const char *name)
{
  const quiet q = hush();
  const hid_t how = timeless(H5P_GROUP_CREATE);
  const hid_t g = how >= 0 ? H5Gcreate2((hid_t)f->id, name, H5P_DEFAULT, how, H5P_DEFAULT) : H5I_INVALID_HID;
  if (how >= 0) H5Pclose(how);
  return end(q, f, g >= 0 && H5Gclose(g) >= 0, "not written", name);
}

bool vvi_h5_has(vvi_h5 *f, const char *name)
{
  const quiet q = hush();
  const hid_t o = H5Oopen((hid_t)f->id, name, H5P_DEFAULT);
  if (o >= 0) H5Oclose(o);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, q.print, q.data);
  return o >= 0;
}

vv_status vvi_h5_names(vvi_h5 *f, const char *group, vvi_arena *arena, int *n, char ***names)
{
  *n = 0;
  const quiet q = hush();
  H5G_info_t info = {0};
  bool ok = H5Gget_info_by_name((hid_t)f->id, group, &info, H5P_DEFAULT) >= 0 && info.nlinks < 1u << 24;
  *names = ok ? VVI_ARENA_NEW(arena, char *, info.nlinks + 1) : NULL;
  ok = *names != NULL;
  for (hsize_t i = 0; ok && i < info.nlinks; i++) {
    const ssize_t length = H5Lget_name_by_idx((hid_t)f->id, group, H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = length >= 0 ? vvi_arena_alloc(arena, (size_t)length + 1) : NULL;
    ok = name != NULL && H5Lget_name_by_idx((hid_t)f->id, group, H5_INDEX_NAME, H5_ITER_INC, i, name,
                                            (size_t)length + 1, H5P_DEFAULT) >= 0;
    (*names)[i] = name;
  }
  if (ok) *n = (int)info.nlinks;
  return end(q, f, ok, "not read", group);
}

/* ---- attributes ---- */

static bool set_attribute(vvi_h5 *f, const char *object, const char *name, hid_t stored, hid_t given, const void *value)
{
  const hid_t file = (hid_t)f->id, space = H5Screate(H5S_SCALAR);
  hid_t a = -1;
  if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0)
    a = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  else
    a = H5Acreate_by_name(file, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = a >= 0 && H5Awrite(a, given, value) >= 0;
  if (a >= 0) ok = H5Aclose(a) >= 0 && ok;
  if (space >= 0) H5Sclose(space);
  return ok;
}

vv_status vvi_h5_set_text(vvi_h5 *f, const char *object, const char *name, const char *text)
{
  const quiet q = hush();
  const size_t n = strlen(text);
  const hid_t type = H5Tcopy(H5T_C_S1);
  bool ok = type >= 0 && H5Tset_size(type, n + 1) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  ok = ok && set_attribute(f, object, name, type, type, text);
  if (type >= 0) H5Tclose(type);
  return end(q, f, ok, "attribute not written", name);
}

vv_status vvi_h5_set_whole(vvi_h5 *f, const char *object, const char *name, int64_t value)
{
  const quiet q = hush();
  const bool ok = set_attribute(f, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
  return end(q, f, ok, "attribute not written", name);
}

vv_status vvi_h5_set_number(vvi_h5 *f, const char *object, const char *name, double value)
{
  const quiet q = hush();
  const bool ok = set_attribute(f, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
  return end(q, f, ok, "attribute not written", name);
}

/* Only scalars: an attribute of another shape in a foreign file must not overrun `value`. */
static vv_status get_attribute(vvi_h5 *f, const char *object, const char *name, hid_t type, void *value)
{
  const quiet q = hush();
  const hid_t a = H5Aopen_by_name((hid_t)f->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = a >= 0 ? H5Aget_space(a) : -1;
  const bool ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(a, type, value) >= 0;
  if (space >= 0) H5Sclose(space);
  if (a >= 0) H5Aclose(a);
  return end(q, f, ok, "attribute not read", name);
}

vv_status vvi_h5_get_whole(vvi_h5 *f, const char *object, const char *name, int64_t *value)
{
  return get_attribute(f, object, name, H5T_NATIVE_INT64, value);
}

/* A string of fixed size, as set_text writes it; a foreign file may hold any size. */
vv_status vvi_h5_get_text(vvi_h5 *f, const char *object, const char *name, char *out, size_t room)
{
  const quiet q = hush();
  const hid_t a = H5Aopen_by_name((hid_t)f->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t stored = a >= 0 ? H5Aget_type(a) : -1, space = a >= 0 ? H5Aget_space(a) : -1, given = H5Tcopy(H5T_C_S1);
  bool ok = stored >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  ok = ok && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
  ok = ok && H5Tset_size(given, room) >= 0 && H5Tset_cset(given, H5Tget_cset(stored)) >= 0;
  ok = ok && H5Aread(a, given, out) >= 0;
  out[ok ? room - 1 : 0] = '\0';
  if (given >= 0) H5Tclose(given);
  if (space >= 0) H5Sclose(space);
  if (stored >= 0) H5Tclose(stored);
  if (a >= 0) H5Aclose(a);
  return end(q, f, ok, "attribute not read", name);
}

vv_status vvi_h5_get_number(vvi_h5 *f, const char *object, const char *name, double *value)
{
  return get_attribute(f, object, name, H5T_NATIVE_DOUBLE, value);
}

/* ---- datasets of fixed size ---- */

vv_status vvi_h5_write(vvi_h5 *f, const char *name, vvi_h5_type type, int rank, const int64_t dims[], const void *data)
{
  VV_ASSERT(rank >= 1 && rank <= VVI_H5_RANK);
  const quiet q = hush();
  hsize_t size[VVI_H5_RANK], total = 1;
  for (int i = 0; i < rank; i++) total *= size[i] = (hsize_t)dims[i];
  const hid_t space = H5Screate_simple(rank, size, NULL), plan = timeless(H5P_DATASET_CREATE);
  bool ok = space >= 0 && plan >= 0;
  const hid_t d =
      ok ? H5Dcreate2((hid_t)f->id, name, file_type(type), space, H5P_DEFAULT, plan, H5P_DEFAULT) : H5I_INVALID_HID;
  ok = d >= 0 && (total == 0 || H5Dwrite(d, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (d >= 0) ok = H5Dclose(d) >= 0 && ok;
  if (plan >= 0) H5Pclose(plan);
  if (space >= 0) H5Sclose(space);
  return end(q, f, ok, "not written", name);
}

vv_status vvi_h5_place(vvi_h5 *f, const char *name, int64_t *offset, int64_t *bytes)
{
  const quiet q = hush();
  const hid_t d = H5Dopen2((hid_t)f->id, name, H5P_DEFAULT), space = d >= 0 ? H5Dget_space(d) : H5I_INVALID_HID;
  const hid_t type = d >= 0 ? H5Dget_type(d) : H5I_INVALID_HID;
  const haddr_t at = d >= 0 ? H5Dget_offset(d) : HADDR_UNDEF;
  const bool ok = space >= 0 && type >= 0;
  *offset = ok && at != HADDR_UNDEF ? (int64_t)at : 0;
  *bytes = ok ? (int64_t)H5Sget_simple_extent_npoints(space) * (int64_t)H5Tget_size(type) : 0;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (d >= 0) H5Dclose(d);
  return end(q, f, ok, "not read", name);
}

/* Dimensions of an open dataset; rank -1 when it cannot be read or has too many. */
static int shape_of(hid_t d, hsize_t size[VVI_H5_RANK])
{
  const hid_t space = d >= 0 ? H5Dget_space(d) : -1;
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank > VVI_H5_RANK || (rank >= 0 && H5Sget_simple_extent_dims(space, size, NULL) < 0)) rank = -1;
  if (space >= 0) H5Sclose(space);
  return rank;
}

vv_status vvi_h5_shape(vvi_h5 *f, const char *name, int *rank, int64_t dims[VVI_H5_RANK])
{
  const quiet q = hush();
  hsize_t size[VVI_H5_RANK] = {0};
  const hid_t d = H5Dopen2((hid_t)f->id, name, H5P_DEFAULT);
  *rank = shape_of(d, size);
  for (int i = 0; i < VVI_H5_RANK; i++) dims[i] = (int64_t)size[i];
  if (d >= 0) H5Dclose(d);
  return end(q, f, *rank >= 0, "not read", name);
}

vv_status vvi_h5_read(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t count, void *data)
{
  const quiet q = hush();
  hsize_t size[VVI_H5_RANK] = {0}, total = 1;
  const hid_t d = H5Dopen2((hid_t)f->id, name, H5P_DEFAULT);
  const int rank = shape_of(d, size);
  for (int i = 0; i < rank; i++) total *= size[i];
  bool ok = rank >= 0 && total == (hsize_t)count;
  ok = ok && (total == 0 || H5Dread(d, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (d >= 0) H5Dclose(d);
  return end(q, f, ok, "not read", name);
}

/* Selects the box in the file and a plain block in memory; both spaces are the caller's to close. */
static bool select_box(hid_t d, int rank, const hsize_t first[], const hsize_t count[], hid_t *in_file,
                       hid_t *in_memory)
{
  *in_file = H5Dget_space(d);
  *in_memory = H5Screate_simple(rank, count, NULL);
  return *in_file >= 0 && *in_memory >= 0 &&
         H5Sselect_hyperslab(*in_file, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
}

static void close_spaces(hid_t a, hid_t b)
{
  if (a >= 0) H5Sclose(a);
  if (b >= 0) H5Sclose(b);
}

vv_status vvi_h5_read_box(vvi_h5 *f, const char *name, vvi_h5_type type, int rank, const int64_t first[],
                          const int64_t count[], void *data)
{
  const quiet q = hush();
  hsize_t size[VVI_H5_RANK] = {0}, from[VVI_H5_RANK] = {0}, many[VVI_H5_RANK] = {0};
  const hid_t d = H5Dopen2((hid_t)f->id, name, H5P_DEFAULT);
  bool ok = shape_of(d, size) == rank;
  for (int i = 0; i < rank; i++) {
    from[i] = (hsize_t)first[i];
    many[i] = (hsize_t)count[i];
    ok = ok && first[i] >= 0 && count[i] >= 1 && from[i] + many[i] <= size[i];
  }
  hid_t in_file = -1, in_memory = -1;
  ok = ok && select_box(d, rank, from, many, &in_file, &in_memory) &&
       H5Dread(d, memory_type(type), in_memory, in_file, H5P_DEFAULT, data) >= 0;
  close_spaces(in_file, in_memory);
  if (d >= 0) H5Dclose(d);
  return end(q, f, ok, "not read", name);
}

/* ---- series ---- */

/* How a series lies in the file. */
typedef struct series {
  int rank;
  hsize_t size[3], most[3], chunk[3];
} series;

/* Fields of bodies: a frame is a chunk, or several.  Plain series (time, step) and tables: many rows are. */
static series series_of(int64_t n, int components)
{
  const hsize_t rows = (hsize_t)CHUNK_BYTES / (8 * (hsize_t)(components > 0 ? components : 1)), all = (hsize_t)n;
  return (series){
      .rank = n == 0            ? 1
              : components <= 1 ? 2
                                : 3,
      .size = {0, all, (hsize_t)components},
      .most = {H5S_UNLIMITED, all, (hsize_t)components},
      .chunk = {n == 0 || components == 0 ? VVI_H5_BLOCK : 1, all < rows ? all : rows, (hsize_t)components}};
}

vv_status vvi_h5_series_create(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int components, int64_t *id)
{
  const quiet q = hush();
  const series s = series_of(n, components);
  const hid_t space = H5Screate_simple(s.rank, s.size, s.most), plan = timeless(H5P_DATASET_CREATE);
  const bool ok = space >= 0 && plan >= 0 && H5Pset_chunk(plan, s.rank, s.chunk) >= 0;
  const hid_t d =
      ok ? H5Dcreate2((hid_t)f->id, name, file_type(type), space, H5P_DEFAULT, plan, H5P_DEFAULT) : H5I_INVALID_HID;
  if (plan >= 0) H5Pclose(plan);
  if (space >= 0) H5Sclose(space);
  *id = (int64_t)d;
  return end(q, f, d >= 0, "not written", name);
}

static bool has_type(hid_t d, vvi_h5_type type)
{
  const hid_t stored = H5Dget_type(d);
  const bool same = stored >= 0 && H5Tequal(stored, file_type(type)) > 0;
  if (stored >= 0) H5Tclose(stored);
  return same;
}

static bool has_shape(hid_t d, const series *s, int64_t least)
{
  hsize_t size[VVI_H5_RANK] = {0}, most[VVI_H5_RANK] = {0};
  const hid_t space = H5Dget_space(d);
  bool same = space >= 0 && H5Sget_simple_extent_ndims(space) == s->rank &&
              H5Sget_simple_extent_dims(space, size, most) >= 0 && size[0] >= (hsize_t)least;
  for (int i = 0; same && i < s->rank; i++) same = most[i] == s->most[i] && (i == 0 || size[i] == s->size[i]);
  if (space >= 0) H5Sclose(space);
  return same;
}

static bool has_chunks(hid_t d, const series *s)
{
  hsize_t chunk[VVI_H5_RANK] = {0};
  const hid_t plan = H5Dget_create_plist(d);
  bool same = plan >= 0 && H5Pget_layout(plan) == H5D_CHUNKED && H5Pget_nfilters(plan) == 0 &&
              H5Pget_chunk(plan, VVI_H5_RANK, chunk) == s->rank;
  for (int i = 0; same && i < s->rank; i++) same = chunk[i] == s->chunk[i];
  if (plan >= 0) H5Pclose(plan);
  return same;
}

/* HDF5 believes the file: a damaged chunk shape makes it write behind its buffers when a series is cut or grows. */
vv_status vvi_h5_series_open(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int components, int64_t least,
                             int64_t *id)
{
  const quiet q = hush();
  const series s = series_of(n, components);
  const hid_t d = least >= 0 ? H5Dopen2((hid_t)f->id, name, H5P_DEFAULT) : H5I_INVALID_HID;
  *id = (int64_t)d;
  return end(q, f, d >= 0 && has_type(d, type) && has_shape(d, &s, least) && has_chunks(d, &s), "not as written", name);
}

/* Writes `count` rows from `first` on; they are the last ones then. */
static bool write_rows(hid_t id, vvi_h5_type type, int64_t first, int64_t count, const void *data)
{
  hsize_t size[VVI_H5_RANK] = {0}, from[VVI_H5_RANK] = {(hsize_t)first};
  const int rank = shape_of(id, size);
  size[0] = (hsize_t)(first + count);
  bool ok = rank >= 1 && H5Dset_extent(id, size) >= 0;
  size[0] = (hsize_t)count;
  hid_t in_file = -1, in_memory = -1;
  ok = ok && select_box(id, rank, from, size, &in_file, &in_memory) &&
       H5Dwrite(id, memory_type(type), in_memory, in_file, H5P_DEFAULT, data) >= 0;
  close_spaces(in_file, in_memory);
  return ok;
}

vv_status vvi_h5_series_put(vvi_h5 *f, int64_t id, vvi_h5_type type, int64_t frame, const void *data)
{
  const quiet q = hush();
  return end(q, f, write_rows((hid_t)id, type, frame, 1, data), "frame not written", NULL);
}

vv_status vvi_h5_series_cut(vvi_h5 *f, int64_t id, int64_t frames)
{
  const quiet q = hush();
  hsize_t size[VVI_H5_RANK] = {0};
  bool ok = shape_of((hid_t)id, size) >= 1 && size[0] >= (hsize_t)frames;
  size[0] = (hsize_t)frames;
  ok = ok && H5Dset_extent((hid_t)id, size) >= 0;
  return end(q, f, ok, "frames not cut", NULL);
}

/* ---- columns ---- */

enum { TABLE = 0 }; /* in place of the components of a field */

static vvi_h5_column column_of(vvi_h5_type type, int64_t n)
{
  return (vvi_h5_column){.type = type, .bytes = (int64_t)H5Tget_size(memory_type(type)) * (n > 0 ? n : 1)};
}

vv_status vvi_h5_column_create(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, vvi_h5_column *c)
{
  *c = column_of(type, n);
  return vvi_h5_series_create(f, name, type, n, TABLE, &c->id);
}

vv_status vvi_h5_column_open(vvi_h5 *f, const char *name, vvi_h5_type type, int64_t n, int64_t least, vvi_h5_column *c)
{
  *c = column_of(type, n);
  return vvi_h5_series_open(f, name, type, n, TABLE, least, &c->id);
}

vv_status vvi_h5_column_write(vvi_h5 *f, vvi_h5_column *c)
{
  if (c->waiting == 0) return VV_OK;
  const quiet q = hush();
  const bool ok = write_rows((hid_t)c->id, c->type, c->first, c->waiting, c->row);
  c->first += c->waiting, c->waiting = 0;
  return end(q, f, ok, "rows not written", NULL);
}

/* Blocks end where chunks end, so that most writes fill one. */
vv_status vvi_h5_column_put(vvi_h5 *f, vvi_h5_column *c, int64_t row, const void *data)
{
  if (c->row == NULL) c->row = malloc((size_t)(VVI_H5_BLOCK * c->bytes));
  if (c->row == NULL) return vvi_fail(f->ctx, VV_NOMEM, "out of memory for a table of %s", f->path);
  if (row != c->first + c->waiting) {
    VV_TRY(vvi_h5_column_write(f, c));
    c->first = row;
  }
  memcpy(c->row + c->waiting++ * c->bytes, data, (size_t)c->bytes);
  return (row + 1) % VVI_H5_BLOCK == 0 ? vvi_h5_column_write(f, c) : VV_OK;
}

vv_status vvi_h5_column_cut(vvi_h5 *f, vvi_h5_column *c, int64_t rows)
{
  VV_TRY(vvi_h5_column_write(f, c));
  c->first = rows;
  return vvi_h5_series_cut(f, c->id, rows);
}

void vvi_h5_column_free(vvi_h5_column *c)
{
  free(c->row);
  c->row = NULL, c->waiting = 0;
}
