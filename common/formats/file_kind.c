#include "common/formats/file_kind.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"

#define BYTES_MAX   (4 << 20)
#define PATH_SIZE   4096
#define STORE_NAME  "run.db"
#define STORE_MAGIC "SQLite format 3"
#define BINARY_START                                                                               \
    "\x84\xa6"                                                                                     \
    "format" /* a map of four, and its first key */

static const struct {
    const char *name, *command;
} kinds[FILE_KIND_COUNT] = {
    [FILE_RUN] = {"a run", "controller view"},
    [FILE_STORE] = {"the store of a run", "controller view"},
    [FILE_OF_RUN] = {"a creature of a run", "controller evaluate"},
    [FILE_PARAMS] = {"a parameter file", "controller run"},
    [FILE_CREATURE] = {"a creature", "viewer"},
    [FILE_SCENE] = {"a scene in the plane", "simulator scene"},
    [FILE_SPACE_SCENE] = {"a scene in space", "simulator scene"},
};

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum file_kind kind_of_json(const char *text, size_t length)
{
    enum file_kind kind = FILE_UNKNOWN;
    json_t *top = json_loadb(text, length, 0, NULL);
    const char *format = json_string_value(json_object_get(top, "format"));
    if (format && !strcmp(format, CREATURE_FORMAT_NAME))
        kind = FILE_CREATURE;
    else if (json_number_value(json_object_get(top, "dimensions")) == 3)
        kind = FILE_SPACE_SCENE;
    else if (json_object_get(top, "scene"))
        kind = FILE_SCENE;
    json_decref(top);
    return kind;
}

/* The first line that is neither empty nor a comment is a section or an assignment. */
static int is_params(const char *text)
{
    text += strspn(text, " \t\r\n");
    while (*text == ';' || *text == '#') {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    const char *name = *text == '[' ? text + 1 : text;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.");
    const char *end = name + length + strspn(name + length, " \t");
    return length > 0 && *end && strchr(name > text ? "]" : "=:", *end);
}

static enum file_kind kind_of_bytes(const char *bytes, size_t length)
{
    if (begins(bytes, STORE_MAGIC))
        return FILE_STORE;
    if (begins(bytes, BINARY_START))
        return FILE_CREATURE;
    if (bytes[strspn(bytes, " \t\r\n")] == '{')
        return kind_of_json(bytes, length);
    return is_params(bytes) ? FILE_PARAMS : FILE_UNKNOWN;
}

static int is_run(const char *directory, int length)
{
    char path[PATH_SIZE];
    return snprintf(path, sizeof path, "%.*s/" STORE_NAME, length, directory) < PATH_SIZE &&
           access(path, F_OK) == 0;
}

enum file_kind file_kind_of(const char *path)
{
    struct stat info;
    struct error ignored;
    char *bytes;
    size_t length;
    const char *colon = strrchr(path, ':');
    if (stat(path, &info))
        return colon && is_run(path, (int)(colon - path)) ? FILE_OF_RUN : FILE_UNKNOWN;
    if (S_ISDIR(info.st_mode))
        return is_run(path, (int)strlen(path)) ? FILE_RUN : FILE_UNKNOWN;
    if (!S_ISREG(info.st_mode) || file_read(path, BYTES_MAX, &bytes, &length, &ignored))
        return FILE_UNKNOWN;
    enum file_kind kind = kind_of_bytes(bytes, length);
    free(bytes);
    return kind;
}

/* How much of a path is typed behind the command: of a store's its directory. */
static int typed_length(const char *path, enum file_kind kind)
{
    const char *slash = strrchr(path, '/');
    return (int)(kind == FILE_STORE && slash ? (size_t)(slash - path) : strlen(path));
}

int file_kind_explain(const char *path, enum file_kind wanted, struct error *error)
{
    enum file_kind kind = file_kind_of(path);
    if (kind == FILE_UNKNOWN || kind == wanted)
        return error->code;
    return error_set(error, error->code, "%s: this is %s, not %s (try: %s %.*s)", path,
                     kinds[kind].name, kinds[wanted].name, kinds[kind].command,
                     typed_length(path, kind), path);
}

int file_kind_check_order(const char *creature, const char *params, struct error *error)
{
    if (!params || file_kind_of(creature) != FILE_PARAMS || file_kind_of(params) != FILE_CREATURE)
        return 0;
    return error_set(error, ERR_USAGE, "the creature stands first: %s %s", params, creature);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

const char *file_kind_list_runs(const char *folder, char *text, size_t size)
{
    struct dirent **names;
    char path[PATH_SIZE];
    int count = scandir(folder, &names, is_visible, alphasort), found = 0;
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        size_t used = strlen(text);
        if (length < (int)sizeof path && file_kind_of(path) == FILE_RUN &&
            used + strlen(path) + 32 < size)
            snprintf(text + used, size - used, "%s%s", found++ ? ", " : "; runs in it: ", path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return text;
}
