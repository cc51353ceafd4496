/* controller logs: the logs of a run's processes, merged in the order of time.
 *
 * A merge of some ten files, each in order of time by itself: of every file the next line is held,
 * the one with the earliest time goes out. A line without a time (a library's message, a damaged
 * line) belongs to the line before it. With --follow files are asked again for what was appended
 * since, and the directory for new ones, some times a second. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/rows.h"
#include "common/system/file.h"
#include "common/system/log.h"
#include "common/system/output.h"
#include "common/text.h"
#include "controller/commands/commands.h"
#include "controller/store/run_directory.h"

#define SOURCES_MAX  1100 /* farm.workers and the controller's */
#define NAME_SIZE    64
#define TIME_SIZE    32
#define FOLLOW_NS    200000000L
#define LINE_MAX_LOG 65536 /* longer lines are cut: nothing of ours is that long */

struct wanted {
    const char *directory;
    int64_t worker, task, creature; /* -1: all */
    int level;
    int is_following;
};

struct source {
    char name[NAME_SIZE]; /* "worker-01" */
    FILE *file;
    dev_t device; /* the file, which may get another name */
    ino_t inode;
    char *line;           /* the next one, without its end; NULL: none yet */
    char time[TIME_SIZE]; /* of it, or of the last line that had one */
};

struct reader {
    const struct wanted *wanted;
    char directory[RUN_PATH_SIZE]; /* of the logs */
    struct source sources[SOURCES_MAX];
    int count;
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* ---------------------------------------------------------------- lines */

/* The value of a field, up to the next blank, or NULL. The fields looked for are never quoted. */
static const char *find_value(const char *line, const char *key, size_t *length)
{
    size_t key_length = strlen(key);
    for (const char *at = line; (at = strstr(at, key)) != NULL; at += key_length)
        if ((at == line || at[-1] == ' ') && at[key_length] == '=') {
            const char *value = at + key_length + 1;
            *length = strcspn(value, " ");
            return value;
        }
    return NULL;
}

static int has_number(const char *line, const char *key, int64_t number)
{
    char text[24];
    size_t length;
    const char *value = find_value(line, key, &length);
    int needed = snprintf(text, sizeof text, "%" PRId64, number);
    return value && length == (size_t)needed && !strncmp(value, text, length);
}

static int level_of(const char *line)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    size_t length;
    const char *value = find_value(line, "level", &length);
    for (int i = 0; value && i < 4; i++)
        if (length == strlen(names[i]) && !strncmp(value, names[i], length))
            return i;
    return LOG_INFO;
}

static int is_wanted(const struct wanted *wanted, const char *line)
{
    return level_of(line) >= wanted->level &&
           (wanted->task < 0 || has_number(line, "task", wanted->task)) &&
           (wanted->creature < 0 || has_number(line, "creature", wanted->creature));
}

/* A line without its end, cut at LINE_MAX_LOG; 0 if there is none, or (is_following) no whole
 * one. */
static int read_line(FILE *file, int is_following, char line[LINE_MAX_LOG + 1])
{
    size_t used = 0;
    int c, has_any = 0;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        has_any = 1;
        if (used < LINE_MAX_LOG)
            line[used++] = (char)c;
    }
    line[used] = '\0';
    return c == '\n' || (has_any && !is_following);
}

/* Reads the source's next line, if there is a whole one, or its rest where nothing more will
 * come. */
static int source_fill(struct source *source, int is_following)
{
    static char line[LINE_MAX_LOG + 1];
    size_t length;
    if (source->line)
        return 1;
    long start = ftell(source->file);
    char *text = read_line(source->file, is_following, line) ? strdup(line) : NULL;
    if (!text) {
        fseek(source->file, start, SEEK_SET); /* also forgets the end of file */
        return 0;
    }
    text_clean(text, "");
    const char *value = find_value(text, "time", &length);
    if (value && length < TIME_SIZE)
        snprintf(source->time, sizeof source->time, "%.*s", (int)length, value);
    source->line = text;
    return 1;
}

/* ---------------------------------------------------------------- files */

/* The name without ".log", or 0 if the file is not one of a run's logs. */
static int parse_name(const char *file, char name[NAME_SIZE])
{
    size_t length = strlen(file);
    if (length < 5 || length - 4 >= NAME_SIZE || strcmp(file + length - 4, ".log"))
        return 0;
    snprintf(name, NAME_SIZE, "%.*s", (int)(length - 4), file);
    return !strcmp(name, "controller") || !strcmp(name, "controller.old") ||
           !strncmp(name, "worker-", 7);
}

/* By what it is, since a long log is put away under another name. */
static int reader_knows(const struct reader *reader, const char *file)
{
    char path[RUN_PATH_SIZE];
    struct stat info;
    struct error error;
    if (run_directory_path(reader->directory, file, path, &error) || lstat(path, &info))
        return 0;
    for (int i = 0; i < reader->count; i++)
        if (reader->sources[i].device == info.st_dev && reader->sources[i].inode == info.st_ino)
            return 1;
    return 0;
}

/* Logs that have been removed and are read to their end. */
static void reader_forget(struct reader *reader)
{
    for (int i = reader->count; i-- > 0;) {
        struct source *source = &reader->sources[i];
        struct stat info;
        if (source->line || fstat(fileno(source->file), &info) || info.st_nlink > 0)
            continue;
        fclose(source->file);
        memmove(source, source + 1, (size_t)(--reader->count - i) * sizeof *source);
    }
}

