/* net/mpi.c  Ranks over MPI alone: what the table of net.h needs, with any MPI.
 *
 * MPI keeps state of the process, so this file does, too: one job, begun once and ended once.  Rows of a star go by one message
 * between two ranks; who wants what is told once, when the star is made. */
#include "net/mpi.h"

#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_ROWS = 10, TAG_SIZE = 11, TAG_DATA = 12, TAG_WANTED = 13 };

/* Seconds that this rank has waited for others since the work was last looked at. */
static double waited;

void vvi_net_mpi_waited(double since)
{
  waited += MPI_Wtime() - since;
}

/* What has come to this rank, and how often all of them talked. */
static struct {
  int64_t bytes, times;
} traffic;

void vvi_net_mpi_moved(int64_t bytes)
{
  traffic.bytes += bytes, traffic.times++;
}

void vvi_net_mpi_traffic(int64_t *bytes, int64_t *times)
{
  *bytes = traffic.bytes, *times = traffic.times;
}

/* ---- stars ---- */

/* Rows to or from other ranks: those of rank[i] are number first[i] to first[i + 1] - 1. */
typedef struct side {
  int n, *rank;
  int32_t *first, *row;
  char *data;
  size_t room;
} side;

struct vv_star {
  side in, out;
  int32_t *from_here, *to_here, here; /* rows that stay on this rank: of roots, of leaves */
  MPI_Request *request;
};

/* count[ranks] rows to or from each rank but this one; false: no memory. */
static bool make_side(const vv_net *n, const int *count, side *s)
{
  int64_t rows = 0;
  for (int r = 0; r < n->ranks; r++) s->n += r != n->rank && count[r] > 0, rows += r != n->rank ? count[r] : 0;
  s->rank = calloc((size_t)s->n + 1, sizeof *s->rank);
  s->first = calloc((size_t)s->n + 2, sizeof *s->first);
  s->row = calloc((size_t)rows + 1, sizeof *s->row);
  if (s->rank == NULL || s->first == NULL || s->row == NULL) return false;
  int k = 0;
  for (int r = 0; r < n->ranks; r++) {
    if (r == n->rank || count[r] == 0) continue;
    s->rank[k] = r, s->first[k + 1] = s->first[k] + count[r], k++;
  }
  return true;
}

/* Leaves in the order of their owners: in.row; what is wanted of each owner, in that order, goes to `wanted`. */
static void sort_leaves(const vv_net *n, int32_t leaves, const vv_place *place, vv_star *s, int32_t *wanted,
                        int32_t *at)
{
  for (int k = 0; k < s->in.n; k++) at[s->in.rank[k]] = s->in.first[k];
  for (int32_t i = 0; i < leaves; i++) {
    if (place[i].rank == n->rank) {
      s->from_here[s->here] = place[i].row, s->to_here[s->here++] = i;
      continue;
    }
    const int32_t to = at[place[i].rank]++;
    s->in.row[to] = i, wanted[to] = place[i].row;
  }
}

static void ask_for_rows(vv_star *s, const int32_t *wanted)
{
  int r = 0;
  for (int k = 0; k < s->out.n; k++)
    MPI_Irecv(s->out.row + s->out.first[k], s->out.first[k + 1] - s->out.first[k], MPI_INT32_T, s->out.rank[k],
              TAG_WANTED, MPI_COMM_WORLD, &s->request[r++]);
  for (int k = 0; k < s->in.n; k++)
    MPI_Isend(wanted + s->in.first[k], s->in.first[k + 1] - s->in.first[k], MPI_INT32_T, s->in.rank[k], TAG_WANTED,
              MPI_COMM_WORLD, &s->request[r++]);
  MPI_Waitall(r, s->request, MPI_STATUSES_IGNORE);
}

static vv_status star(const vv_net *n, int32_t roots, int32_t leaves, const vv_place *place, vv_star **out)
{
  (void)roots;
  const size_t ranks = (size_t)n->ranks;
  vv_star *s = *out = calloc(1, sizeof *s);
  int *want = calloc(ranks, sizeof *want), *give = calloc(ranks, sizeof *give);
  int32_t *wanted = calloc((size_t)leaves + 1, sizeof *wanted), *at = calloc(ranks, sizeof *at);
  bool good = s != NULL && want != NULL && give != NULL && wanted != NULL && at != NULL;
  for (int32_t i = 0; good && i < leaves; i++) want[place[i].rank]++;
  if (good) MPI_Alltoall(want, 1, MPI_INT, give, 1, MPI_INT, MPI_COMM_WORLD);
  good = good && make_side(n, want, &s->in) && make_side(n, give, &s->out);
  if (good) {
    s->from_here = calloc((size_t)want[n->rank] + 1, sizeof *s->from_here);
    s->to_here = calloc((size_t)want[n->rank] + 1, sizeof *s->to_here);
    s->request = calloc((size_t)(s->in.n + s->out.n) + 1, sizeof *s->request);
    good = s->from_here != NULL && s->to_here != NULL && s->request != NULL;
  }
  if (!good) MPI_Abort(MPI_COMM_WORLD, 2); /* a rank that cannot talk would leave the others waiting */
  sort_leaves(n, leaves, place, s, wanted, at);
  ask_for_rows(s, wanted);
  free(want), free(give), free(wanted), free(at);
  return VV_OK;
}

