/* validation/rigid_rest.c  Losses, friction, rest: energy that never rises, slopes, stacks, piles, heaps. */
#include "solids.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, g = 9.81;
static const char down[] = "[0, 0, -9.81]",
                  floor_line[] = "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n";
static const char rests[] = "restitution: 0, friction: 0.5";

/* ---- energy never rises ---- */

static vv_status lossy_run(vv_ctx *ctx, const char *gravity, const char *contact, solids_run *run)
{
  char text[SOLIDS_TEXT];
  solids_head(text, 2e-3, gravity, "", contact);
  solids_body(
      text,
      "  boxes: {kind: rigid, shape: {box: {size: [0.3, 0.4, 0.5]}}, density: 1, position: [-0.8, -0.8, -0.8], "
      "copies: {grid: {count: [3, 3, 3], spacing: [0.8, 0.8, 0.8]}, orientation: random, speed: 1, spin: 2, seed: "
      "2}}\n"
      "  room: {kind: obstacle, shape: {room: {size: [2.6, 2.6, 2.6]}}}\n");
  BOOK_TRY(solids_open(ctx, text, 1, run));
  const vv_status status = solids_steps(run, 2000);
  if (status != VV_OK) solids_close(run);
  return status;
}

vv_status rigid_losses(book_chapter *c, vv_ctx *ctx)
{
  enum { CONTACTS = 5 };
  static const char *const contact[CONTACTS] = {"restitution: 0.9", "restitution: 0.5, friction: 0.3", "restitution: 0",
                                                "restitution: 1, friction: 0.5", "restitution: 0, friction: 0.8"};
  static const char *const gravity[2] = {"[0, 0, 0]", down};
  double rise = 0, closure = 0, deep = 0;
  book_heading(c, "Losses");
  book_say(
      c,
      "27 boxes thrown about in a room, 4 s in steps of 2e-3 s, every step looked at. The energy must not rise in any "
      "step, and what is lost is booked.");
  book_columns(c, "contact|gravity|energy lost|largest rise in a step|books|penetration (m)");
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < CONTACTS; k++) {
      solids_run run;
      BOOK_TRY(lossy_run(ctx, gravity[i], contact[k], &run));
      const vv_ledger *l = solids_ledger(&run);
      const double lost = vv_sum_value(&l->posted.restitution_loss) + vv_sum_value(&l->posted.friction_loss);
      book_row(c, "%s|%s|%s|%s|%s|%s", contact[k], i == 0 ? "none" : "9.81", book_percent(lost / run.scale).s,
               book_error(run.rise / run.scale).s, book_error(l->max_closure).s, book_error(l->max_penetration).s);
      rise = fmax(rise, run.rise / run.scale), closure = fmax(closure, l->max_closure);
      deep = fmax(deep, l->max_penetration);
      solids_close(&run);
    }
  book_table_end(c);
  book_claim claim = {.id = "N16",
                      .text = "with losses no step brings energy",
                      .published = "never",
                      .evidence = "27 boxes in a room, e = 0 to 1, friction 0 to 0.8, with and without gravity"};
  snprintf(claim.measured, sizeof claim.measured, "largest rise %s of the total; books close to %s", book_error(rise).s,
           book_error(closure).s);
  book_judge_target(&claim, rise, 1e-13);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- slopes ---- */

static vv_status slope_run(vv_ctx *ctx, double degrees, double *speed, double *way, double *time)
{
  char text[SOLIDS_TEXT], gravity[100];
  double v[3], x[3];
  solids_run run;
  const double a = degrees * pi / 180;
  snprintf(gravity, sizeof gravity, "[%.17g, 0, %.17g]", g * sin(a), -g * cos(a));
  solids_head(text, 1.0 / 240, gravity, "", rests);
  solids_body(text, "  box: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5]}\n%s",
              floor_line);
  BOOK_TRY(solids_open(ctx, text, 0, &run));
  vv_status status = solids_steps(&run, 1000);
  if (status == VV_OK) status = solids_field(&run, "box", "velocity", v);
  if (status == VV_OK) status = solids_field(&run, "box", "position", x);
  *speed = v[0], *way = x[0], *time = run.state->t;
  solids_close(&run);
  return status;
}

