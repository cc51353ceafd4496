/* A 64-bit rolling hash for digests: of states (bit patterns of doubles), parameters and genomes.
 *
 * Every word is mixed by a multiply-xorshift round (as in MurmurHash3's finaliser); the order of
 * words matters. Not cryptographic: it shows that two results are equal, not their origin. */
#ifndef COMMON_MATH_HASH_H
#define COMMON_MATH_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "common/math/vec3.h"

#define HASH_START UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_u64(uint64_t hash, uint64_t word)
{
    hash ^= word;
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}
uint64_t hash_double(uint64_t hash, double value); /* -0.0 counts as 0.0 */
static inline uint64_t hash_vec3(uint64_t hash, struct vec3 v)
{
    return hash_double(hash_double(hash_double(hash, v.x), v.y), v.z);
}
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length);

/* Sixteen lower-case hexadecimal digits and a zero byte. */
void hash_to_text(uint64_t hash, char text[17]);
int hash_from_text(const char *text, uint64_t *hash); /* 0, or ERR_FORMAT */

#endif
