/* body/shell/shell.h  Kirchhoff-Love shell on a Loop subdivision surface: columns, plan, and who does what in this folder.
 *
 * The nodes of a triangle mesh are the control points of a smooth surface x(xi, eta) = sum_I N_I x_I.  Every triangle has
 * one point of integration, its barycentre.  There                                                             [shell 1]
 *
 *   W = A0 k/2 (e:C:e + h^2/12 kappa:C:kappa),  e_ab = (a_a.a_b - a0_a.a0_b)/2,  kappa_ab = a_ab.n - a0_ab.n0
 *
 * (St Venant-Kirchhoff) or the energy of a neo-Hookean sheet at two points of its thickness [shell 8].
 *
 * Work is done tile by tile: some hundred neighbouring triangles, the nodes that their patches touch, and behind these the
 * ghosts that stand for the surface beyond a border.  A tile copies its nodes into a small array, makes its ghosts, adds up
 * forces in a segment of its own, and gives the force on its ghosts back to the nodes that made them.  Then every tile adds
 * up the segments for the nodes that it owns and that others touch.  Nothing of this depends on the number of threads.
 *
 *   fields.c   words            mesh.c    words -> placed meshes            build.c   meshes -> columns, patches, state
 *   loop.c     weights of the subdivision surface by the valences of a triangle's corners
 *   border.c   free, supported and clamped edges: ghosts                    tiles.c   tiles, pairs, groups, slots
 *   keep.c     tiles in a prepared file                                     share.c   tiles over ranks
 *   formulas.h strains and stresses of one element, for one double and for several
 *   points.h   the same where the material flows, damps or breaks: points through the thickness, branches
 *   inner.h    constants of a body, layout of its internal variables
 *   lanes.h    nodes -> lanes, for both kernels        force.c   gradient of a tile      energy.c  its energies
 *   sweep.c    kick, drift, stride                     plain.c   one element at a time
 *   flow.c     shells that flow or damp: the whole block, what is left of the step, what is shown
 *   tear.c     triangles that break: their neighbours get a border
 *   audit.c    totals, output      loads.c   gravity, pressure, point loads, supports, booking
 *   surface.c  what contact sees   stable.c  the longest stable step        vary.c    first variations
 *   device.c   shells on an accelerator, with device_tables.c, device_open.c and the kernels common.cl, force.cl, flow.cl, nodes.cl;
 *              moves.h, far.h: what they share */
#pragma once
#include "body/shell/inner.h"
#include "model/material.h"
#include "model/model.h"

#include <stdatomic.h>

struct vvi_mesh_topology;
struct vvi_mesh;

enum { SHELL_Q = 3, SHELL_P = 3, SHELL_CORNERS = 3 };

/* inverse mass: 0 where a border holds the node.  rest: where the node was when nothing was stressed. */
enum shell_node_column {
  SHELL_MASS,
  SHELL_INVERSE_MASS,
  SHELL_REST,
  SHELL_NUMBER = SHELL_REST + 3, /* in the mesh that was given, from 0 */
  SHELL_NODE_COLUMNS
};

enum { SHELL_BODY_COLUMNS = sizeof(shell_body) / sizeof(double) };

/* ---- the weights of a triangle (loop.c) ---- */

/* Tables hold SHELL_A x,_a and SHELL_D x,_ab (33: along the third side): whole numbers in the regular case.    [shell 4] */
#define SHELL_D 9.0
enum { SHELL_MOST_NODES = 48, SHELL_REGULAR = 12, SHELL_PAIR = 14 };
enum shell_weight { W_N, W_1, W_2, W_11, W_22, W_33, SHELL_WEIGHTS };

typedef struct shell_class {
  int valence[3];                  /* of the corners, ghosts counted */
  int nodes;                       /* of the patch: the corners, then the nodes around them, counterclockwise */
  double (*weight)[SHELL_WEIGHTS]; /* [nodes] */
} shell_class;

