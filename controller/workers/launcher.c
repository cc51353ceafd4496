/* The words of farm.launcher. They are separated by spaces and tabs; there are no quotes. */
#include "controller/workers/launcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/workers/farm.h"
#include "controller/workers/program.h"

#define SLURM_EXCLUDE "--exclude="

/* Unbuffered, since srun would wait for ends of lines; one task of one processor that shares its
 * job's nodes with others; the end of one does not end the others. */
static const char *const slurm_words[] = {
    "srun",       "--unbuffered",      "--exact",  "--nodes=1",
    "--ntasks=1", "--cpus-per-task=1", "--wait=0", "--kill-on-bad-exit=0",
};
enum { SLURM_WORD_COUNT = sizeof slurm_words / sizeof slurm_words[0] };

/* 1 if the name is a program that can be run: a path, or a name in PATH. */
static int has_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL || path == NULL)
        return access(name, X_OK) == 0;
    while (*path != '\0') {
        size_t length = strcspn(path, ":");
        char candidate[4096];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        if (access(candidate, X_OK) == 0)
            return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

static int is_first_word(const char *words, const char *name)
{
    words += strspn(words, " \t");
    return strcspn(words, " \t") == strlen(name) && strncmp(words, name, strlen(name)) == 0;
}

static int is_slurm(const char *words)
{
    return is_first_word(words, "slurm");
}

/* Cuts the words in place; their count, or ERR_* with a message. */
static int split(char *words, char *argv[LAUNCHER_WORDS_MAX], struct error *error)
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (count == LAUNCHER_WORDS_MAX)
            return error_set(error, ERR_LIMIT, "farm.launcher: more than %d words",
                             LAUNCHER_WORDS_MAX);
        argv[count++] = word;
    }
    const char *program = count > 0 && is_slurm(argv[0]) ? slurm_words[0] : argv[0];
    if (count > 0 && !has_program(program))
        return error_set(error, ERR_MISSING, "farm.launcher: program not found: %s", program);
    return count;
}

int launcher_check(const char *words, struct error *error)
{
    char *copy = strdup(words), *argv[LAUNCHER_WORDS_MAX];
    if (copy == NULL)
        return error_memory(error);
    int count = split(copy, argv, error);
    free(copy);
    return count < 0 ? count : 0;
}

/* A number of the environment, 0 if there is none. */
static int64_t environment_number(const char *name)
{
    const char *value = getenv(name);
    int64_t number = value != NULL ? strtoll(value, NULL, 10) : 0;
    return number > 0 ? number : 0;
}

int64_t launcher_memory_mb(const char *words, int64_t memory_mb)
{
    int64_t share_mb = environment_number("SLURM_MEM_PER_CPU");
    int64_t cpus = environment_number("SLURM_CPUS_ON_NODE");
    if (share_mb == 0 && cpus > 0)
        share_mb = environment_number("SLURM_MEM_PER_NODE") / cpus;
    if (!is_slurm(words) || share_mb == 0)
        return memory_mb;
    return memory_mb == 0 || share_mb < memory_mb ? share_mb : memory_mb;
}

int launcher_worker_count(const char *words)
{
    int64_t tasks = environment_number("SLURM_NTASKS");
    int64_t cores = program_core_count(), given = environment_number("SLURM_CPUS_ON_NODE");
    if (tasks > 0 && (is_first_word(words, "slurm") || is_first_word(words, "srun")))
        return tasks < FARM_WORKERS_MAX ? (int)tasks : FARM_WORKERS_MAX;
    return (int)(given > 0 && given < cores ? given : cores);
}

/* Puts srun and its options where the first word is. */
static void expand_slurm(struct launcher *launcher, int64_t memory_mb)
{
    int added = SLURM_WORD_COUNT - 1 + (memory_mb > 0);
    memmove(&launcher->argv[1 + added], &launcher->argv[1],
            (size_t)(launcher->word_count - 1) * sizeof launcher->argv[0]);
    for (int i = 0; i < SLURM_WORD_COUNT; i++)
        launcher->argv[i] = (char *)slurm_words[i];
    snprintf(launcher->memory, sizeof launcher->memory, "--mem-per-cpu=%" PRId64 "M", memory_mb);
    if (memory_mb > 0)
        launcher->argv[SLURM_WORD_COUNT] = launcher->memory;
    launcher->word_count += added;
    launcher->is_slurm = 1;
}

static void end_with(struct launcher *launcher, char *exclude)
{
    int count = launcher->word_count;
    if (exclude != NULL)
        launcher->argv[count++] = exclude;
    launcher->argv[count] = launcher->simulator_path;
    launcher->argv[count + 1] = NULL;
}

void launcher_leave_out(struct launcher *launcher, const char *hosts)
{
    snprintf(launcher->exclude, sizeof launcher->exclude, SLURM_EXCLUDE "%s", hosts);
    end_with(launcher, launcher->is_slurm && hosts[0] != '\0' ? launcher->exclude : NULL);
}

int launcher_init(struct launcher *launcher, const char *words, int64_t memory_mb,
                  const char *simulator_path, struct error *error)
{
    ENSURE(words && simulator_path[0] && memory_mb >= 0, "a worker of %lld MiB",
           (long long)memory_mb);
    *launcher = (struct launcher){.words = strdup(words), .simulator_path = strdup(simulator_path)};
    if (launcher->words == NULL || launcher->simulator_path == NULL)
        return error_memory(error);
    int count = split(launcher->words, launcher->argv, error);
    if (count < 0)
        return count;
    launcher->word_count = count;
    if (count > 0 && is_slurm(launcher->argv[0]))
        expand_slurm(launcher, memory_mb);
    end_with(launcher, NULL);
    if (count == 0 && !has_program(simulator_path))
        return error_set(error, ERR_MISSING, "simulator not found: %s", simulator_path);
    return 0;
}

void launcher_deinit(struct launcher *launcher)
{
    free(launcher->words);
    free(launcher->simulator_path);
    *launcher = (struct launcher){0};
}

/* ---- hosts: a list, since they are few and asked for at starts only ---- */

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
