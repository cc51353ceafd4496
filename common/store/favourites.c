#include "common/store/favourites.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "favourites"
#define SUFFIX ".creature"

static int is_creature(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), end = sizeof SUFFIX - 1;
    return length > end && !strcmp(entry->d_name + length - end, SUFFIX);
}

int favourites_read(const char *run_directory, struct favourite *favourites)
{
    char folder[4096], path[4096 + 256];
    struct dirent **entries;
    struct creature creature;
    struct error error;
    int found = 0;
    snprintf(folder, sizeof folder, "%s/" FOLDER, run_directory);
    int count = scandir(folder, &entries, is_creature, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%.255s", folder, entries[i]->d_name);
        if (found < FAVOURITES_MAX && !creature_read(&creature, path, &error)) {
            favourites[found].id = creature.id;
            snprintf(favourites[found++].name, sizeof creature.name, "%.*s",
                     (int)(strlen(entries[i]->d_name) - strlen(SUFFIX)), entries[i]->d_name);
            creature_deinit(&creature);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

/* ERR_EXISTS where the file at `path` holds another creature; its own error where it holds none. */
static int check_owner(const char *path, const char *name, uint64_t id, struct error *error)
{
    struct creature other;
    int status = access(path, F_OK) == 0 ? creature_read(&other, path, error) : ERR_MISSING;
    if (status)
        return status == ERR_MISSING ? 0 : status;
    uint64_t owner = other.id;
    creature_deinit(&other);
    return owner == id ? 0
                       : error_set(error, ERR_EXISTS,
                                   "creature %" PRIu64 " has the name %s already", owner, name);
}

int favourites_keep(const char *run_directory, struct creature *creature, const char *name,
                    struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    char path[4096 + 96];
    struct favourite favourites[FAVOURITES_MAX];
    uint64_t unused;
    size_t length = strspn(name, allowed);
    if (length == 0 || name[length] != '\0' || length >= sizeof creature->name ||
        !creature_id_from_text(name, &unused))
        return error_set(error, ERR_USAGE, "%.63s is no name", name);
    int used = snprintf(path, sizeof path, "%.4000s/" FOLDER, run_directory);
    mkdir(path, 0777);
    snprintf(path + used, sizeof path - (size_t)used, "/%s" SUFFIX, name);
    int status = check_owner(path, name, creature->id, error);
    if (status)
        return status;
    if (access(path, F_OK) != 0 && favourites_read(run_directory, favourites) == FAVOURITES_MAX)
        return error_set(error, ERR_LIMIT, "a run has at most %d favourites", FAVOURITES_MAX);
    snprintf(creature->name, sizeof creature->name, "%s", name);
    return creature_write(creature, path, 0, error);
}

const char *favourites_find(const char *name, char *path, size_t size)
{
    const char *colon = strrchr(name, ':');
    int length = colon ? snprintf(path, size, "%.*s/" FOLDER "/%s" SUFFIX, (int)(colon - name),
                                  name, colon + 1)
                       : -1;
    int is_there =
        length > 0 && (size_t)length < size && access(name, F_OK) != 0 && access(path, F_OK) == 0;
    return is_there ? path : name;
}

/* ---- names ---- */

int creature_id_from_text(const char *text, uint64_t *id)
{
    char *end;
    *id = strcmp(text, "first") ? CREATURE_BEST : CREATURE_FIRST;
    if (!strcmp(text, "best") || !strcmp(text, "first"))
        return 0;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < 1)
        return ERR_RANGE;
    *id = (uint64_t)number;
    return 0;
}

int creature_name_split(const char *name, char *directory, size_t size, uint64_t *id)
{
    const char *colon = strrchr(name, ':');
    size_t length = colon ? (size_t)(colon - name) : 0;
    if (length == 0 || length >= size || access(name, F_OK) == 0 ||
        creature_id_from_text(colon + 1, id))
        return 0;
    memcpy(directory, name, length);
    directory[length] = '\0';
    return 1;
}
