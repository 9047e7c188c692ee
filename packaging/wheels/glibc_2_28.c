// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Functions and variables that Debian 12's headers and C++ library use and
// glibc 2.28 lacks. packaging/wheels/glibc adds them to the static part of that C
// library; a wheel contains those that it uses.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/// False: the process may have threads. The C++ library then counts references
/// by atomic instructions, which is always right.
char __libc_single_threaded = 0;

static const long kNanoseconds = 1000000000;

/// Returns when the wait ends by the clock of pthread_cond_timedwait(), at most a
/// second from now. A change of the system's time then prolongs no wait by more;
/// callers look at their own clock after each wait.
///
/// \param[out] is_last  true if that is the end of the caller's wait
static struct timespec next_end(clockid_t clock, const struct timespec* end,
                                int* is_last) {
  struct timespec now;
  clock_gettime(clock, &now);
  long seconds = end->tv_sec - now.tv_sec;
  long nanoseconds = end->tv_nsec - now.tv_nsec;
  if (nanoseconds < 0) {
    --seconds;
    nanoseconds += kNanoseconds;
  }
  *is_last = seconds < 1;
  if (seconds < 0) seconds = nanoseconds = 0;
  if (seconds > 0) {
    seconds = 1;
    nanoseconds = 0;
  }
  struct timespec next;
  clock_gettime(CLOCK_REALTIME, &next);
  next.tv_sec += seconds + (next.tv_nsec + nanoseconds) / kNanoseconds;
  next.tv_nsec = (next.tv_nsec + nanoseconds) % kNanoseconds;
  return next;
}

/// Glibc 2.30. May return 0 before the end, as after a spurious wake-up.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           clockid_t clock, const struct timespec* end) {
  int is_last;
  const struct timespec next = next_end(clock, end, &is_last);
  const int status = pthread_cond_timedwait(condition, mutex, &next);
  return status == ETIMEDOUT && !is_last ? 0 : status;
}

/// Glibc 2.36, whose function ends the process without random numbers, too.
unsigned arc4random(void) {
  unsigned bits;
  if (getentropy(&bits, sizeof bits) != 0) abort();
  return bits;
}