static vv_status slopes(book_chapter *c, vv_ctx *ctx)
{
  enum { SLOPES = 5, STICK = 3 };
  static const double degrees[SLOPES] = {20, 26.5, 26.56, 27, 30};
  double slip = 0, off = 0;
  book_heading(c, "A box on a slope, friction 0.5");
  book_say(c,
           "The angle of friction is 26.565 degrees. 1000 steps of 1/240 s; theory: at rest below, g (sin - 0.5 cos) t "
           "above.");
  book_columns(c, "degrees|speed (m/s)|theory|way (m)");
  for (int i = 0; i < SLOPES; i++) {
    double speed, way, time;
    BOOK_TRY(slope_run(ctx, degrees[i], &speed, &way, &time));
    const double a = degrees[i] * pi / 180, theory = i < STICK ? 0 : g * (sin(a) - 0.5 * cos(a)) * time;
    if (i < STICK)
      slip = fmax(slip, fabs(speed));
    else
      off = fmax(off, fabs(speed / theory - 1));
    book_row(c, "%g|%s|%s|%s", degrees[i], i < STICK ? book_error(speed).s : book_fixed(speed, 4).s,
             book_fixed(theory, 4).s, i < STICK ? book_error(way).s : book_fixed(way, 4).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "N17",
                      .text = "below the angle of friction a box does not creep",
                      .published = "0",
                      .evidence = "20, 26.5 and 26.56 degrees (the angle is 26.565), 1000 steps of 1/240 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s m/s", book_error(slip).s);
  book_judge_target(&claim, slip, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "N18",
                       .text = "above it, it slides as theory says",
                       .published = "g (sin - mu cos) t",
                       .evidence = "27 and 30 degrees"};
  snprintf(claim.measured, sizeof claim.measured, "off by %s", book_error(off).s);
  book_judge_target(&claim, off, 1e-9);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- stacks and columns ---- */

static vv_status stack_run(vv_ctx *ctx, int boxes, double top, double *sunk, double *speed)
{
  char text[SOLIDS_TEXT];
  double x[3];
  solids_run run;
  solids_head(text, 1.0 / 240, down, "", rests);
  solids_body(text,
              "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], copies: {grid: "
              "{count: [1, 1, %d], spacing: [1, 1, 1]}}}\n"
              "  top: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: %g, position: [0, 0, %d.5]}\n%s",
              boxes - 1, top, boxes - 1, floor_line);
  BOOK_TRY(solids_open(ctx, text, 0, &run));
  vv_status status = solids_steps(&run, 1000);
  if (status == VV_OK) status = solids_field(&run, "top", "position", x);
  if (status == VV_OK) status = solids_most(&run, "boxes", "velocity", boxes - 1, speed);
  *sunk = fmax(boxes - 0.5 - x[2], 0);
  solids_close(&run);
  return status;
}

static vv_status stacks(book_chapter *c, vv_ctx *ctx)
{
  enum { STACKS = 3 };
  static const int boxes[STACKS] = {10, 100, 10};
  static const double top[STACKS] = {1, 1, 1000};
  double most = 0;
  book_heading(c, "Stacks");
  book_say(c, "Boxes of 1 m and 1 kg on each other, 1000 steps of 1/240 s.");
  book_columns(c, "boxes|mass of the topmost (kg)|sunk (m)|largest speed at the end (m/s)");
  for (int i = 0; i < STACKS; i++) {
    double sunk, speed;
    BOOK_TRY(stack_run(ctx, boxes[i], top[i], &sunk, &speed));
    most = fmax(most, sunk);
    book_row(c, "%d|%g|%s|%s", boxes[i], top[i], book_error(sunk).s, book_error(speed).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "N19",
                      .text = "stacks do not sink",
                      .published = "0",
                      .evidence = "10, 100, and 10 boxes with a top box of 1000 kg, 1000 steps of 1/240 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s m", book_error(most).s);
  book_judge_target(&claim, most, 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

static double furthest(int64_t n, const double *x, const double *y)
{
  double most = 0;
  for (int64_t i = 0; i < n; i++)
    most = fmax(most, hypot(hypot(x[3 * i] - y[3 * i], x[3 * i + 1] - y[3 * i + 1]), x[3 * i + 2] - y[3 * i + 2]));
  return most;
}

static vv_status columns(book_chapter *c, vv_ctx *ctx)
{
  enum { BOXES = 1000 };
  static double before[3 * BOXES], after[3 * BOXES];
  static const int64_t fall = 480, stay = 10000;
  char text[SOLIDS_TEXT];
  double speed[2] = {0};
  solids_run run;
  solids_head(text, 1.0 / 240, down, "", rests);
  solids_body(text,
              "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.52], copies: {grid: "
              "{count: [10, 10, 10], spacing: [1.5, 1.5, 1.02]}}}\n%s",
              floor_line);
  BOOK_TRY(solids_open(ctx, text, 20, &run));
  vv_status status = solids_steps(&run, fall);
  if (status == VV_OK) status = solids_field(&run, "boxes", "position", before);
  if (status == VV_OK) status = solids_most(&run, "boxes", "velocity", BOXES, &speed[0]);
  if (status == VV_OK) status = solids_steps(&run, stay);
  if (status == VV_OK) status = solids_field(&run, "boxes", "position", after);
  if (status == VV_OK) status = solids_most(&run, "boxes", "velocity", BOXES, &speed[1]);
  const double drift = furthest(BOXES, before, after), deep = solids_ledger(&run)->max_penetration;
  const double rise = run.rise / run.scale;
  solids_close(&run);
  BOOK_TRY(status);
  book_heading(c, "A thousand boxes in columns");
  book_say(c,
           "100 columns of ten boxes of 1 m, each layer dropped from 2 cm, step 1/240 s, friction 0.5, restitution 0.");
  book_columns(c, "after|largest speed (m/s)|moved since (m)|penetration (m)|largest rise of energy");
  book_row(c, "%lld steps|%s|-|-|-", (long long)fall, book_error(speed[0]).s);
  book_row(c, "%lld more|%s|%s|%s|%s", (long long)stay, book_error(speed[1]).s, book_error(drift).s, book_error(deep).s,
           book_error(rise).s);
  book_table_end(c);
  book_claim claim = {.id = "N20",
                      .text = "1000 boxes dropped in columns come to rest and stay",
                      .published = "0",
                      .evidence = "2 cm per layer, 480 steps to rest, drift over 10000 more"};
  snprintf(claim.measured, sizeof claim.measured, "drift %s of a box, speed %s m/s", book_error(drift).s,
           book_error(speed[1]).s);
  book_judge_target(&claim, drift, 1e-9);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- heaps ---- */

typedef struct heap_facts {
  double most, deep, rise, closure, time;
  bool stopped; /* by a solver that gave up */
} heap_facts;

/* side^3 boxes of 0.5 m fall in disorder into a bin, until nothing moves or 10 s are over; the run stays open. */
static vv_status heap_run(vv_ctx *ctx, int side, const char *contact, solids_run *run, heap_facts *f)
{
  enum { LOOK = 25, MOST = 2500 };
  char text[SOLIDS_TEXT];
  const double wide = side, high = 2.0 * side, first = -0.5 * (side - 1);
  const int64_t n = (int64_t)side * side * side;
  solids_head(text, 4e-3, down, "", contact);
  solids_body(text,
              "  boxes: {kind: rigid, shape: {box: {size: [0.5, 0.5, 0.5]}}, mass: 1, position: [%g, %g, 0.6], copies: "
              "{grid: {count: [%d, %d, %d], spacing: [1, 1, 1]}, jitter: 0.05, orientation: random, seed: 3}}\n"
              "  bin: {kind: obstacle, shape: {room: {centre: [0, 0, %g], size: [%g, %g, %g]}}}\n",
              first, first, side, side, side, 0.5 * high, wide, wide, high);
  BOOK_TRY(solids_open(ctx, text, 1, run));
  vv_status status = VV_OK;
  *f = (heap_facts){.most = INFINITY};
  for (int i = 0; i < MOST / LOOK && status == VV_OK && !f->stopped && f->most > 0.0; i++) {
    f->stopped = solids_steps(run, LOOK) != VV_OK;
    status = solids_most(run, "boxes", "velocity", n, &f->most);
  }
  const vv_ledger *l = solids_ledger(run);
  f->time = run->state->t, f->deep = l->max_penetration / 0.5, f->rise = run->rise / run->scale;
  f->closure = l->max_closure;
  if (status != VV_OK) solids_close(run);
  return status;
}

static void heap_line(book_chapter *c, int side, const char *what, const heap_facts *f)
{
  book_row(c, "%d, %s|%s%s|%s|%s|%s|%s", side * side * side, what, book_number(f->time, 3).s,
           f->stopped ? " (stopped)" : "", book_error(f->most).s, book_error(f->deep).s, book_error(f->rise).s,
           book_error(f->closure).s);
}

/* One box of a heap as time goes on, and how far the others come. */
enum { LOOKS = 400, HEAP = 216 };
typedef struct heap_box {
  int which;
  double place[LOOKS][3], turn[LOOKS][3]; /* turn: small, since the first look */
  double others;                          /* m */
} heap_box;

static double apart(const double a[3], const double b[3])
{
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The rotation vector that leads from one unit quaternion to another close by: twice the vector of q conj(p). */
static void turned(const double p[4], const double q[4], double out[3])
{
  for (int k = 0; k < 3; k++) {
    const int a = (k + 1) % 3 + 1, b = (k + 2) % 3 + 1;
    out[k] = 2.0 * (p[0] * q[k + 1] - q[0] * p[k + 1] - (q[a] * p[b] - q[b] * p[a]));
  }
}

static vv_status follow(solids_run *run, heap_box *o)
{
  static double x0[3 * HEAP], x[3 * HEAP], q0[4 * HEAP], q[4 * HEAP], w[3 * HEAP];
  BOOK_TRY(solids_field(run, "boxes", "position", x0));
  BOOK_TRY(solids_field(run, "boxes", "orientation", q0));
  BOOK_TRY(solids_field(run, "boxes", "angular_velocity", w));
  static const double none[3] = {0};
  *o = (heap_box){0};
  for (int i = 0; i < HEAP; i++)
    if (apart(w + 3 * i, none) > apart(w + 3 * o->which, none)) o->which = i;
  for (int k = 0; k < LOOKS; k++) {
    BOOK_TRY(solids_steps(run, 5));
    BOOK_TRY(solids_field(run, "boxes", "position", x));
    BOOK_TRY(solids_field(run, "boxes", "orientation", q));
    for (int c = 0; c < 3; c++) o->place[k][c] = x[3 * o->which + c];
    turned(q0 + 4 * o->which, q + 4 * o->which, o->turn[k]);
    for (int i = 0; i < HEAP; i++)
      if (i != o->which) o->others = fmax(o->others, apart(x0 + 3 * i, x + 3 * i));
  }
  return VV_OK;
}

/* A box that two points hold turns about the line through them, and its weight is all that has a moment about it.  From two places,
 * an angle apart: the line, along u, is where dx = 2 tan(angle/2) u x r puts it, r the way from it to the middle of the two; r hangs
 * down if it lies along what the line leaves of g, and then the time of a swing is 2 pi ((a^2/6 + r^2)/(g' r))^(1/2), since the
 * moment of inertia of a cube is m a^2/6 about any axis. */
typedef struct pendulum {
  double slip, angle, arm, hangs; /* m along the line; rad, of the whole swing; m; cosine */
  double period, seen, kept;      /* s by its equation, s as it swings; the last swing over the first */
} pendulum;

static pendulum swings(const heap_box *o, double edge, double look)
{
  int lo = 0, hi = 0, far = 0;
  static const double none[3] = {0};
  double s[LOOKS], u[3], dx[3], r[3], side[3], along = 0, rr = 0, gg = 0, rg = 0;
  for (int k = 0; k < LOOKS; k++)
    if (apart(o->turn[k], none) > apart(o->turn[far], none)) far = k;
  for (int c = 0; c < 3; c++) u[c] = o->turn[far][c] / apart(o->turn[far], none);
  for (int k = 0; k < LOOKS; k++) {
    s[k] = 0;
    for (int c = 0; c < 3; c++) s[k] += u[c] * o->turn[k][c];
    if (s[k] < s[lo]) lo = k;
    if (s[k] > s[hi]) hi = k;
  }
  const double angle = s[hi] - s[lo], middle = 0.5 * (s[hi] + s[lo]);
  for (int c = 0; c < 3; c++) dx[c] = o->place[hi][c] - o->place[lo][c], along += u[c] * dx[c];
  for (int c = 0; c < 3; c++) side[c] = u[(c + 1) % 3] * dx[(c + 2) % 3] - u[(c + 2) % 3] * dx[(c + 1) % 3];
  for (int c = 0; c < 3; c++) {
    const double fall = (c == 2 ? -9.81 : 0.0) + 9.81 * u[2] * u[c];
    r[c] = -side[c] / (2.0 * tan(0.5 * angle));
    rr += r[c] * r[c], gg += fall * fall, rg += r[c] * fall;
  }
  pendulum p = {.slip = fabs(along), .angle = angle, .arm = sqrt(rr), .hangs = rg / sqrt(rr * gg)};
  p.period = 6.283185307179586 * sqrt((edge * edge / 6.0 + rr) / sqrt(gg * rr));
  /* times of passing the middle upwards */
  double first = 0, last = 0;
  int n = 0;
  for (int k = 1; k < LOOKS; k++)
    if (s[k - 1] < middle && s[k] >= middle) {
      last = look * (k - (s[k] - middle) / (s[k] - s[k - 1]));
      if (n++ == 0) first = last;
    }
  p.seen = n > 1 ? (last - first) / (n - 1) : INFINITY;
  double early[2] = {INFINITY, -INFINITY}, late[2] = {INFINITY, -INFINITY};
  for (int k = 0; k < LOOKS; k++) {
    double *e = k < LOOKS / 2 ? early : late;
    e[0] = fmin(e[0], s[k]), e[1] = fmax(e[1], s[k]);
  }
  p.kept = (late[1] - late[0]) / (early[1] - early[0]);
  return p;
}

static vv_status heap_finding(book_chapter *c, solids_run *run, const heap_facts f[2])
{
  book_claim claim = {
      .id = "N23",
      .text =
          "the same without resistance to rolling: a box that friction holds at one point of each of two others is a "
          "pendulum about the line through them, and nothing in the model stops it",
      .published = "rest within 10 s stood here as a target, and was missed by the 216",
      .evidence = "steps of 4e-3 s; 216 boxes followed for 8 s after the first 10; the line, its distance from the "
                  "centre and with them the period of the weight alone follow from two places of the box"};
  if (f[1].most == 0.0) {
    snprintf(claim.measured, sizeof claim.measured, "64 boxes rest after %s s, 216 after %s s",
             book_number(f[0].time, 3).s, book_number(f[1].time, 3).s);
  } else {
    static heap_box box;
    BOOK_TRY(follow(run, &box));
    const pendulum p = swings(&box, 0.5, 0.02);
    snprintf(
        claim.measured, sizeof claim.measured,
        "64 rest after %s s; of 216 one turns by %s rad about a line along which it slips by %s m, its centre hangs "
        "%s m below it (cosine %s): a swing takes %s s, %s s by its equation; those of the last 4 s are %s of the "
        "first; the others move by %s m at most",
        book_number(f[0].time, 3).s, book_error(p.angle).s, book_error(p.slip).s, book_number(p.arm, 3).s,
        book_fixed(p.hangs, 6).s, book_fixed(p.seen, 3).s, book_fixed(p.period, 3).s, book_fixed(p.kept, 4).s,
        book_error(box.others).s);
  }
  claim.chaotic = true;
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* Rest is no consequence of the model without a resistance to rolling (N23); with one it is, and how large it is must not
 * matter much. */
static vv_status heaps(book_chapter *c, vv_ctx *ctx)
{
  enum { HEAPS = 2, ROLLS = 3 };
  static const int side[HEAPS] = {4, 6};
  static const char *const roll[ROLLS] = {"1e-6", "1e-5", "1e-4"};
  heap_facts plain[HEAPS], f[HEAPS][ROLLS];
  double rise = 0;
  int settled = 0;
  book_heading(c, "Heaps");
  book_say(c,
           "Cubes of 0.5 m in random orientation and jittered places fall into a bin, friction 0.5, restitution 0, "
           "step 4e-3 s, without and with a resistance to rolling. Columns are easy; here every box leans on others at "
           "edges and corners. At rest means that no box moves at all.");
  book_columns(c, "boxes, rolling (m)|time (s)|largest speed (m/s)|penetration (edges)|largest rise in a step|books");
  for (int i = 0; i < HEAPS; i++) {
    solids_run run;
    for (int k = 0; k < ROLLS; k++) {
      char rolls[96];
      snprintf(rolls, sizeof rolls, "%s, rolling: %s", rests, roll[k]);
      BOOK_TRY(heap_run(ctx, side[i], rolls, &run, &f[i][k]));
      solids_close(&run);
      heap_line(c, side[i], roll[k], &f[i][k]);
      rise = fmax(rise, f[i][k].rise), settled += f[i][k].most == 0.0;
    }
    BOOK_TRY(heap_run(ctx, side[i], rests, &run, &plain[i]));
    heap_line(c, side[i], "none", &plain[i]);
    const vv_status status = i + 1 == HEAPS ? heap_finding(c, &run, plain) : VV_OK;
    solids_close(&run);
    BOOK_TRY(status);
    rise = fmax(rise, plain[i].rise);
  }
  book_table_end(c);
  book_claim claim = {.id = "N21",
                      .text = "energy does not rise in disordered heaps either",
                      .published = "never",
                      .evidence = "64 and 216 cubes dropped into a bin, with and without resistance to rolling"};
  snprintf(claim.measured, sizeof claim.measured, "largest rise %s of the total", book_error(rise).s);
  book_judge_target(&claim, rise, 1e-13);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "N22",
      .text = "disordered heaps of 64 and 216 boxes come to rest where rolling is resisted, little or much",
      .published = "rest; without resistance the model has no rest to come to (N23)",
      .evidence =
          "`rolling: 1e-6`, 1e-5, 1e-4 (m), steps of 4e-3 s, looked at every 0.1 s, for 10 s at most; the target "
          "was once asked without the resistance, within 6 and 8 s, and missed by the 216: what misses is told "
          "in N23; 1000 boxes: bench_heap"};
  snprintf(claim.measured, sizeof claim.measured, "%d of %d at rest, 64 after %s, %s, %s s, 216 after %s, %s, %s s",
           settled, HEAPS * ROLLS, book_number(f[0][0].time, 3).s, book_number(f[0][1].time, 3).s,
           book_number(f[0][2].time, 3).s, book_number(f[1][0].time, 3).s, book_number(f[1][1].time, 3).s,
           book_number(f[1][2].time, 3).s);
  claim.chaotic = true;
  book_judge_target_count(&claim, settled, HEAPS * ROLLS, "nothing moves within 10 s");
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status rigid_piles(book_chapter *c, vv_ctx *ctx)
{
  if (book_wants(c, "N17 N18")) BOOK_TRY(slopes(c, ctx));
  if (book_wants(c, "N19")) BOOK_TRY(stacks(c, ctx));
  if (book_wants(c, "N20")) BOOK_TRY(columns(c, ctx));
  return book_wants(c, "N21 N22 N23") ? heaps(c, ctx) : VV_OK;
}
