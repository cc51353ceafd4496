/* The machines that workers say they are on, and which of them get no more workers.
 *
 * A host is left out when it computes other bits or has another version, or after three starts in a
 * row that failed there. */
#ifndef CONTROLLER_WORKERS_HOSTS_H
#define CONTROLLER_WORKERS_HOSTS_H

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