/* The nodes of a patch by the rings of its corners: ring[i] has valence[i] entries, from corner i + 1 counterclockwise. */
void shell_patch_nodes(const int valence[3], const int *const ring[3], int corner[3], int *out);
/* Where in the patch neighbour k of corner i stands, counted from corner i + 1 counterclockwise. */
int shell_patch_place(const int valence[3], int i, int k);
int shell_patch_size(const int valence[3]); /* 0: refused, more than SHELL_MOST_NODES or no patch at all */
void shell_weights(const int valence[3], double (*weight)[SHELL_WEIGHTS]);
/* Limit of a node: 1 - n w of itself, w of each of its n neighbours.                                           [shell 5] */
double shell_limit_weight(int valence);
/* Weights, on the nodes of its patch, of the point of the limit surface of a triangle with the barycentric coordinates `at`,
 * multiples of a power of 1/2. */
void shell_limit_row(const int valence[3], const double at[3], double *row);
/* Places of a regular patch in the order of shell_patch_nodes, in that of the pair kernel.                     [shell 4] */
extern const int shell_lattice[SHELL_REGULAR];

/* ---- border.c ---- */

typedef enum shell_hold { SHELL_FREE, SHELL_SUPPORTED, SHELL_CLAMPED } shell_hold;

/* A place that follows from nodes: x = sum w_i x_i + n (n . sum v_i x_i) + k.                                  [shell 12] */
enum { SHELL_SOURCES = 12 };
typedef struct shell_ghost {
  int32_t count;
  int32_t source[SHELL_SOURCES]; /* node of the mesh; within a tile: local place */
  double w[SHELL_SOURCES], v[SHELL_SOURCES];
  double normal[3], offset[3];
} shell_ghost;

/* A mesh with the ghosts beyond its border.  Numbers from `nodes` on are ghosts. */
typedef struct shell_net {
  int nodes, triangles, ghosts;
  const int *triangle, *neighbour; /* [triangles][3] corners; across the side opposite to a corner, -1: none */
  const int *mate;                 /* [triangles] the neighbour with which it makes a pair; -1: none */
  int *first, *ring;               /* [nodes + 1]: neighbours counterclockwise, ghosts among them, a closed ring each */
  int *stand;         /* [nodes] what stands for a node in the patches: itself, or a ghost where it is clamped */
  shell_ghost *ghost; /* [ghosts] normal and offset as in the mesh that was given */
} shell_net;

/* Ghosts and rings of a mesh whose border nodes are held as hold[] says.  why: message where it is refused. */
vv_status shell_net_make(vvi_arena *arena, const struct vvi_mesh *mesh, const struct vvi_mesh_topology *top,
                         const unsigned char *hold, shell_net *out, char *why);
/* Ghost i seen from a mesh that was placed: its offset and normal there; x[nodes][3]. */
void shell_ghost_place(const shell_ghost *in, const double turn[9], const double *x, shell_ghost *out);

/* ---- tiles.c ---- */

enum { SHELL_HALF = 4, SHELL_TILE = 256, SHELL_ROUGH_TILE = 2048, SHELL_MOST_LOCAL = 4096 };
enum { SHELL_SHARED_FROM = 4 }; /* tiles: fewer are worked on by one thread */

/* Up to eight triangles with one table.  Pairs: lanes 0-3 are the first triangles of up to four pairs, 4-7 the second. */
typedef struct shell_group {
  int16_t pair;       /* 1: pairs of regular triangles */
  int16_t count;      /* triangles; pairs: half of them in lanes from 4 on */
  int32_t cls;        /* its class */
  int32_t element;    /* first triangle, from the first of its tile: in lane order, without gaps */
  const uint16_t *at; /* local nodes, times 4: [4][14] or [8][nodes] */
  double *rest;       /* [SHELL_REFERENCE][8] */
} shell_group;

typedef struct shell_shared {
  int32_t local;         /* an owned node */
  int32_t first, others; /* in the list of its tile: segments of other tiles that hold it too */
} shell_shared;

