/* The results of this build on this machine, as one number: the digest of three built-in creatures'
 * motion.
 *
 * Equal fingerprints mean that two simulators give the same bits; another compiler's flags (fused
 * multiply-adds, say) show in it within a few simulated contacts. A worker says its own in
 * `hello`. */
#ifndef SIMULATOR_FINGERPRINT_H
#define SIMULATOR_FINGERPRINT_H

#include <stdint.h>

#include "common/system/arena.h"

/* Simulates the creatures, some milliseconds of processor time. The arena is reset. */
uint64_t fingerprint_compute(struct arena *arena);

#endif
