/* body/beam/columns.h  The columns of the tables that device.c writes and kernels read.  Accelerators compile the same text, as
 * OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_BEAM_COLUMNS_H
#define VVI_BEAM_COLUMNS_H

/* Nodes that a group of work-items works on: those of one body from place `start` on (it may be negative, or wrap around where
 * the body is closed), an item each; it writes those in [from, to), and their sums from place `out` on. */
enum beam_row_column { ROW_BODY, ROW_NODE0, ROW_NODES, ROW_CLOSED, ROW_START, ROW_FROM, ROW_TO, ROW_OUT, ROW_COLUMNS };
/* Strips of a group whose sums are noted, at most; terms of a sum of a strip lie so far apart in local memory, where neither banks meet. */
enum { NOTED_STRIPS = 2, NOTED_ROW = 72 };
/* A sum of `count` terms from `first` on, written to `out`. */
enum beam_fold_column { FOLD_FIRST, FOLD_COUNT, FOLD_OUT, FOLD_COLUMNS };
/* A load: the node it acts on, -1: all of its body. */
enum beam_load_column { LOAD_BODY, LOAD_NODE, LOAD_FOLLOWER, LOAD_COLUMNS };
/* A row of sums: the body, its first node, its nodes, whether it is closed, the place of the first, how many, where to. */
enum beam_strip_column {
  STRIP_BODY,
  STRIP_NODE0,
  STRIP_NODES,
  STRIP_CLOSED,
  STRIP_START,
  STRIP_COUNT,
  STRIP_OUT,
  STRIP_COLUMNS
};
#endif