typedef struct shell_tile {
  int32_t body;             /* within the block */
  int64_t node0;            /* first node of the component in the block */
  int32_t own0, own;        /* owned nodes, from node0 */
  int32_t inner;            /* the first of them: no other tile touches these */
  int32_t halo, ghosts;     /* how many behind them: local = own, halo, ghosts */
  const int32_t *halo_node; /* [halo] from node0 */
  const shell_ghost *ghost; /* [ghosts] */
  int32_t groups, shareds;
  const shell_group *group;   /* [groups] */
  const shell_class *cls;     /* of the component */
  const shell_shared *shared; /* [shareds] */
  const int64_t *other_slot;  /* of other tiles, ascending for each shared node, from the first slot of the component */
  int64_t element0, elements; /* within the block */
  int64_t slot0, slot;        /* first slot of the component; of the tile, from there */
  int64_t z;                  /* its internal variables, from q of the block */
  double side2, area;         /* m^2: of its first element, the longer of two sides squared; at rest */
} shell_tile;
/* Of an owned node that other tiles hold too; NULL: none does. */
const shell_shared *vvi_shell_shared_of(const shell_tile *t, int32_t local);

static inline int32_t shell_tile_nodes(const shell_tile *t)
{
  return t->own + t->halo + t->ghosts;
}

/* [others] where other tiles hold a shared node. */
static inline const int64_t *shell_others(const shell_tile *t, const shell_shared *s)
{
  return t->other_slot + s->first;
}

/* Node of a local place that is no ghost, from node0. */
static inline int64_t shell_tile_node(const shell_tile *t, int64_t local)
{
  return local < t->own ? t->own0 + local : t->halo_node[local - t->own];
}

/* Limit stencils of the nodes of a mesh, ghosts replaced by what makes them. */
typedef struct shell_limit {
  int32_t *first; /* [nodes + 1] */
  int32_t *node;
  double *weight;
} shell_limit;

/* One mesh cut into tiles: shared by all its copies. */
typedef struct shell_cut {
  int tiles, nodes, elements;
  int classes;
  shell_class *cls;
  shell_tile *tile; /* [tiles] node0, element0, slot0 = 0 */
  int64_t slots;
  int *triangle; /* [elements][3] corners, in the order of the elements */
  shell_limit limit;
  int pieces; /* along a side of a triangle, that contact sees; 1: the triangle */
  shell_limit
      smooth; /* pieces > 1: rows of the points of a triangle, (pieces + 1)(pieces + 2)/2 each, by rows of xi[1] */
  int *around0, *around;   /* [nodes + 2], elements around a node; NULL: nothing can break */
  struct shell_kept *kept; /* tables of tiles in a prepared file; NULL: none */
} shell_cut;

/* net: of a mesh in the order of its tiles of `size` triangles.  References (rest) are left empty. */
/* pieces: see shell_cut.  Any number of threads makes the same. */
vv_status shell_cut_make(vvi_arena *arena, const shell_net *net, int size, int pieces, int threads, shell_cut *out,
                         char *why);
double shell_irregular_share(const shell_net *net);

/* All tiles of a block, and room for forces. */
/* Gradient of a tile into slot[local][4]; next: whose data to ask for ahead; NULL: all is near. */
typedef void shell_tile_fn(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column,
                           const double *q, double *slot);
/* Adds strain energy of a tile, and what the nodes that it owns have. */
typedef void shell_audit_fn(const vv_block *b, const shell_tile *t, const shell_tile *next, const double *q,
                            const double *p, vv_totals *sum);
/* The drift that a flow follows: its length, the momenta and inverse masses that made it. */
typedef struct shell_drifted {
  double h;
  const double *p, *minv;
} shell_drifted;
/* Internal variables of a tile after a drift, then its gradient as above; slot NULL: no gradient.  loss: what is lost. */
typedef void shell_flow_fn(const shell_body *k, const shell_tile *t, const shell_tile *next, int64_t column,
                           const shell_drifted *d, double *q, double *slot, double loss[SHELL_LOSSES]);
