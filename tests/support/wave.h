/* tests/support/wave.h  The exact wave solution of two elastic bars in longitudinal impact, far ends free.
 *
 * Behind every wave front the tip velocities and the force are constant, so the whole motion is a short list of pieces.
 * Nothing is discretised: pieces begin where a wave comes back to the tip or where the tips meet.        [bars 40-45]
 *
 * Conventions: bar A on the left touches with its last end, bar B on the right with its first end.  Velocities count to
 * the right, force and strain as in the books (contact force > 0 pushes the bars apart; strain < 0 is compression).
 * Times are those of the caller: before the start both bars fly freely; after t_end the answers mean nothing.
 * The start is the time of touch, or, for bars that begin apart, the time at which the gap is given. */
#pragma once
#include <stdbool.h>

#define WAVE_PIECES 2048 /* plenty: about (t_end / tau_A) (t_end / tau_B) pieces can appear */

typedef struct wave_bar {
  double length, young, density, area;
} wave_bar;

typedef enum wave_side { WAVE_A, WAVE_B } wave_side;

/* KISSING: the gap is closed and stays closed, but no force is needed for that (case 4 of the handbook). */
typedef enum wave_phase { WAVE_FREE, WAVE_PRESSED, WAVE_KISSING } wave_phase;

/* One piece of the history, from its start to the start of the next one.  Arrays are indexed by wave_side. */
typedef struct wave_piece {
  double start; /* after the start of the history */
  wave_phase phase;
  double incoming[2]; /* velocity the tip would have if it were free */
  double tip[2];      /* velocity of the tip */
  double outgoing[2]; /* 2 tip - incoming: what runs back into the bar */
  double force, gap;  /* gap: at the start */
  double x[2];        /* displacement of the tip since the start, at the start */
  double sum[2];      /* integral of outgoing since the start, at the start */
  double square[2];   /* integral of outgoing^2 since the start, at the start */
} wave_piece;

typedef struct wave_bars {
  wave_bar bar[2];
  double c[2], impedance[2], tau[2]; /* wave speed, sqrt(E rho) area, 2 L / c */
  double v0[2];
  double t_start, t_end;
  bool wall; /* side B is a rigid wall */
  int n;
  wave_piece piece[WAVE_PIECES];
} wave_bars;

/* Solve.  False: arguments out of range (lengths, moduli, gap < 0, vA <= vB, t_end < t_start) or too many pieces. */
bool wave_two_bars(wave_bars *w, wave_bar a, wave_bar b, double va, double vb, double t_touch, double t_end);
bool wave_two_bars_apart(wave_bars *w, wave_bar a, wave_bar b, double va, double vb, double gap, double t_start,
                         double t_end);
bool wave_bar_on_wall(wave_bars *w, wave_bar a, double va, double t_touch, double t_end);

/* At the tips.  At a jump the value after it is returned. */
double wave_tip_velocity(const wave_bars *w, wave_side side, double t);
double wave_tip_displacement(const wave_bars *w, wave_side side, double t); /* since the start */
double wave_force(const wave_bars *w, double t);
double wave_gap(const wave_bars *w, double t);
double wave_impulse(const wave_bars *w, double t); /* of the contact force since the start */
wave_phase wave_phase_at(const wave_bars *w, double t);

/* First time the force vanishes for good before the tips part, and the time they part; a later meeting does not count.
 * They differ only when the tips kiss (case 4).  t_end where it did not happen yet. */
double wave_release(const wave_bars *w);
double wave_opening(const wave_bars *w);
/* How many separate closed intervals there are up to t_end, and where interval i begins and ends. */
int wave_contacts(const wave_bars *w);
bool wave_contact(const wave_bars *w, int i, double *on, double *off);

/* Of a whole bar. */
double wave_mass(const wave_bars *w, wave_side side);
double wave_mean_velocity(const wave_bars *w, wave_side side, double t);
double wave_energy(const wave_bars *w, wave_side side, double t); /* kinetic + strain */

/* The full field at the material coordinate X in [0, L], counted from the first (left) end of the bar. */
double wave_velocity(const wave_bars *w, wave_side side, double X, double t);
double wave_strain(const wave_bars *w, wave_side side, double X, double t);
double wave_displacement(const wave_bars *w, wave_side side, double X, double t); /* since the start */
