/* bench/bench_island.c  The island solver alone: bench_island [folder for the CSV].
 *
 * stack: n boxes on each other, four contacts each; wall: courses of bricks in bond; press: a sheet of points between two
 * heavy plates.  cold: from no impulses; look: from the answer, which one look confirms, as at rest; pushed: from the answer,
 * the load turned by 0.6 of gravity, so that much slides.  Least CPU time of several goes, one thread. */
#include "pile.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3 };
static const double GH = 9.81 / 240.0;

typedef struct scene {
  const char *name;
  pile *(*open)(int n);
  int n;
} scene;

static pile *stack(int n)
{
  pile *k = open_pile(n, 4 * n, 8 * n);
  add_stack(k, n, 1.0, 1.0, 0.5);
  return k;
}

static pile *wall(int n)
{
  pile *k = open_pile(n * n, 8 * n * n, 16 * n * n);
  add_wall(k, n, n, 0.5);
  return k;
}

static pile *press(int n)
{
  static const double low[3] = {0, 0, -1}, high[3] = {0, 0, 1}, plate[3] = {1, 1, 0.2}, up[3] = {0, 0, 1};
  pile *k = open_pile(n * n + 2, 2 * n * n + 4, 4 * n * n + 8);
  const int under = add_box(k, 35.0, low, plate), over = add_box(k, 35.0, high, plate);
  for (int i = 0; i < n * n; i++) {
    const double x[3] = {(i % n + 0.5) / n - 0.5, (i / n + 0.5) / n - 0.5, 0.0};
    const int p = add_point(k, 0.08 / (n * n), x);
    add_contact(k, under, p, x, up, 0.3, 0.0);
    add_contact(k, p, over, x, up, 0.3, 0.0);
  }
  const double a[2] = {-0.5, -0.5}, b[2] = {0.5, 0.5};
  add_face(k, -1, under, a, b, -1.1, 0.3);
  return k;
}

typedef struct row {
  double us, residual;
  vvi_island_stats stats;
} row;

/* from: impulses to begin with. */
static row measure(pile *k, const vvi_island_contact *from)
{
  row r = {.us = INFINITY};
  for (int i = 0; i < REPEATS; i++) {
    for (int c = 0; c < k->p.contacts; c++) {
      if (from != NULL)
        memcpy(k->p.contact[c].j, from[c].j, sizeof from[c].j);
      else
        memset(k->p.contact[c].j, 0, sizeof k->p.contact[c].j);
    }
    const double start = bench_cpu();
    int64_t n = 0;
    for (; n == 0 || (from != NULL && n < 200 && k->stats.warm); n++) solve_pile(k, 1);
    r.us = fmin(r.us, 1e6 * (bench_cpu() - start) / (double)n);
    r.stats = k->stats, r.residual = k->stats.residual;
  }
  return r;
}

static void print(const scene *s, const pile *k, const char *start, const row *r, FILE *csv)
{
  const double each = 1e3 * r->us / k->p.contacts;
  printf("%-6s %5d %7d %-7s %10.1f %10.1f %7d %9d %10.1e %s\n", s->name, k->p.movers, k->p.contacts, start, r->us, each,
         r->stats.newton, r->stats.gradient, r->residual,
         r->stats.converged  ? ""
         : r->stats.accepted ? "loose"
                             : "NOT");
  fflush(stdout);
  fprintf(csv, "%s,%d,%d,%s,%.2f,%.2f,%d,%d,%.3e,%.2f\n", s->name, k->p.movers, k->p.contacts, start, r->us, each,
          r->stats.newton, r->stats.gradient, r->residual, bench_load());
}

int main(int argc, char **argv)
{
  static const scene list[] = {{"stack", stack, 10}, {"stack", stack, 100}, {"wall", wall, 6},   {"wall", wall, 10},
                               {"wall", wall, 20},   {"wall", wall, 40},    {"press", press, 9}, {"press", press, 30}};
  FILE *csv = bench_csv(argc, argv, "-island");
  fprintf(csv, "scene,movers,contacts,start,us,ns_per_contact,newton,gradient,residual,load\n");
  printf("%-6s %5s %7s %-7s %10s %10s %7s %9s %10s\n", "scene", "movers", "contacts", "start", "us", "ns/contact",
         "Newton", "gradient", "residual");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    pile *k = list[i].open(list[i].n);
    const size_t bytes = sizeof *k->p.contact * (size_t)k->p.contacts;
    vvi_island_contact *answer = malloc(bytes);
    if (answer == NULL) exit(1);
    let_fall(k, GH);
    k->p.loose = 0.05 * 1e-6 * 240.0;
    const row cold = measure(k, NULL);
    memcpy(answer, k->p.contact, bytes);
    const row look = measure(k, answer);
    for (int m = 0; m < k->p.movers; m++) k->free[m][0] = 0.6 * GH;
    see_free(k);
    const row pushed = measure(k, answer);
    print(&list[i], k, "cold", &cold, csv);
    print(&list[i], k, "look", &look, csv);
    print(&list[i], k, "pushed", &pushed, csv);
    free(answer);
    close_pile(k);
  }
  printf("\nload %.2f\n", bench_load());
  return fclose(csv) != 0;
}