typedef struct shell_where { /* an element of the block: tile, its group there, its lane */
  int32_t tile, group, lane;
} shell_where;
typedef struct shell_component { /* one connected copy: a patch of its own */
  const shell_cut *cut;
  int64_t node0, element0;
  int32_t body;
} shell_component;
/* Rows of numbers that travel between ranks. */
typedef struct shell_exchange {
  struct vv_star *star;
  int32_t roots, leaves;
  int64_t *root, *leaf; /* [roots] rows that others want; [leaves] rows of others */
} shell_exchange;
/* How fast a body is, s: the stable step of one copy of it; how long a node that was hit takes. */
typedef struct shell_pace {
  double step, answer;
} shell_pace;
/* The share of one rank. */
typedef struct shell_share {
  const struct vv_net *net;
  int32_t me;
  int64_t tiles, *tile; /* [tiles] of this rank, ascending */
  int32_t *rank;        /* [tiles of the block] who has them */
  shell_exchange places, forces;
  double *root, *leaf; /* rows on their way */
  int64_t held;
  int32_t *held_node;      /* [held] of this rank */
  int64_t *nodes;          /* [ranks] that each of them has */
  double *out, *whole;     /* what goes to rank 0; with loads: places of all nodes, by ranks */
  int64_t at_once, rounds; /* tiles that each rank sends to it at a time, and how often until all have */
  int64_t *next;           /* [ranks] the tile after those that came from a rank */
  bool settled;            /* this rank has its own tiles, and nothing of others but what all need */
} shell_share;
typedef struct shell_plan {
  shell_share *share; /* NULL: one rank has all */
  int64_t tiles, slots;
  shell_tile *tile;
  int64_t components;
  shell_component *component;
  int64_t held;
  int32_t *held_node;   /* [held] within the block */
  shell_where *where;   /* [elements of the block]; NULL: nothing can break */
  shell_tile_fn *force; /* chosen for this machine */
  shell_audit_fn *audit;
  shell_flow_fn *flow;
  double *slot;     /* scratch: [slots][4] forces on local nodes, and behind them [nodes][6] where there are loads */
  int64_t sums0;    /* in it, behind them: [tiles][SHELL_SUMS] what tiles have summed up */
  int64_t reals;    /* of it */
  atomic_flag busy; /* the scratch is in use */
  int64_t tile_room, component_room, held_room;
  shell_pace *pace; /* [bodies of the block] where it was prepared; NULL: worked out when somebody asks */
} shell_plan;

static inline const double *shell_node(const vv_block *b, int column)
{
  return b->node_real + column * b->stride;
}
static inline const shell_body *shell_of(const vv_block *b, int32_t body_in_block)
{
  return (const shell_body *)(const void *)(b->body_real + (int64_t)body_in_block * SHELL_BODY_COLUMNS);
}
static inline const shell_plan *shell_plan_of(const vv_block *b)
{
  return b->plan;
}
/* Tiles of this rank: how many, and which is number k. */
static inline int64_t shell_tiles_here(const shell_plan *plan)
{
  return plan->share != NULL ? plan->share->tiles : plan->tiles;
}
static inline int64_t shell_tile_here(const shell_plan *plan, int64_t k)
{
  return plan->share != NULL ? plan->share->tile[k] : k;
}

/* Does this rank move the nodes of a tile? */
static inline bool shell_is_here(const shell_plan *plan, int64_t tile)
{
  return plan->share == NULL || plan->share->rank[tile] == plan->share->me;
}

enum { SHELL_MANY = 20000 }; /* loops over more nodes or triangles are shared by the threads, while a shell is made */

/* ---- fields.c, mesh.c, build.c ---- */
extern const vv_schema shell_schema;
vv_status shell_measure(const vv_group *g, vv_need *need);
vv_status shell_fill(const vv_group *g, vv_fill *f);
/* The mesh of a body about its own centre, and its topology.  Complaints name the words. */
vv_status shell_mesh(const vv_group *g, vvi_arena *arena, struct vvi_mesh *out, struct vvi_mesh_topology *top);
/* Copies of a body: how many, and where copy i is and how it moves. */
typedef struct shell_placement {
  double centre[3], turn[9], velocity[3], spin[3];
} shell_placement;
/* Adds what elements give to the mass of the nodes of a tile: all, or those where inside[element of the block]; mass and free
 * count from its node0, free is 0 where a border holds. */
void shell_tile_mass(const shell_tile *t, const unsigned char *inside, const double *free, double rho_h, double *mass);
int shell_copies(const vv_group *g);
shell_placement shell_place(const vv_group *g, int copy);

/* ---- force.c ---- */

