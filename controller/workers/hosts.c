/* The machines that workers say they are on: a list, since they are few and asked for at starts
 * only. */
#include "controller/workers/launcher.h"

#include <stdio.h>
#include <string.h>

/* NULL: not known. */
static const struct host *find(const struct hosts *hosts, const char *name)
{
    for (int i = 0; i < hosts->count; i++)
        if (strcmp(hosts->items[i].name, name) == 0)
            return &hosts->items[i];
    return NULL;
}

/* NULL: no name, or no room. */
static struct host *find_or_add(struct hosts *hosts, const char *name)
{
    struct host *known = (struct host *)find(hosts, name);
    if (known != NULL || name[0] == '\0' || hosts->count == HOSTS_MAX)
        return known;
    struct host *host = &hosts->items[hosts->count++];
    snprintf(host->name, sizeof host->name, "%s", name);
    return host;
}

const char *hosts_why_left_out(const struct hosts *hosts, const char *name)
{
    const struct host *host = find(hosts, name);
    return host != NULL && host->is_left_out ? host->reason : NULL;
}

void hosts_note_ready(struct hosts *hosts, const char *name)
{
    struct host *host = find_or_add(hosts, name);
    if (host != NULL)
        host->failed_starts = 0;
}

int hosts_leave_out(struct hosts *hosts, const char *name, const char *reason)
{
    struct host *host = find_or_add(hosts, name);
    if (host == NULL || host->is_left_out)
        return 0;
    host->is_left_out = 1;
    snprintf(host->reason, sizeof host->reason, "%s", reason);
    return 1;
}

int hosts_note_failed_start(struct hosts *hosts, const char *name, const char *reason)
{
    struct host *host = find_or_add(hosts, name);
    if (host == NULL || ++host->failed_starts < HOST_FAILED_STARTS)
        return 0;
    char text[HOST_REASON_SIZE];
    snprintf(text, sizeof text, "%d starts in a row failed, the last one: %.250s",
             HOST_FAILED_STARTS, reason);
    return hosts_leave_out(hosts, name, text);
}

void hosts_print_left_out(const struct hosts *hosts, char *text, int size)
{
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i < hosts->count; i++) {
        int length = (int)strlen(hosts->items[i].name) + (used > 0);
        if (!hosts->items[i].is_left_out || used + length >= size)
            continue;
        used += snprintf(text + used, (size_t)(size - used), "%s%s", used > 0 ? "," : "",
                         hosts->items[i].name);
    }
}
