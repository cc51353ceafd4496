/* See sandbox.h. The filter is a program of the kernel's packet filter (seccomp, Linux 3.5),
 * written by hand: one comparison for each call that is allowed, the frequent ones first. */
#define _GNU_SOURCE /* close_range() by number */
#include "simulator/sandbox.h"

#include <unistd.h>

#if defined(__linux__)
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* Where the system does not tell which are open. */
#define FILES_MAX 1024

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static void close_between(int first, int last)
{
#if defined(__linux__) && defined(SYS_close_range)
    if (first > last || syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0u) == 0)
        return;
#endif
    for (int i = first; i <= last && i < FILES_MAX; i++)
        close(i);
}

void sandbox_close_files(int input, int output)
{
    int low = input < output ? input : output, high = input < output ? output : input;
    low = low > STDERR_FILENO ? low : STDERR_FILENO;
    high = high > low ? high : low;
    close_between(STDERR_FILENO + 1, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, ~0u >> 1);
}

#if defined(__linux__) && defined(ARCHITECTURE) && !IS_SANITIZED

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1),                                        \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    REFUSE,
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(clock_gettime),
    ALLOW(read),
    ALLOW(write),
    ALLOW(setitimer),
    ALLOW(exit_group),
    ALLOW(exit),
    ALLOW(brk),
    ALLOW(mmap),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(mprotect),
    ALLOW(madvise),
    ALLOW(futex),
    ALLOW(restart_syscall),
    /* how it ends: see fault.c, and abort() */
    ALLOW(rt_sigreturn),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(getpid),
    ALLOW(gettid),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), /* its own process */
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    REFUSE,
};
enum { FILTER_LENGTH = sizeof filter / sizeof filter[0], OWN_PROCESS = FILTER_LENGTH - 3 };

int sandbox_enter(void)
{
    struct sock_fprog program = {.len = FILTER_LENGTH, .filter = filter};
    filter[OWN_PROCESS].k = (uint32_t)getpid();
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

int sandbox_enter(void)
{
    return 0;
}

#endif