/* Best force function of this machine; set 0: plain, 1: AVX2 at most, 2: any. */
shell_tile_fn *shell_tile_force(int set);
/* Fills the references of a tile from the places q[3][column]. */
void shell_tile_rest(shell_law law, const shell_tile *t, int64_t column, const double *q);
/* Ghosts of a tile from its nodes x[local][4]; what acts on them back to the nodes. */
void shell_ghosts_make(const shell_tile *t, double *x);
void shell_ghosts_give(const shell_tile *t, double *slot);

/* ---- energy.c ---- */

/* The same for the energies. */
shell_audit_fn *shell_tile_audit(int set);

/* ---- flow.c ---- */

/* Behind the groups of a tile, where it can break: of each element what became of it, and where it was cut its reference and weights. */
enum shell_fate { SHELL_WHOLE, SHELL_CUT, SHELL_BROKEN };
enum {
  SHELL_CUT_NODES = 24,
  SHELL_CUT_REST = 1,
  SHELL_CUT_WEIGHTS = SHELL_CUT_REST + SHELL_REFERENCE,
  SHELL_RECORD = SHELL_CUT_WEIGHTS + SHELL_WEIGHTS * SHELL_CUT_NODES
};

/* Internal variables of a group of a tile. */
static inline const double *shell_group_z(const shell_body *k, const shell_tile *t, const shell_group *g,
                                          const double *q)
{
  return q + t->z + t->elements + (int64_t)k->lane_columns * g->element;
}
/* What breaking did to an element of a tile. */
static inline double *shell_record(const shell_body *k, const shell_tile *t, int64_t element, const double *q)
{
  return (double *)q + t->z + (1 + (int64_t)k->lane_columns) * t->elements + SHELL_RECORD * element;
}
/* Some element of the group has flowed. */
static inline bool shell_group_flowed(const shell_tile *t, int group, const double *q)
{
  return q[t->z + group] != SHELL_VIRGIN;
}
/* Columns of eight lanes of a group: in place where it is full, otherwise in room[columns][8]; and back. */
const double *shell_columns(const shell_body *k, const shell_group *g, const double *z, double *room);
void shell_columns_back(const shell_body *k, const shell_group *g, const double *room, double *z);
/* Notes metric and curvature of a group as they are: what its next flow begins with. */
void shell_group_note(const shell_body *k, const shell_tile *t, int group, int64_t column, double *q);
void shell_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post);
void shell_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post);
/* Sums of what the medium takes go to the books: energy, impulse, moment, sizes of both. */
enum { SHELL_FADED = 9 };
void shell_faded(const double sum[SHELL_FADED], vv_posted *post);
void shell_flow_kick(const vv_block *b, double t, double h, double *q, const double *p, double *f, vv_posted *post);
void shell_flow_stride(const vv_block *b, double h, double *q, double *p, vv_posted *post);
double shell_step_left(const vv_block *b, const double *q, int64_t *element);
/* What is shown of a lane with internal variables: stress and energy in place of the elastic ones, the largest alpha of its points
 * and their largest equivalent stress, damage. */
typedef struct shell_lane {
  double N[3], M[3], energy, lost, alpha, mises, damage;
} shell_lane;
void shell_lane_look(const shell_body *k, const shell_tile *t, int group, int lane, const double *q,
                     const double rest[SHELL_REFERENCE], const double G[3], const double B[3], shell_lane *out);
/* Best flow function of this machine, as shell_tile_force. */
shell_flow_fn *shell_tile_flow(int set);

/* ---- sweep.c ---- */

/* Tiles: so many do not stay in the caches. */
enum { SHELL_FAR_FROM = 256 };
/* The tile behind tile i, where its data should be asked for ahead; NULL: all is near. */
static inline const shell_tile *shell_next_tile(const shell_plan *plan, int64_t i)
{
  if (plan->tiles < SHELL_FAR_FROM) return NULL;
  return &plan->tile[i + 1 < plan->tiles && shell_is_here(plan, i + 1) ? i + 1 : i];
}
void shell_kick(const vv_block *b, double t, double h, const double *q, double *p);
int shell_drift(const vv_block *b, double h, double *q, double *p);
void shell_stride(const vv_block *b, double h, double *q, double *p);
void shell_force_kick(const vv_block *b, double h, const double *q, double *f, double *p);
void shell_leap(const vv_block *b, double a, double h, double kick, double *q, double *f, double *p);
void shell_hold_nodes(const vv_block *b, double *p); /* held nodes have no momentum */
/* Gradient of the strain energy: after it the slots of the nodes that a tile owns hold it. */
void shell_gradient(const vv_block *b, const double *q, double *slot);
/* The scratch of the plan; mine: it was made for this call. */
double *shell_scratch(const vv_block *b, bool *mine);
/* Losses of tiles, in the room for sums. */
void shell_losses_post(const vv_block *b, const double *loss, vv_posted *post);
void shell_scratch_done(const vv_block *b, double *slot, bool mine);

