/* The command that starts a worker: the words of farm.launcher, and then the simulator's path.
 *
 * The word `slurm` in front stands for srun with the options that a worker needs; words behind it
 * are further options of srun. */
#ifndef CONTROLLER_WORKERS_LAUNCHER_H
#define CONTROLLER_WORKERS_LAUNCHER_H

#include <stdint.h>

#include "common/error.h"

enum { LAUNCHER_WORDS_MAX = 64, LAUNCHER_PRESET_WORDS = 12, LAUNCHER_HOSTS_SIZE = 2048 };

struct launcher {
    char *words;          /* cut in place; argv points into it */
    char *simulator_path; /* the last of argv */
    char *argv[LAUNCHER_WORDS_MAX + LAUNCHER_PRESET_WORDS + 2]; /* ends with NULL */
    int word_count;  /* 0 = the simulator is started directly */
    int is_slurm;    /* its starts may wait in a queue, and it can leave out hosts */
    char memory[40]; /* words of argv */
    char exclude[LAUNCHER_HOSTS_SIZE];
};

/* Whether `words` are not too many and begin with a program that can be run; it is no error if
 * there are no words. 0, or ERR_* with a message. */
int launcher_check(const char *words, struct error *error);

/* The memory that a worker may have, MiB, 0 = no limit: at most a processor's share of the Slurm
 * job that this process is in, if the words are Slurm's. */
int64_t launcher_memory_mb(const char *words, int64_t memory_mb);

/* How many workers there should be by default: the job's tasks where the words start them with
 * srun; else a processor each, of those that this process has, and of those that its job has on
 * this machine. 1 or more. */
int launcher_worker_count(const char *words);

/* Makes the command, for workers with so much memory; its program (the first word, or else the
 * simulator) must exist. 0, or ERR_* with a message; launcher_deinit() is due in both cases. */
int launcher_init(struct launcher *launcher, const char *words, int64_t memory_mb,
                  const char *simulator_path, struct error *error);

/* The command leaves out these hosts (names with commas between) from now on, if its launcher
 * can. */
void launcher_leave_out(struct launcher *launcher, const char *hosts);
void launcher_deinit(struct launcher *launcher);

/* The machines that workers say they are on, and which of them get no more workers.
 *
 * A host is left out when it computes other bits or has another version, or after three starts in a
 * row that failed there. */

enum { HOSTS_MAX = 256, HOST_NAME_SIZE = 64, HOST_REASON_SIZE = 320, HOST_FAILED_STARTS = 3 };

struct host {
    char name[HOST_NAME_SIZE];
    int failed_starts; /* in a row */
    int is_left_out;
    char reason[HOST_REASON_SIZE]; /* why */
};

/* All zero at first. Beyond HOSTS_MAX no more are kept. */
struct hosts {
    struct host items[HOSTS_MAX];
    int count;
};

/* Why the host is left out; NULL if it is not. The name "" is no host's. */
const char *hosts_why_left_out(const struct hosts *hosts, const char *name);
void hosts_note_ready(struct hosts *hosts, const char *name);
/* 1 if the host is left out from now on, and was not before. */
int hosts_note_failed_start(struct hosts *hosts, const char *name, const char *reason);
int hosts_leave_out(struct hosts *hosts, const char *name, const char *reason);

/* Their names with commas between, as far as they have room; "" if there are none. */
void hosts_print_left_out(const struct hosts *hosts, char *text, int size);

#endif
