/* tests/fuzz/edit_h5.h  Files of HDF5, edited in memory as some bytes say: sound files that say something else. */
#pragma once
#include <hdf5.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDIT_RESULTS, EDIT_CHECKPOINT, EDIT_FILES, EDIT_NAMES = 96, EDIT_NAME = 96, EDIT_OP = 8, EDIT_MOST = 16 };
static struct {
  uint8_t *bytes;
  size_t size;
  int names;
  char name[EDIT_NAMES][EDIT_NAME];
} edit_base[EDIT_FILES];

static inline bool edit_has(int which)
{
  return edit_base[which].bytes != NULL;
}

static inline herr_t edit_list(hid_t at, const char *name, const H5O_info_t *info, void *which)
{
  (void)at, (void)info;
  const int k = *(int *)which;
  if (edit_base[k].names < EDIT_NAMES) snprintf(edit_base[k].name[edit_base[k].names++], EDIT_NAME, "/%s", name);
  return 0;
}

static inline hid_t edit_open(int which)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, false);
  H5Pset_file_image(access, edit_base[which].bytes, edit_base[which].size);
  const hid_t file = H5Fopen("edited", H5F_ACC_RDWR, access);
  H5Pclose(access);
  return file;
}

static inline void edit_keep(int which, const char *path)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL) abort();
  fseek(f, 0, SEEK_END);
  const size_t size = (size_t)ftell(f);
  rewind(f);
  if ((edit_base[which].bytes = malloc(size)) == NULL || fread(edit_base[which].bytes, 1, size, f) != size) abort();
  fclose(f);
  edit_base[which].size = size;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hid_t file = edit_open(which);
  if (file < 0 || H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, edit_list, &which) < 0) abort();
  H5Fclose(file);
}

/* ---- what an edit is made of ---- */

static inline hsize_t edit_extent(uint8_t k)
{
  static const hsize_t some[] = {0, 1, 2, 3, 4, 7, 13, 64, 1000, 65536, 1u << 31, 1ull << 32, 1ull << 40, 1ull << 62};
  return some[k % (sizeof some / sizeof some[0])];
}

static inline double edit_number(uint8_t k)
{
  const double some[] = {0.0,          1.0,           -1.0,   0.5, 1e300,    -1e300,
                         2147483648.0, -2147483649.0, 9.3e18, NAN, INFINITY, 1e-310};
  return some[k % (sizeof some / sizeof some[0])];
}

/* To be closed. */
static inline hid_t edit_type(uint8_t k)
{
  const hid_t some[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64, H5T_NATIVE_UINT8,
                        H5T_NATIVE_INT32,  H5T_IEEE_F64BE,   H5T_C_S1};
  const int n = (int)(sizeof some / sizeof some[0]);
  if (k % (n + 2) == n) {
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    return text;
  }
  if (k % (n + 2) > n) {
    const hsize_t three = 3;
    return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
  }
  const hid_t type = H5Tcopy(some[k % (n + 2)]);
  if (k % (n + 2) == n - 1) H5Tset_size(type, 1 + k);
  return type;
}

static inline void edit_delete(hid_t file, const char *name)
{
  H5Ldelete(file, name, H5P_DEFAULT);
}

/* Another dataset in its place. */
static inline void edit_shape(hid_t file, const char *name, const uint8_t op[EDIT_OP])
{
  const int rank = op[2] % 4;
  const hsize_t now[3] = {edit_extent(op[3]), edit_extent(op[4]), edit_extent(op[5])},
                free_[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED},
                chunk[3] = {1 + op[7] % 8, 1 + op[7] / 8 % 8, 1 + op[7] / 64};
  const bool chunked = rank > 0 && (op[7] & 1) != 0;
  const hid_t space = rank == 0 ? H5Screate(op[7] & 2 ? H5S_NULL : H5S_SCALAR)
                                : H5Screate_simple(rank, now, chunked ? free_ : NULL),
              type = edit_type(op[6]), how = H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) H5Pset_chunk(how, rank, chunk);
  edit_delete(file, name);
  const hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (made >= 0) H5Dclose(made);
  H5Pclose(how), H5Tclose(type), H5Sclose(space);
}