/* ---- share.c ---- */

vv_status shell_share_tiles(vv_block *b, const struct vv_net *net, vvi_arena *arena);
void shell_share_end(vv_block *b);
int shell_owner(const vv_block *b, int64_t node);
int64_t shell_pieces(const vv_block *b);
/* What this rank needs of others; nothing happens where there are none.  Places of halo nodes, and their momenta; forces on its
 * nodes; places of all nodes. */
void shell_fetch_places(const vv_block *b, const double *q);
void shell_fetch_halo(const vv_block *b, const double *q, const double *p);
void shell_fetch_forces(const vv_block *b, double *slot);
void shell_fetch_all(const vv_block *b, const double *q);
/* The same exchanges of who keeps columns elsewhere: rows of `width` numbers, one behind the other, from s->root to s->leaf. */
void shell_travel(const shell_share *s, const shell_exchange *e, int width);
/* To rank 0: nodes and internal variables; n numbers of each node or element, x[n of the first, of the second, ...]; numbers of
 * tiles, x[tiles][n]. */
void shell_gather(const vv_block *b, double *q, double *p);
void shell_gather_rows(const vv_block *b, int n, bool elements, double *x);
void shell_gather_tiles(const vv_block *b, int n, double *x);
/* What tiles of others need is given back; of a state, what they and their nodes have. */
void shell_settle(vv_block *b);
void shell_release(const vv_block *b, double *q, double *p);

/* ---- keep.c ---- */

/* A cut to a prepared file, or from it: then its tiles are closed, without groups, until somebody has them. */
vv_status shell_cut_keep(vv_ctx *ctx, int body, vvi_arena *arena, shell_cut *cut);
/* Tiles of this rank get their tables, where these are in a file; rank NULL: all tiles. */
vv_status shell_tiles_open(vvi_arena *arena, const shell_plan *plan, const int32_t *rank, int32_t me);

/* ---- sums.c ---- */

enum { SHELL_SUMS = 11 };
/* Room of a scratch for sums of tiles: [tiles][SHELL_SUMS]. */
static inline double *shell_parts(const vv_block *b, double *scratch)
{
  return scratch + shell_plan_of(b)->sums0;
}
/* out[n]: the first n numbers of all tiles, each summed exactly and rounded once, so that nobody can see how tiles were
 * dealt out. */
void shell_sum_tiles(const vv_block *b, int n, const double *part, double *out);

/* ---- plain.c ---- */

/* One element, one number at a time. */
typedef struct shell_element {
  double A1[3], A2[3], D[3][3]; /* in table units: D11, D22, D33 */
  double G[3], B[3], n[3], inverse, N[3], M[3];
  double energy;
} shell_element;
/* Nodes of a tile as x[local][4], ghosts included. */
void shell_tile_places(const shell_tile *t, int64_t column, const double *q, double *x);
/* Lane of a group -> its element within the tile; -1: empty lane. */
int shell_lane_element(const shell_group *g, int lane);
/* Places of the nodes of a lane in the tile, and their weights. */
typedef struct shell_patch {
  int nodes;
  int at[SHELL_MOST_NODES];
  const double (*weight)[SHELL_WEIGHTS];
  double rest[SHELL_REFERENCE];
} shell_patch;
void shell_patch_of(const shell_tile *t, const shell_group *g, int lane, shell_patch *out);
void shell_element_at(const shell_body *k, const shell_patch *p, const double *x, shell_element *out);
/* 1: some point of integration has a tenth of its area at rest. */
double shell_distortion(const vv_block *b, const double *q);
double shell_stretch(const vv_block *b, const double *q);
/* Where (x/(2 + x))^2 > 0.04 out becomes x - ln(1 + x) by the logarithm; the others stay, whatever stands beside them. */
void shell_excess_far(int n, const double *x, double *out);

