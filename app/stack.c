/* app/stack.c  Room for the stack where the limit of the process (ulimit -s) leaves too little: shells work on tiles of 140 kB.
 *
 * A limit that was set hard cannot be raised, but it holds for the first thread alone: another one brings its own memory. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "app.h"

#include <pthread.h>
#include <sys/resource.h>

enum { ENOUGH = 1 << 20, OURS = 8 << 20 };

typedef struct call {
  int (*fn)(int argc, char **argv);
  int argc;
  char **argv;
  int code;
} call;

static void *in_thread(void *user)
{
  call *c = user;
  c->code = c->fn(c->argc, c->argv);
  return NULL;
}

int app_with_stack(int (*fn)(int argc, char **argv), int argc, char **argv)
{
  struct rlimit limit;
  pthread_attr_t room;
  pthread_t thread;
  call c = {.fn = fn, .argc = argc, .argv = argv};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= ENOUGH || pthread_attr_init(&room) != 0)
    return fn(argc, argv);
  bool fits = pthread_attr_setstacksize(&room, OURS) == 0;
#ifdef __GLIBC__
  fits = fits && pthread_setattr_default_np(&room) == 0; /* the threads of OpenMP are made like this, too */
#endif
  fits = fits && pthread_create(&thread, &room, in_thread, &c) == 0;
  pthread_attr_destroy(&room);
  if (!fits) return fn(argc, argv);
  pthread_join(thread, NULL);
  return c.code;
}
