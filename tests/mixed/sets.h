/* tests/mixed/sets.h  Which scenes a test runs. */
#pragma once
#include "judge.h"

/* Judges the scenes, prints a table, and returns how many are wrong. */
int mixed_named_set(void);
/* Stacks of n bodies: all of them with the environment variable VISVIVA_SOAK, else a fixed choice. */
int mixed_stack_set(int n);
/* --one WORDS: one scene, told in full.  --wrong: only those that are.  Returns -1 where the
 * program shall go on with its tests, else its exit code. */
int mixed_options(int argc, char **argv, int n);