/* The reference of a patch from places x of its nodes. */
void shell_patch_rest(const shell_patch *p, const double *x, double rest[SHELL_REFERENCE]);

/* ---- tear.c ---- */

/* Where elements of a block are, and who is around a node, for bodies that can break. */
vv_status shell_tear_prepare(vvi_arena *arena, vv_block *b);
/* After a drift: elements whose damage is complete break; those around them are cut.  Returns what that takes, of either sign. */
double shell_tear(const vv_block *b, const shell_drifted *d, double *q);
/* Weights and reference of a lane that was cut, in place of those of its class; false: it was not. */
bool shell_patch_torn(const shell_body *k, const shell_tile *t, const shell_group *g, int lane, const double *q,
                      shell_patch *p);
/* element: of the block. */
bool shell_is_broken(const vv_block *b, int32_t body_in_block, int64_t element, const double *q);
void shell_broken(const vv_block *b, const double *q, int32_t body_in_block, unsigned char *out);

/* ---- vary.c ---- */

/* dp += h D(force)(q) dq, element by element, by the complex step. */
void shell_vary_kick(const vv_block *b, double h, const double *q, const double *dq, double *dp);
extern const vv_vary_table shell_vary;

/* ---- audit.c ---- */
void shell_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum);
void shell_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum);
double shell_energy_floor(const vv_block *b, const double *q);
enum { SHELL_OUTPUTS = 14 };
extern const vv_output_field shell_output_field[];
void shell_output(const vv_block *b, int field, const double *q, const double *p, double *out);
void shell_extent(const vv_block *b, double *out);

/* ---- loads.c ---- */
vv_status shell_loads_check(const vv_group *g);
int32_t shell_loads_count(const vv_group *g); /* of one copy */
vv_status shell_loads_fill(const vv_group *g, vv_fill *f, int copies, int64_t first_component);
void shell_kick_loads(const vv_block *b, double t, double h, const double *q, double *p);
void shell_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post);
/* Sums of a kick go to the books: work, impulse, moment, sizes of both. */
enum { SHELL_BOOKED = 9 };
void shell_book(const double sum[SHELL_BOOKED], bool works, vv_posted *post);
enum { LOAD_COMPONENT = 3 }; /* place in vv_load.value: which component */

/* ---- surface.c ---- */
void shell_surface(const vv_block *b, const double *q, int n, const vv_point *pt, double *x);
void shell_push(const vv_block *b, const double *q, const double *p, int n, const vv_point *pt, double *w);
void shell_pull(const vv_block *b, const double *q, int n, const vv_point *pt, const double *r, double *p);
void shell_inverse_mass(const vv_block *b, const double *q, int n, const vv_point *pt, double *a);
void shell_movers(const vv_block *b, const double *q, const double *p, vv_mover *out);
void shell_mover(const vv_block *b, int64_t node, const double *q, const double *p, vv_mover *out);
void shell_scatter(const vv_block *b, int64_t node, const double *q, const double j[6], double *p);
/* Limit places of all nodes: out[nodes][3]. */
void shell_limits(const vv_block *b, bool own, const double *q, double *out); /* own: of the tiles of this rank */
const shell_component *shell_component_of(const vv_block *b, int32_t patch);

/* ---- device.c ---- */
extern const vv_device_table shell_device_table;

/* ---- stable.c ---- */
double shell_stable_step(const vv_block *b);
void shell_stable_steps(const vv_block *b, double *out);

/* ---- some.c ---- */
extern const vv_some_table shell_some_table;
/* The last tile that begins at or before an index of a node that it owns, or of a slot; they are in order of both. */
int64_t shell_tile_at(const shell_plan *plan, int64_t index, bool slots);
double shell_answer_time(const vv_block *b, int32_t body);
/* Both of all bodies, to a prepared file or from it; b is filled in. */
vv_status shell_pace_keep(vv_ctx *ctx, vv_block *b, vvi_arena *arena);