static void make_room(side *s, int bytes)
{
  const size_t size = (size_t)bytes * (size_t)s->first[s->n];
  if (size <= s->room) return;
  free(s->data);
  s->data = malloc(size), s->room = size;
  if (s->data == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
}

/* How many of n rows follow the first one: these go at once. */
static int32_t run_of(const int32_t *row, int32_t n)
{
  int32_t k = 1;
  while (k < n && row[k] == row[0] + k) k++;
  return k;
}

static void begin(vv_star *s, int bytes, const void *root, void *leaf)
{
  const size_t b = (size_t)bytes;
  const char *from = root;
  char *to = leaf;
  int r = 0;
  make_room(&s->in, bytes), make_room(&s->out, bytes);
  vvi_net_mpi_moved((int64_t)bytes * s->in.first[s->in.n]);
  for (int k = 0; k < s->in.n; k++)
    MPI_Irecv(s->in.data + b * (size_t)s->in.first[k], bytes * (s->in.first[k + 1] - s->in.first[k]), MPI_BYTE,
              s->in.rank[k], TAG_ROWS, MPI_COMM_WORLD, &s->request[r++]);
  for (int k = 0; k < s->out.n; k++) {
    for (int32_t i = s->out.first[k], n; i < s->out.first[k + 1]; i += n) {
      n = run_of(s->out.row + i, s->out.first[k + 1] - i);
      memcpy(s->out.data + b * (size_t)i, from + b * (size_t)s->out.row[i], b * (size_t)n);
    }
    MPI_Isend(s->out.data + b * (size_t)s->out.first[k], bytes * (s->out.first[k + 1] - s->out.first[k]), MPI_BYTE,
              s->out.rank[k], TAG_ROWS, MPI_COMM_WORLD, &s->request[r++]);
  }
  for (int32_t i = 0; i < s->here; i++) memcpy(to + b * (size_t)s->to_here[i], from + b * (size_t)s->from_here[i], b);
}

static void end(vv_star *s, int bytes, const void *root, void *leaf)
{
  const size_t b = (size_t)bytes;
  const double since = MPI_Wtime();
  (void)root;
  MPI_Waitall(s->in.n + s->out.n, s->request, MPI_STATUSES_IGNORE);
  vvi_net_mpi_waited(since);
  for (int32_t i = 0, n; i < s->in.first[s->in.n]; i += n) {
    n = run_of(s->in.row + i, s->in.first[s->in.n] - i);
    memcpy((char *)leaf + b * (size_t)s->in.row[i], s->in.data + b * (size_t)i, b * (size_t)n);
  }
}

static void star_free(vv_star *s)
{
  if (s == NULL) return;
  side *both[] = {&s->in, &s->out};
  for (int i = 0; i < 2; i++) free(both[i]->rank), free(both[i]->first), free(both[i]->row), free(both[i]->data);
  free(s->from_here), free(s->to_here), free(s->request);
  free(s);
}

/* ---- all ranks at once ---- */

static void sum(const vv_net *n, int count, int64_t *x)
{
  const double since = MPI_Wtime();
  (void)n, vvi_net_mpi_moved(0);
  MPI_Allreduce(MPI_IN_PLACE, x, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  vvi_net_mpi_waited(since);
}

static void least(const vv_net *n, int count, double *x)
{
  const double since = MPI_Wtime();
  (void)n, vvi_net_mpi_moved(0);
  MPI_Allreduce(MPI_IN_PLACE, x, count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  vvi_net_mpi_waited(since);
}

/* Room of the job for what all ranks do at once; it grows, and is kept. */
static struct {
  int *count, *out, *come; /* [2 ranks], [ranks], [ranks] */
  MPI_Request *request;    /* [requests] */
  void **in;               /* [packages] */
  int64_t *size;           /* [packages] */
  char *data;              /* [bytes] of packages that came */
  int64_t packages, requests, bytes;
} job;

/* A rank that has no memory cannot talk, and would leave the others waiting. */
static void *fit(void *list, int64_t *room, int64_t n, size_t size)
{
  if (n <= *room) return list;
  free(list);
  *room = 2 * n, list = malloc(size * (size_t)*room);
  if (list == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  return list;
}

static void all(const vv_net *n, const int64_t *rows, int bytes, void *data)
{
  const double since = MPI_Wtime();
  int *count = job.count, *first = count + n->ranks, at = 0;
  for (int r = 0; r < n->ranks; r++) {
    count[r] = (int)rows[r] * (bytes / (int)sizeof(double)), first[r] = at;
    at += count[r];
  }
  vvi_net_mpi_moved((int64_t)sizeof(double) * (at - count[n->rank]));
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, count, first, MPI_DOUBLE, MPI_COMM_WORLD);
  vvi_net_mpi_waited(since);
}

/* Sizes first; then the packages, in the order of the senders and of each sender's list. */
static vv_status deal(const vv_net *n, int packages, const int *to, const void *const *data, const int64_t *bytes,
                      int *got, void ***in, int64_t **in_bytes)
{
  const double since = MPI_Wtime();
  int r = 0, k = 0;
  int64_t all = 0, sizes = job.packages;
  memset(job.out, 0, sizeof *job.out * (size_t)n->ranks);
  for (int i = 0; i < packages; i++) job.out[to[i]]++;
  MPI_Alltoall(job.out, 1, MPI_INT, job.come, 1, MPI_INT, MPI_COMM_WORLD);
  *got = 0;
  for (int i = 0; i < n->ranks; i++) *got += job.come[i];
  job.in = fit(job.in, &job.packages, *got, sizeof *job.in);
  job.size = fit(job.size, &sizes, *got, sizeof *job.size);
  job.request = fit(job.request, &job.requests, packages + *got, sizeof *job.request);
  for (int i = 0; i < packages; i++)
    MPI_Isend(&bytes[i], 1, MPI_INT64_T, to[i], TAG_SIZE, MPI_COMM_WORLD, &job.request[r++]);
  for (int from = 0; from < n->ranks; from++)
    for (int i = 0; i < job.come[from]; i++)
      MPI_Irecv(&job.size[k++], 1, MPI_INT64_T, from, TAG_SIZE, MPI_COMM_WORLD, &job.request[r++]);
  MPI_Waitall(r, job.request, MPI_STATUSES_IGNORE);
  int64_t come = 0;
  for (int i = 0; i < *got; i++) all += (job.size[i] + 63) / 64 * 64, come += job.size[i];
  vvi_net_mpi_moved(come);
  job.data = fit(job.data, &job.bytes, all, 1);
  r = k = 0, all = 0;
  for (int i = 0; i < packages; i++)
    MPI_Isend(data[i], (int)bytes[i], MPI_BYTE, to[i], TAG_DATA, MPI_COMM_WORLD, &job.request[r++]);
  for (int from = 0; from < n->ranks; from++)
    for (int i = 0; i < job.come[from]; i++, k++) {
      job.in[k] = job.data + all, all += (job.size[k] + 63) / 64 * 64;
      MPI_Irecv(job.in[k], (int)job.size[k], MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, &job.request[r++]);
    }
  MPI_Waitall(r, job.request, MPI_STATUSES_IGNORE);
  vvi_net_mpi_waited(since);
  *in = job.in, *in_bytes = job.size;
  return VV_OK;
}

/* ---- work ---- */

/* What the work of ranks has cost since they were cut: a cut that is uneven loses max - mean of what they are busy.  When that is
 * more than what a set-up takes they are cut anew: moving never takes more time than waiting has.  Tiles are whole, so a tenth
 * stays. */
enum { LOOK = 1000 }; /* steps */
static struct {
  double *ends, *other; /* [ranks + 1] now; those to come */
  double *busy;         /* [ranks] s since the last look */
  double began, since;  /* of the set-up; of the last look, 0: none yet */
  double setup, lost;   /* s */
  int64_t looked;       /* step */
  int64_t every;        /* for tests: cut at random after so many steps; 0: never */
  bool moved;
} work;

/* Ends between which the work is the same, if each rank had its work evenly between those of now. */
static void move_ends(int ranks)
{
  double all = 0.0, done = 0.0;
  int r = 0;
  for (int i = 0; i < ranks; i++) all += work.busy[i];
  for (int k = 1; k < ranks; k++) {
    const double wanted = all * k / ranks;
    while (r + 1 < ranks && done + work.busy[r] < wanted) done += work.busy[r++];
    const double part = work.busy[r] > 0.0 ? (wanted - done) / work.busy[r] : 0.0;
    work.other[k] = work.ends[r] + fmin(part, 1.0) * (work.ends[r + 1] - work.ends[r]);
  }
  memcpy(work.ends, work.other, sizeof *work.ends * (size_t)(ranks + 1));
  work.moved = true;
}

/* Any numbers will do as work: the ends of what comes after them are other ones. */
static bool cut_at_random(int ranks, int64_t step)
{
  for (int i = 0; i < ranks; i++) work.busy[i] = 1.0 + (double)((uint64_t)(step + 7 * i) * 2654435761u % 8u);
  work.looked = step;
  move_ends(ranks);
  return true;
}

/* Busy seconds of all ranks since the last look; most and mean. */
static void look(const vv_net *n, double *most, double *mean)
{
  work.busy[n->rank] = MPI_Wtime() - work.since - waited;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, work.busy, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  *most = *mean = 0.0;
  for (int i = 0; i < n->ranks; i++) *most = fmax(*most, work.busy[i]), *mean += work.busy[i] / n->ranks;
  work.since = MPI_Wtime(), waited = 0.0;
}

static bool uneven(const vv_net *n, int64_t step)
{
  double most, mean;
  if (work.since == 0.0) {
    work.setup = MPI_Wtime() - work.began, work.looked = step;
    MPI_Allreduce(MPI_IN_PLACE, &work.setup, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    work.since = MPI_Wtime(), waited = 0.0;
    return false;
  }
  if (work.every > 0) return step >= work.looked + work.every && cut_at_random(n->ranks, step);
  if (step < work.looked + LOOK || n->shuffle != 0) return false;
  look(n, &most, &mean);
  work.looked = step;
  work.lost += most - mean;
  if (most <= 1.1 * mean || work.lost <= work.setup) return false;
  move_ends(n->ranks);
  return true;
}

double vvi_net_mpi_busiest(const vv_net *n, bool move)
{
  double most, mean;
  look(n, &most, &mean);
  if (move) move_ends(n->ranks);
  return mean > 0.0 ? most / mean : 1.0;
}

bool vvi_net_mpi_recut(void)
{
  const bool moved = work.moved;
  work.moved = false, work.since = work.lost = 0.0, work.began = MPI_Wtime();
  return moved;
}

static bool make_work(int ranks)
{
  work.ends = calloc(3 * (size_t)ranks + 3, sizeof *work.ends);
  if (work.ends == NULL) return false;
  work.other = work.ends + ranks + 1, work.busy = work.other + ranks + 1;
  for (int i = 0; i <= ranks; i++) work.ends[i] = work.other[i] = (double)i / ranks;
  const char *every = getenv("VISVIVA_RECUT"); /* for tests, as VISVIVA_CUT */
  if (every != NULL) work.every = strtoll(every, NULL, 10);
  work.began = MPI_Wtime();
  return true;
}

/* ---- the job ---- */

static int local_rank(int rank)
{
  MPI_Comm machine;
  int local = 0;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine) != MPI_SUCCESS) return 0;
  MPI_Comm_rank(machine, &local);
  MPI_Comm_free(&machine);
  return local;
}

/* Some MPIs print a trace where a rank dies, and may wait for ever for the memory that it has just spoilt: the job would hang. */
static void die_at_once(void)
{
  static const int deadly[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
  for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) signal(deadly[i], SIG_DFL);
}

vv_status vvi_net_mpi_begin(const vv_net **out)
{
  static vv_net net;
  net = (vv_net){.star = star,
                 .begin = begin,
                 .end = end,
                 .star_free = star_free,
                 .sum = sum,
                 .least = least,
                 .all = all,
                 .deal = deal,
                 .uneven = uneven};
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return VV_UNSUPPORTED;
  die_at_once();
  MPI_Comm_rank(MPI_COMM_WORLD, &net.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &net.ranks);
  net.local = local_rank(net.rank);
  const char *seed = getenv("VISVIVA_CUT"); /* for tests: bits do not depend on who has what */
  if (seed != NULL) net.shuffle = strtoull(seed, NULL, 10);
  *out = &net;
  job.count = calloc(4 * (size_t)net.ranks, sizeof *job.count);
  if (job.count == NULL || !make_work(net.ranks)) return VV_NOMEM;
  net.ends = work.ends;
  job.out = job.count + 2 * net.ranks, job.come = job.out + net.ranks;
#ifdef VV_PETSC
  return vvi_net_petsc_begin(&net);
#else
  return VV_OK;
#endif
}

void vvi_net_mpi_end(void)
{
#ifdef VV_PETSC
  vvi_net_petsc_end();
#endif
  MPI_Finalize();
  free(work.ends), free(job.count), free(job.request), free(job.in), free(job.size), free(job.data);
}

const char *vvi_net_mpi_about(void)
{
#ifdef VV_PETSC
  return "PETSc";
#else
  return "MPI";
#endif
}
