/* body/shell/device_inside.h  What the files that bring shells to an accelerator share: tables of the plan (device_tables.c), what is sent
 * and compiled (device_open.c), what is queued (device.c), trial flights (device_fly.c). */
#pragma once
#include "body/shell/columns.h"
#include "body/shell/shell.h"
#include "device/device.h"
#include "math/exact.h"
#include "math/math.h"

enum { SLICE = 32 }; /* nodes whose lists are side by side */
enum { BODY_REALS = 9, GHOST_REALS = 6 + 2 * SHELL_SOURCES, GHOST_INTS = 1 + SHELL_SOURCES };
enum { SHEET_REALS = 7 }; /* of a triangle that flows: stresses, energy */
enum { LOSS_ROWS = 64 };  /* flows whose losses wait on the device */
enum { NOTHING, KICK, STRIDE };
enum { SHARED_OTHERS = 4 }; /* slots in the row of a node that tiles share */
enum { OF_GRAVITY, OF_SUPPORTS, OF_LOADS };
enum { EXACT_ROW = VVI_EXACT_DIGITS + 3 }; /* digits of a sum; terms that are not finite */
enum { NODE_ROW = 9, STRIP = 64 };         /* reals of a node: place, momentum, force; items of a strip */
enum { MOTION = 8 };                       /* reals of a cluster: path, stray, and the box of its drift */

/* ---- device_tables.c ---- */

typedef struct shell_series {
  char *at;
  size_t size, n, room; /* bytes of one, how many */
} shell_series;

typedef struct shell_tables {
  shell_series tile, table, halo, at, rest, one, weight, slice, list, ghost_int, ghost_real, give, shared, other,
      own_slot, group, halo_row;
  int pairs;              /* rows of what pairs have are so long */
  bool ghosts;            /* some tile has some */
  bool full;              /* out of memory, or too large for 32 bits */
  int32_t *count, *first; /* [SHELL_MOST_LOCAL + 1] entries of the nodes of a tile */
  int32_t *entry;         /* they, by node */
  size_t entry_room;
} shell_tables;

/* Fills them from a plan; full: it did not work. */
void shell_tables_write(shell_tables *w, const shell_plan *plan);
void shell_tables_free(shell_tables *w);
/* Doubles that a tile needs while it is worked on; at_once: x, y and z together.  pairs: length of their rows. */
int64_t shell_tile_room(const int32_t *T, int pairs, bool at_once);
static inline int64_t shell_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* ---- a block on a device ---- */

/* Tiles are sorted by the kernel that works on them: two laws, and what flows, with x, y and z at once in local memory, the same one
 * after the other, and those that do not fit there.  Then the same with energies. */
enum { STVK, NEO, SHEET, STVK_ROUNDS, NEO_ROUNDS, SHEET_ROUNDS, FAR, SHEET_FAR, SORTS, KERNELS = 2 * SORTS };

/* Rows of one exchange between ranks: which they are there. */
typedef struct shell_halo {
  const shell_exchange *exchange;
  vvi_buffer *root, *leaf;
} shell_halo;