static int reader_add(struct reader *reader, const char *file, const char *name,
                      struct error *error)
{
    char path[RUN_PATH_SIZE];
    int descriptor;
    if (reader->count == SOURCES_MAX)
        return error_set(error, ERR_LIMIT, "%s: more than %d logs", reader->directory, SOURCES_MAX);
    int status = run_directory_path("logs", file, path, error);
    if (!status)
        status = file_open_within(reader->wanted->directory, path, O_RDONLY, &descriptor, error);
    if (status)
        return status;
    struct source *source = &reader->sources[reader->count];
    struct stat info;
    *source = (struct source){.file = fdopen(descriptor, "r")};
    if (!source->file || fstat(descriptor, &info))
        return error_set(error, ERR_IO, "%s/%s: %s", reader->directory, file, strerror(errno));
    source->device = info.st_dev;
    source->inode = info.st_ino;
    snprintf(source->name, sizeof source->name, "%s", name);
    reader->count++;
    return 0;
}

ROW_ORDER(compare_sources, struct source, strcmp(a->name, b->name));

/* Opens the logs that are there and not known yet; in order of their names, so that lines of the
 * same millisecond always come in the same order. */
static int reader_look(struct reader *reader, struct error *error)
{
    DIR *directory = opendir(reader->directory);
    if (!directory)
        return error_set(error, ERR_IO, "%s: %s", reader->directory, strerror(errno));
    reader_forget(reader);
    int status = 0, before = reader->count;
    for (struct dirent *entry; !status && (entry = readdir(directory)) != NULL;) {
        char name[NAME_SIZE];
        if (!parse_name(entry->d_name, name) || reader_knows(reader, entry->d_name))
            continue;
        int64_t number = strncmp(name, "worker-", 7) ? 0 : strtoll(name + 7, NULL, 10);
        if (reader->wanted->worker < 0 || reader->wanted->worker == number)
            status = reader_add(reader, entry->d_name, name, error);
    }
    closedir(directory);
    if (reader->count > before)
        qsort(reader->sources, (size_t)reader->count, sizeof reader->sources[0], compare_sources);
    return status;
}

/* ---------------------------------------------------------------- the merge */

/* Prints what is there now. */
static void reader_print(struct reader *reader)
{
    char name[4 * NAME_SIZE + 3];
    for (;;) {
        struct source *first = NULL;
        for (int i = 0; i < reader->count; i++) {
            struct source *source = &reader->sources[i];
            if (source_fill(source, reader->wanted->is_following) &&
                (!first || strcmp(source->time, first->time) < 0))
                first = source;
        }
        if (!first || is_interrupted)
            return;
        if (is_wanted(reader->wanted, first->line))
            output_print(stdout, "log=%s %s\n", log_quote(first->name, name, sizeof name),
                         first->line);
        free(first->line);
        first->line = NULL;
    }
}

static int print_logs(struct reader *reader, struct error *error)
{
    const struct wanted *wanted = reader->wanted;
    if (run_directory_check(wanted->directory, error) ||
        run_directory_path(wanted->directory, "logs", reader->directory, error) ||
        reader_look(reader, error))
        return error->code;
    if (reader->count == 0 && !wanted->is_following)
        return error_set(error, ERR_MISSING, "%s: there is no such log", reader->directory);
    reader_print(reader);
    while (wanted->is_following && !is_interrupted && !ferror(stdout)) {
        struct timespec pause = {0, FOLLOW_NS};
        output_flush();
        nanosleep(&pause, NULL);
        if (reader_look(reader, error))
            return error->code;
        reader_print(reader);
    }
    return 0;
}

/* ---------------------------------------------------------------- arguments */

static int show_logs(const char *directory, void *request, struct error *error)
{
    struct wanted *wanted = request;
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return error_memory(error);
    wanted->directory = directory;
    reader->wanted = wanted;
    if (wanted->is_following) {
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
    }
    int status = print_logs(reader, error);
    for (int i = 0; i < reader->count; i++) {
        fclose(reader->sources[i].file);
        free(reader->sources[i].line);
    }
    free(reader);
    return status;
}

static const struct option_row options[] = {
    {"worker", 0, "N", "only the log of worker N; 0: only the controller's",
     OPTION_AT(WHOLE, wanted, worker), .max = 1024},
    {"task", 0, "ID", "only lines about this task", OPTION_AT(WHOLE, wanted, task),
     .max = OPTION_WHOLE_MAX},
    {"creature", 0, "ID", "only lines about this creature", OPTION_AT(WHOLE, wanted, creature),
     .max = OPTION_WHOLE_MAX},
    {"level", 0, "debug|info|warn|error", "only this level and above",
     OPTION_AT(WORD, wanted, level)},
    {"follow", 0, NULL, "go on with what is appended, until interrupted",
     OPTION_AT(FLAG, wanted, is_following)},
    {.name = NULL}};
RUN_COMMAND(logs, show_logs,
            (&(struct wanted){.worker = -1, .task = -1, .creature = -1, .level = LOG_DEBUG}),
            "the logs of all processes, in the order of time", options,
            "Prints the logs of the controller and of all workers, merged in the order of time. "
            "Each line is preceded by the name of its log: log=worker-01.");
