#include "common/store/favourites.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/store/creature_name.h"

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
            memcpy(favourites[found++].name, creature.name, sizeof creature.name);
            creature_deinit(&creature);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

int favourites_keep(const char *run_directory, struct creature *creature, const char *name,
                    struct error *error)
{
    char path[4096 + 96];
    struct creature other;
    uint64_t id = creature->id, unused;
    if (!creature_id_from_text(name, &unused))
        return error_set(error, ERR_USAGE, "%.63s is no name", name);
    int used = snprintf(path, sizeof path, "%.4000s/" FOLDER, run_directory);
    mkdir(path, 0777);
    snprintf(path + used, sizeof path - (size_t)used, "/%.63s" SUFFIX, name);
    if (access(path, F_OK) == 0 && creature_read(&other, path, error) == 0) {
        id = other.id;
        creature_deinit(&other);
    }
    if (id != creature->id)
        return error_set(error, ERR_EXISTS, "creature %llu has the name %.63s already",
                         (unsigned long long)id, name);
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
