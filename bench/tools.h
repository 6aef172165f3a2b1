/* bench/tools.h  What the benchmarks share: clocks, a name for the machine, streams to compare with, scenes from text. */
#pragma once
#include "visviva/visviva.h"

#include <stdio.h>

/* ---- time ---- */

double bench_wall(void); /* s */
double bench_cpu(void);  /* s, of this process, all threads together */
/* One thread: CPU time, which a busy machine disturbs least.  More: wall time. */
double bench_clock(int threads);
double bench_load(void); /* load average over the last minute */

/* ---- machine ---- */

/* For example amd-epyc-zen4-2core; never a host name.  The variable BENCH_MACHINE replaces it. */
const char *bench_machine(char *name, size_t size);
/* Opens FOLDER/MACHINE SUFFIX .csv for writing; FOLDER is argv[1] or bench/results of the sources.  Exits on failure. */
FILE *bench_csv(int argc, char **argv, const char *suffix);

/* ---- streams: what the memory gives to loops without any mechanics ---- */

typedef struct bench_stream bench_stream;
/* Arrays with the working set of a bar with n nodes: 32 n bytes. */
bench_stream *bench_stream_create(int64_t n, int threads, bool huge);
void bench_stream_destroy(bench_stream *s);
/* GB/s of one go of `passes`.  shape: 2 arrays read and written, 2 read, 48 B per element.  triad: a = b + s c, 24 B. */
double bench_stream_shape(bench_stream *s, int passes);
double bench_stream_triad(bench_stream *s, int passes);

/* GFLOP/s of one core in fused multiply-adds on registers: the most that arithmetic can do. */
double bench_fma_peak(void);

/* ---- scenes ---- */

typedef struct bench_run {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
} bench_run;

/* The text of a scene; at: of BENCH_TEXT bytes. */
enum { BENCH_TEXT = 1 << 20 };
typedef struct bench_text {
  char *at;
  size_t n;
} bench_text;
void bench_put(bench_text *t, const char *format, ...) VV_PRINTF(2, 3);
/* Everything before the bodies. */
void bench_head(bench_text *t, double step);
/* Two spheres of 2048 frequency^2 triangles each that touch after some 40 steps. */
void bench_spheres(bench_text *t, int frequency);
/* A body of n^3 hollow cubes, 192 triangles each, that fly towards their middle. */
void bench_cubes(bench_text *t, int n);
/* side^3 boxes turned at random that fall into a room. */
void bench_heap_scene(char *text, size_t size, int side);

/* Every failure here ends the program with a message: a benchmark that cannot run measures nothing. */
void bench_must(const vv_ctx *ctx, vv_status status, const char *what);
bench_run bench_parse(const char *text, int threads);
bench_run bench_read(const char *path, int threads);
void bench_close(bench_run *r);
/* Steps, and the seconds they took by bench_clock. */
double bench_steps(bench_run *r, int64_t n, vv_report *report);
