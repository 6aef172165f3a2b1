/* tests/mixed/sets.c  See sets.h. */
#include "sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one scene ---- */

typedef struct tally {
  int scenes, wrong;
  int fault[MIXED_FAULT_KINDS];
  double seconds;
  bool list; /* print only what is wrong */
} tally;

static void print_head(void)
{
  printf("%-44s %10s %10s %10s %9s %9s %9s %9s %8s %7s %6s  %s\n", "scene", "dH(h)/E", "dH(h/2)/E", "losses/E",
         "excess/E", "rise/E", "band/E", "depth", "momenta", "impacts", "s", "verdict");
}

static void print_row(const mixed_scene *s, const mixed_verdict *v, const char *verdict)
{
  const double e = v->scale > 0.0 ? v->scale : 1.0;
  printf("%-44s %+10.3e %+10.3e %+10.3e %9.1e %9.1e %9.1e %9.1e %8.0e %7lld %6.2f  %s\n", s->name, v->final / e,
         v->half_final / e, v->losses / e, v->excess / e, v->rise / e, v->band / e, v->depth,
         fmax(v->momentum, v->support), (long long)v->impacts, v->seconds, verdict);
}

static void judge_one(const mixed_scene *s, bool halve, tally *sum)
{
  char words[192], verdict[512];
  mixed_verdict v;
  mixed_judge(s, halve, &v);
  mixed_words_of(v.faults, words, sizeof words);
  sum->scenes++, sum->seconds += v.seconds;
  sum->wrong += v.faults != 0;
  for (int i = 0; i < MIXED_FAULT_KINDS; i++) sum->fault[i] += (v.faults >> i) & 1;
  if (sum->list) {
    if (v.faults != 0) printf("%s: %s\n", s->name, words);
    return;
  }
  snprintf(verdict, sizeof verdict, "%s%s%s%s", v.faults != 0 ? "WRONG: " : "right", words, v.message[0] ? ": " : "",
           v.message);
  print_row(s, &v, verdict);
}

static void print_sum(const tally *sum)
{
#define WORD(name, word, text) {word, text},
  static const char *const fault[][2] = {MIXED_FAULTS(WORD)};
#undef WORD
  if (sum->list) return;
  printf("\n%d scenes in %.1f s: %d wrong\n", sum->scenes, sum->seconds, sum->wrong);
  for (int i = 0; i < MIXED_FAULT_KINDS; i++)
    if (sum->fault[i] > 0) printf("  %-9s %5d  %s\n", fault[i][0], sum->fault[i], fault[i][1]);
  fflush(stdout);
}

/* ---- sets ---- */

static tally named(bool list)
{
  tally sum = {.list = list};
  if (!list) print_head();
  for (int i = 0; i < MIXED_NAMED; i++) {
    mixed_scene s;
    mixed_named(i, &s);
    judge_one(&s, true, &sum);
  }
  print_sum(&sum);
  return sum;
}

/* Laws of contact and orders of masses: three restitutions, then friction, then what is heavy. */
enum { LAWS = 12 };
static void put_law(int k, mixed_words *w)
{
  static const double restitution[3] = {0.5, 0.0, 1.0};
  w->restitution = restitution[k % 3], w->friction = k / 3 % 2 == 0 ? 0.0 : 0.5, w->first = k / 6 == 0 ? 1 : -1;
}

/* The fixed choice.  Of two bodies, half: all restitutions, heavy without friction and light with it or the other way round,
 * in turn.  Of three bodies one law, and a floor or none, by a hash. */
static bool chosen(int n, int number, int k)
{
  const uint32_t hash = (uint32_t)(number / 2) * 2654435761u >> 16;
  if (n == 2) return (k / 3 % 2 + k / 6 + number / 2 + number) % 2 == 0;
  return hash / LAWS % 2 == (uint32_t)number % 2 && hash % LAWS == (uint32_t)k;
}

static tally stacks(int n, bool soak, bool list)
{
  const int count = n == 2 ? MIXED_KINDS * MIXED_KINDS : MIXED_KINDS * MIXED_KINDS * MIXED_KINDS;
  tally sum = {.list = list};
  if (!list) print_head();
  for (int number = 0; number < 2 * count; number++) {
    mixed_words w = {.n = n, .floor = number % 2 == 1};
    for (int i = n - 1, left = number / 2; i >= 0; i--, left /= MIXED_KINDS)
      w.kind[i] = (mixed_kind)(left % MIXED_KINDS);
    for (int k = 0; k < LAWS; k++) {
      mixed_scene s;
      if (!soak && !chosen(n, number, k)) continue;
      put_law(k, &w);
      mixed_stack(&w, &s);
      judge_one(&s, soak, &sum);
    }
  }
  print_sum(&sum);
  return sum;
}

int mixed_named_set(void)
{
  return named(false).wrong;
}

int mixed_stack_set(int n)
{
  return stacks(n, getenv("VISVIVA_SOAK") != NULL, false).wrong;
}

/* ---- options ---- */

static int one(const char *words)
{
  mixed_scene s;
  mixed_verdict v;
  mixed_words w;
  for (int i = 0; i < MIXED_NAMED; i++) {
    mixed_named(i, &s);
    if (strcmp(s.name, words) != 0) continue;
    mixed_tell(&s, &v);
    return v.faults != 0;
  }
  if (!mixed_read(words, &w)) {
    fprintf(stderr,
            "no such scene: '%s'\nKinds, top first: bar round cornered shell ball box, then floor; e=, mu=, heavy, "
            "light or "
            "even.\nFor example \"ball,round,floor e=0.5 mu=0 heavy\"; or A, B, C, D, plate.\n",
            words);
    return 2;
  }
  mixed_stack(&w, &s);
  mixed_tell(&s, &v);
  return v.faults != 0;
}

int mixed_options(int argc, char **argv, int n)
{
  if (argc == 3 && strcmp(argv[1], "--one") == 0) return one(argv[2]);
  if (argc == 2 && strcmp(argv[1], "--wrong") == 0) {
    if (n == 0) named(true);
    if (n > 0) stacks(n, false, true);
    return 0;
  }
  if (argc == 1) return -1;
  fprintf(stderr, "options: --one WORDS, --wrong\n");
  return 2;
}
