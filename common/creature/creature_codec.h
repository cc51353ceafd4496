/* Shared by the files of the creature codec; private to common/creature. */
#ifndef COMMON_CREATURE_CREATURE_CODEC_H
#define COMMON_CREATURE_CREATURE_CODEC_H

#include "common/creature/creature.h"
#include "common/formats/file_kind.h"

/* Does a creature's file record this row of param_table? All that decide an evaluation (scope E),
 * and all by which its result is judged (J). */
int creature_records_param(int index);

/* The lowest version of the format that has all the creature has: files say that one. */
int creature_format_version(const struct creature *creature);

/* Decode into an initialised, empty creature. On error it may be half filled: the caller empties
 * it. Messages name the place in the file, not the file. */
int creature_decode_binary(struct creature *creature, const void *bytes, size_t length,
                           struct error *error);
int creature_decode_json(struct creature *creature, const char *text, size_t length,
                         struct error *error);

/* The rows for which is_wanted(row) is not 0 (NULL: all), and which differ from `base` (unless that
 * is NULL), as a map key -> value. */
void params_encode_rows(const struct params *params, int (*is_wanted)(int index),
                        const struct params *base, struct pack_writer *writer);

#endif
