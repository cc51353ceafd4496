/* Favourites of a run: creatures to which a person gave a name, as creature files
 * RUN_DIR/favourites/NAME.creature. RUN_DIR:NAME stands for such a file. */
#ifndef COMMON_STORE_FAVOURITES_H
#define COMMON_STORE_FAVOURITES_H

#include "common/creature/creature.h"

#define FAVOURITES_MAX 256

struct favourite {
    uint64_t id;
    char name[sizeof((struct creature *)NULL)->name];
};
/* Reads those of a run, in the order of their names, into an array of FAVOURITES_MAX. A file
 * that holds no creature is left out. Returns how many there are. */
int favourites_read(const char *run_directory, struct favourite *favourites);
/* Keeps a creature by a name of letters, digits, - and _, and gives it that name. ERR_EXISTS if
 * another one has it, ERR_USAGE if it is no such name or RUN_DIR:NAME means a creature by its rank
 * or number, ERR_LIMIT beyond FAVOURITES_MAX; a file of that name that cannot be read stays. */
int favourites_keep(const char *run_directory, struct creature *creature, const char *name,
                    struct error *error);
/* The path of a favourite RUN_DIR:NAME; `name` itself if there is none, or a file has that name. */
const char *favourites_find(const char *name, char *path, size_t size);

/* How people name a creature of a run: RUN_DIR:ID, RUN_DIR:best or RUN_DIR:first, wherever a
 * creature file may stand. */

/* The first in rank of the last complete generation. */
#define CREATURE_FIRST UINT64_MAX
/* The champion, which passed the exam; in a run without one as CREATURE_FIRST. */
#define CREATURE_BEST ((uint64_t)0)

/* A number from 1, "best" or "first". 0, or ERR_RANGE. */
int creature_id_from_text(const char *text, uint64_t *id);

/* 1 if `name` is of that form, and no file has it as a path: then the directory, and the id. */
int creature_name_split(const char *name, char *directory, size_t size, uint64_t *id);

#endif
