/* Rights that a worker gives up before its first task: it needs its two pipes, its log and memory,
 * and nothing else. */
#ifndef SIMULATOR_SANDBOX_H
#define SIMULATOR_SANDBOX_H

/* 1 in a program that a sanitizer watches, which needs other calls and terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* Closes all files but these two and the standard ones. */
void sandbox_close_files(int input, int output);

/* From now on this process can open no file or socket, start no program and touch no other process:
 * such system calls fail with EPERM, and so do all that are not on a short list. For good. Returns
 * 1, or 0 where the system cannot, and under sanitizers, which need more. */
int sandbox_enter(void);

#endif