typedef struct shell_device {
  const vv_block *b;
  vvi_device *d;
  const shell_share *share; /* NULL: one rank has all */
  int32_t all_tiles, node0; /* of this rank; the first of its nodes: it moves those up to `nodes` - 1 */
  int64_t z0, z_reals;      /* internal variables from its first tile to its last, in those of the block */
  vvi_kernel *force[KERNELS], *late[SORTS], *join, *kick, *drift, *close, *exact;
  vvi_buffer *tile, *table, *halo, *at, *rest, *one, *weight, *slice, *list, *ghost_int, *ghost_real, *give, *shared,
      *other, *own_slot, *body, *mass, *q, *p, *slot, *total, *booked, *scratch, *sums, *halo_row;
  vvi_buffer *next_q, *next_p, *next_slot; /* where strides go that move shared nodes late; NULL: none do */
  vvi_buffer *row[SORTS];                  /* tiles by sort, with their tables */
  int64_t tiles[SORTS];
  size_t local[SORTS]; /* bytes of local memory */
  int items[SORTS];    /* of a group */
  int32_t shareds, nodes, stride, column, slots;
  int pairs;     /* in a row of what pairs have */
  char told[64]; /* what kernels are told of the tables */
  vvi_double4 gravity;
  /* what ranks tell each other */
  vvi_kernel *pack, *unpack;
  shell_halo places, forces;
  vvi_buffer *travels; /* rows on their way */
  bool near;           /* nodes of others that tiles touch are where they are now */
  double *whole_q;     /* with loads: places of all nodes */
  /* what acts from outside */
  vvi_kernel *book, *limits, *clear_forces, *point_load, *pressure, *give_loads, *kick_loads;
  vvi_buffer *lim_first, *lim_node, *lim_weight, *give_first, *give_node, *give_weight, *around_first, *around, *corner,
      *y, *F, *f;
  bool loaded; /* f holds the loads at the present places and at the time loaded_at */
  double loaded_at;
  double *part; /* [tiles][SHELL_SUMS] as they come down */
  /* what flows and damps */
  vvi_kernel *sheet, *fade;
  vvi_buffer *z, *kept, *loss, *group, *whole, *keep, *room; /* loss: [LOSS_ROWS][tiles][SHELL_LOSSES] */
  int64_t kept_reals, room_reals;
  double *lost;  /* loss as it comes down */
  int losses;    /* rows of it that wait */
  bool stressed; /* `kept` holds the stresses of the present places and internal variables */
  bool weighed;  /* and their energies */
  /* what stays while the processor answers contacts */
  vvi_kernel *press, *push, *push_drift, *extents, *bring_some, *give_some, *bounds, *take_budgets, *bring_rows,
      *take_references;
  vvi_buffer *pull, *strip, *box, *some, *rows; /* pull: forces; rows: of the nodes in `some` */
  vvi_buffer *cluster_first, *cluster_strip, *cluster_half, *motion, *budget, *fixed, *which, *news, *report;
  vvi_buffer *spot0, *spot, *reference; /* nodes that the vertices of clusters are, and where they were: [3] each */
  int32_t *spots, *referred; /* [clusters + 1] spot0; clusters whose references are taken anew, as their names go up */
  bool referring;            /* they may be on their way */
  vvi_buffer *guess;         /* nodes that come with the bounds; */
  int32_t *guessed;          /* the same here, and how many */
  int64_t guesses;
  int32_t strips, clusters;
  vvi_buffer *any, *held_motion;      /* [VV_DEVICE_CRUISE + 1] is a budget used up; `motion` that is set aside */
  int32_t told_any[VV_DEVICE_CRUISE]; /* as it comes down */
  int32_t cruise_steps, cruise_told;  /* steps that were queued; clusters whose budgets went up with them */
  double cruise_h;
  bool cruise_drifted;
  size_t report_rows;                /* bytes before the rows of a report */
  unsigned char *told_back;          /* a report as it comes down */
  int64_t most_some;                 /* nodes there is room for */
  double *down;                      /* [NODE_ROW][most_some] as they come down; */
  int32_t *named;                    /* [most_some] and their names as they go up */
  bool giving;                       /* both may be on their way up */
  vvi_buffer *notes, *slots_of_sums; /* totals that were noted: of tiles; of all of them */
  vvi_buffer *aside[2];              /* q and p that are set aside, twice */
  int turn;                          /* where they were last */
  int64_t noted[VV_DEVICE_SLOTS][SHELL_SUMS][EXACT_ROW];
  bool waits; /* a kick waits for what comes next: totals, the other half of it and the drift are one pass with it */
  double waits_h;         /* its length */
  int waits_note;         /* -1, or where the totals behind it go */
  bool pressing, pushing; /* forces are to be found; momenta to be pushed by them, in a step of this length: */
  double push_h;
  bool behind; /* nodes that tiles share are to be moved by what their slots have, in a stride of this length: */
  double behind_h;
  int32_t *sort_of, *place_of; /* [tiles] the kernel that works on it; its place among those of this kernel */
  vvi_kernel *fly_force[FAR];  /* as force, whose arguments stay */
  struct shell_flight *flight; /* device_fly.c; NULL: nothing flies there */
  bool known;                  /* the slots of owned nodes hold the gradient of the present places */
  bool counted;                /* and `total` their strain energies */
} shell_device;

/* What all kernels of tiles are given before their own arguments: rows of tiles, and the columns that they are for. */
#define SHELL_TILE_ARGUMENTS(s, row, column, slots, h, move, q, p, slot)                                       \
  VVI_BUFFER(row), VVI_BUFFER((s)->halo), VVI_BUFFER((s)->at), VVI_BUFFER((s)->rest), VVI_BUFFER((s)->one),    \
      VVI_BUFFER((s)->weight), VVI_BUFFER((s)->slice), VVI_BUFFER((s)->list), VVI_BUFFER((s)->ghost_int),      \
      VVI_BUFFER((s)->ghost_real), VVI_BUFFER((s)->give), VVI_BUFFER((s)->body), VVI_BUFFER((s)->mass),        \
      VVI_NUMBER((s)->stride), VVI_NUMBER(column), VVI_NUMBER(slots), VVI_NUMBER((s)->gravity), VVI_NUMBER(h), \
      VVI_NUMBER(move), VVI_BUFFER(q), VVI_BUFFER(p), VVI_BUFFER(slot), VVI_BUFFER((s)->total), VVI_BUFFER((s)->kept)

/* And their room: of the k-th kernel. */
static inline vvi_argument shell_tile_local(const shell_device *s, int k)
{
  return k >= FAR ? VVI_BUFFER(s->scratch) : VVI_LOCAL(s->local[k]);
}

/* ---- device_open.c ---- */

void *shell_device_open(const vv_block *b, struct vvi_device *d);
void shell_device_close(void *own);
const char *shell_device_refuse(const vv_block *b);
/* A program of its own for each kernel that is needed: compilers of devices are slow. */
void shell_device_build(shell_device *s, const char *first, const char *second, const char *body_text);
/* A group has an item for each pair of its largest tile; whole warps. */
int shell_device_items(const shell_device *s, int64_t pairs);

/* ---- device_fly.c ---- */

/* Room and kernels for trial flights; false: they do not fly there. */
bool shell_fly_create(shell_device *s);
void shell_fly_free(shell_device *s);
void shell_fly(shell_device *s, const vv_device_flights *w);