/* Other values, all alike or rising. */
static inline void edit_fill(hid_t file, const char *name, const uint8_t op[EDIT_OP])
{
  enum { MOST = 4096 };
  static double value[MOST];
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return;
  const hid_t space = H5Dget_space(set);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (n > 0 && n <= MOST && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0) {
    for (hssize_t i = op[3] % n; i < n; i += 1 + op[4] % 4)
      value[i] = op[5] & 1 ? value[i] + edit_number(op[2]) : edit_number(op[2]);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  }
  H5Sclose(space), H5Dclose(set);
}

static inline void edit_extend(hid_t file, const char *name, const uint8_t op[EDIT_OP])
{
  const hsize_t now[3] = {edit_extent(op[2]), edit_extent(op[3]), edit_extent(op[4])};
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return;
  H5Dset_extent(set, now);
  H5Dclose(set);
}

/* One of its attributes: gone, or a number, or a text without an end. */
static inline void edit_attribute(hid_t file, const char *name, const uint8_t op[EDIT_OP])
{
  char key[64];
  const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  if (object < 0) return;
  const ssize_t n =
      H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_NATIVE, op[2] % 8, key, sizeof key, H5P_DEFAULT);
  if (n > 0) {
    char text[300];
    memset(text, op[5], sizeof text);
    const double number = edit_number(op[5]);
    const hid_t type = op[3] & 1 ? H5Tcopy(H5T_C_S1) : H5Tcopy(H5T_NATIVE_DOUBLE), space = H5Screate(H5S_SCALAR);
    if (op[3] & 1) H5Tset_size(type, 1 + op[4]);
    H5Adelete(object, key);
    const hid_t made = op[3] & 2 ? -1 : H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) H5Awrite(made, type, op[3] & 1 ? (const void *)text : (const void *)&number), H5Aclose(made);
    H5Tclose(type), H5Sclose(space);
  }
  H5Oclose(object);
}

static inline void edit_once(hid_t file, int which, const uint8_t op[EDIT_OP])
{
  const char *name = edit_base[which].name[op[0] % edit_base[which].names],
             *other = edit_base[which].name[op[2] % edit_base[which].names];
  switch (op[1] % 9) {
  case 0:
    edit_delete(file, name);
    break;
  case 1:
    edit_extend(file, name, op);
    break;
  case 2:
    edit_attribute(file, name, op);
    break;
  case 3:
    H5Lmove(file, name, H5L_SAME_LOC, op[3] & 1 ? other : "/moved", H5P_DEFAULT, H5P_DEFAULT);
    break;
  case 4: /* to itself, to nothing, to another */
    edit_delete(file, name);
    H5Lcreate_soft(op[3] % 3 == 0 ? name : op[3] % 3 == 1 ? "/none" : other, file, name, H5P_DEFAULT, H5P_DEFAULT);
    break;
  case 5: { /* a group in its place */
    edit_delete(file, name);
    const hid_t made = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) H5Gclose(made);
    break;
  }
  case 6:
    edit_shape(file, name, op);
    break;
  default:
    edit_fill(file, name, op);
  }
}

/* The file `which` after the edits; to be freed. */
static inline uint8_t *edit_h5(int which, const uint8_t *data, size_t size, size_t *out_size)
{
  const hid_t file = edit_open(which);
  if (file < 0 || edit_base[which].names == 0) abort();
  for (size_t i = 0; i < EDIT_MOST && (i + 1) * EDIT_OP <= size; i++) edit_once(file, which, data + i * EDIT_OP);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  const ssize_t n = H5Fget_file_image(file, NULL, 0);
  uint8_t *out = malloc(n > 0 ? (size_t)n : 1);
  if (out == NULL || n <= 0 || n > 1 << 24 || H5Fget_file_image(file, out, (size_t)n) != n)
    *out_size = 0;
  else
    *out_size = (size_t)n;
  H5Fclose(file);
  return out;
}
