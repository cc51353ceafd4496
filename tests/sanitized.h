/* Whether a test is built with the address or thread sanitizer, which makes it some four times
 * slower. What only repeats is then repeated less often: sanitizers look for wrong accesses, which
 * the first repetitions show, and the figures are judged in the build that users run. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TESTS_ARE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESTS_ARE_SANITIZED 1
#endif
#endif
#ifndef TESTS_ARE_SANITIZED
#define TESTS_ARE_SANITIZED 0
#endif

/* Steps of loops over all bytes or all bits of something: each one; where sanitizers watch each
 * fifth byte and each seventh bit, which meets all bits of a byte. */
enum { BYTE_STEP = TESTS_ARE_SANITIZED ? 5 : 1, BIT_STEP = TESTS_ARE_SANITIZED ? 7 : 1 };

#endif
