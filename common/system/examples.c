#include "common/system/examples.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/text.h"

#define BYTES_MAX (1 << 20)
#define PATH_SIZE 4096

/* Their folder: of the tree that this program was built in, or installed with it. ERR_MISSING. */
static int examples_find_folder(char *folder, size_t size, struct error *error)
{
    /* installed; build/bin; build/VARIANT/bin and build/tests/unit; build/VARIANT/tests/unit */
    static const char *const places[] = {"/../share/bestiary/examples", "/../../examples",
                                         "/../../../examples", "/../../../../examples"};
    char self[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        int written = snprintf(folder, size, "%.*s%s", (int)(slash - self), self, places[i]);
        if (written < (int)size && access(folder, R_OK) == 0)
            return 0;
    }
    return error_set(error, ERR_MISSING, "the folder of the examples is not there");
}

enum { SUFFIXES_MAX = 2 };
static const struct example_place {
    const char *room, *suffixes[SUFFIXES_MAX]; /* room: below the folder of the examples */
    const char *noun, *advice;
} example_places[] = {
    [EXAMPLE_PARAMS] = {"", {".ini"}, "example", "; see 'controller examples'"},
    [EXAMPLE_CREATURE] = {"creatures/", {".json", ".creature"}, "example of that name", ""},
};

/* Takes the ending of an example off; 0 if the name has another one. */
static int cut_suffix(enum example_kind kind, char *name)
{
    for (int i = 0; i < SUFFIXES_MAX && example_places[kind].suffixes[i]; i++) {
        const char *suffix = example_places[kind].suffixes[i];
        size_t length = strlen(name), tail = strlen(suffix);
        if (length <= tail || strcmp(name + length - tail, suffix) != 0)
            continue;
        name[length - tail] = '\0';
        return 1;
    }
    return 0;
}

/* The file of an example; 0 if there is none, or its path does not fit. */
static int find_path(enum example_kind kind, const char *folder, const char *name, char *path,
                     size_t size)
{
    const struct example_place *place = &example_places[kind];
    for (int i = 0; i < SUFFIXES_MAX && place->suffixes[i]; i++) {
        int written =
            snprintf(path, size, "%s/%s%s%s", folder, place->room, name, place->suffixes[i]);
        if (written > 0 && (size_t)written < size && access(path, R_OK) == 0)
            return 1;
    }
    return 0;
}

/* The names in the folder, sorted; each and the array are freed by the caller. A count, or
 * ERR_*. */
static int list_names(enum example_kind kind, const char *folder, struct dirent ***names,
                      struct error *error)
{
    char room[PATH_SIZE + 16];
    snprintf(room, sizeof room, "%s/%s", folder, example_places[kind].room);
    int all = scandir(room, names, NULL, alphasort), count = 0;
    if (all < 0)
        return error_set(error, ERR_IO, "%s: %s", room, strerror(errno));
    for (int i = 0; i < all; i++)
        if (cut_suffix(kind, (*names)[i]->d_name))
            (*names)[count++] = (*names)[i];
        else
            free((*names)[i]);
    return count;
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Neither a file nor an example. */
static int fail_missing(enum example_kind kind, const char *name, const char *folder,
                        struct error *error)
{
    struct dirent **names;
    char typed[64], suggestion[TEXT_SUGGESTION_SIZE];
    const char *slash = strrchr(name, '/'), *meant = NULL;
    int count = list_names(kind, folder, &names, error);
    if (count < 0)
        return count;
    snprintf(typed, sizeof typed, "%s", slash ? slash + 1 : name);
    cut_suffix(kind, typed);
    for (int i = 0; i < count; i++)
        meant = text_nearer(typed, names[i]->d_name, meant);
    error_set(error, ERR_MISSING, "%s: No such file or directory, and no %s%s%s", name,
              example_places[kind].noun, text_suggest(meant, suggestion),
              example_places[kind].advice);
    free_names(names, count);
    return ERR_MISSING;
}

int example_find(enum example_kind kind, const char *name, char *path, size_t size,
                 struct error *error)
{
    char folder[PATH_SIZE];
    int is_file = access(name, F_OK) == 0 || errno != ENOENT;
    if (is_file || examples_find_folder(folder, sizeof folder, error)) {
        snprintf(path, size, "%s", name);
        return 0;
    }
    int is_found = !strchr(name, '/') && find_path(kind, folder, name, path, size);
    return is_found ? 0 : fail_missing(kind, name, folder, error);
}

/* The comment at the beginning of a file, cut off there. */
static void cut_comment(char *text)
{
    char *end = text;
    while (*end == ';' || *end == '#')
        end += strcspn(end, "\n") + (strchr(end, '\n') != NULL);
    *end = '\0';
}

int examples_each(void (*take)(void *context, const char *name, const char *comment), void *context,
                  struct error *error)
{
    struct dirent **names;
    char folder[PATH_SIZE], path[PATH_SIZE], *text;
    size_t length;
    int status = examples_find_folder(folder, sizeof folder, error);
    int count = status ? status : list_names(EXAMPLE_PARAMS, folder, &names, error);
    if (count < 0)
        return count;
    for (int i = 0; i < count && !status; i++) {
        if (!find_path(EXAMPLE_PARAMS, folder, names[i]->d_name, path, sizeof path))
            continue;
        status = file_read(path, BYTES_MAX, &text, &length, error);
        if (status)
            break;
        cut_comment(text);
        take(context, names[i]->d_name, text);
        free(text);
    }
    free_names(names, count);
    return status;
}
