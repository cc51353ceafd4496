#include "common/store/creature_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int creature_fail_missing(const char *path, uint64_t id, struct error *error)
{
    return id == CREATURE_BEST || id == CREATURE_FIRST
               ? error_set(error, ERR_MISSING, "%s: no generation is complete yet", path)
               : error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, path, id);
}
