/* body/shell/columns.h  The columns of the tables that device.c writes and kernels read.  Accelerators compile the same text, as
 * OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_SHELL_COLUMNS_H
#define VVI_SHELL_COLUMNS_H

enum { CHUNK = 128 }; /* nodes whose terms of the totals are in local memory: a multiple of 4 */
/* Columns of a table: what copies of a mesh share. */
enum table_column {
  T_OWN,
  T_INNER,
  T_HALO,
  T_GHOSTS,
  T_HALO0,
  T_PAIRS,
  T_AT,
  T_REST,
  T_SINGLES,
  T_SINGLE0,
  T_ENTRIES,
  T_OF_ENTRY,
  T_SLICE,
  T_CELLS,
  T_GHOST0,
  T_GIVE,
  T_OWN0,
  T_GROUP,
  T_COLUMNS
};
/* Of a tile. */
enum tile_column {
  TILE_TABLE,
  TILE_NODE0,
  TILE_SLOT,
  TILE_BODY,
  TILE_GHOST,
  TILE_SCRATCH,
  TILE_NUMBER,
  TILE_CELL,
  TILE_Z,
  TILE_SHEET,
  TILE_SHARED,
  TILE_ROW0,
  TILE_COLUMNS
};
/* Of a triangle that is in no pair. */
enum one_column { ONE_NODES, ONE_WEIGHT, ONE_AT, ONE_CELL, ONE_ENTRY, ONE_COLUMNS };
#endif
