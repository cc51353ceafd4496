/* Creature files: a genome with, where known, the evaluation that made its name.
 *
 * Two forms of one schema (docs/creature-format.md): MessagePack with a checksum, and JSON that one
 * may write by hand. creature_read() takes either. Untrusted: every size, index and range is
 * checked before use, and an error names the file and the place in it. */
#ifndef COMMON_CREATURE_CREATURE_H
#define COMMON_CREATURE_CREATURE_H

#include "common/genome/genome.h"
#include "common/genome/sensor.h"
#include "common/judge/measures.h"
#include "common/creature/packed_bytes.h"
#include "common/params/params.h"

#define CREATURE_FILE_BYTES_MAX (4 << 20)
#define CREATURE_MUTATIONS_SIZE 1024 /* of the words; longer lists are cut */

struct creature {
    char name[64];
    char note[256];
    struct genome genome;
    /* where it comes from; 0 or empty = not known */
    uint64_t id, parents[2];
    int64_t generation;
    char method[16];                         /* random, asexual, crossover, graft, hand */
    char mutations[CREATURE_MUTATIONS_SIZE]; /* in words */
    int is_champion; /* it passed the exam of its run; known of creatures in a run store only */
    /* its evaluation, if has_evaluation */
    int has_evaluation;
    struct params params;
    struct params_remark remark; /* on the parameters, by the reader */
    uint64_t seed;
    int verdict;
    double fitness;
    struct measures measures;
    uint64_t digest;
    uint64_t genome_hash; /* of the genome that was evaluated */
    int simulator_version;
};

void creature_init(struct creature *creature);
void creature_deinit(struct creature *creature);

/* Reads a creature file of either form, or the example of that name. On error the creature is left initialised and empty. This
 * and what else reads, writes or prints is in creature_file.c. */
int creature_read(struct creature *creature, const char *name, struct error *error);
/* Reads likewise, to see one thing where it saw another, if that is given (genome_see_instead()).
 * Tells people on stderr, in a line of `program`, if the creature stays as it is. */
int creature_read_exchanged(struct creature *creature, const char *path,
                            const struct sight_exchange *see, const char *program,
                            struct error *error);
/* Tells people on stderr, in one line, what of its genes the parameters switch off, if anything. */
void creature_tell_switches(const struct creature *creature, const struct params *params,
                            const char *program, const char *path);
/* Reads a creature from memory, as creature_read() does; `name` stands for the path in messages. */
int creature_decode(struct creature *creature, const void *bytes, size_t length, const char *name,
                    struct error *error);

/* How it is simulated again: by the parameters of a file, or (NULL) of its evaluation, or by the
 * defaults where it has neither, and then by `count` assignments section.key=value. They are not
 * checked against one another. */
int creature_choose_params(const struct creature *creature, const char *params_path,
                           const char *const *assignments, int count, struct params *params,
                           struct error *error);
/* The seed of its evaluation; else the one that a run of these parameters gives its id. */
uint64_t creature_choose_seed(const struct creature *creature, const struct params *params);

/* Writes `path` by way of a temporary file and rename, so that no half file ever stands there. */
int creature_write(const struct creature *creature, const char *path, int is_text,
                   struct error *error);
/* Binary form into `writer`, or JSON text as a malloc'ed string (NULL: out of memory). */
void creature_encode(const struct creature *creature, struct pack_writer *writer);
char *creature_to_json(const struct creature *creature);

/* The genome alone, flat, as it travels in messages and lies in the run store. genome_decode()
 * initialises `genome`, checks it with genome_check() and leaves it empty on error; `object` is an
 * element of a message. */
void genome_encode(const struct genome *genome, struct pack_writer *writer);
int genome_decode(struct genome *genome, const msgpack_object *object, struct error *error);
/* The same as a field of a form (common/formats/pack_fields.h). */
struct pack_fields;
void genome_visit(struct pack_fields *fields, const char *name, struct genome *genome);
/* Those bytes, kept for callers that need them more than once. `packed` must be empty; `scratch` is
 * written over. 0, or ERR_MEMORY, and it stays empty. */
int genome_pack(struct packed_bytes *packed, const struct genome *genome,
                struct pack_writer *scratch);
/* Decodes bytes that hold exactly one genome. */
int genome_decode_bytes(struct genome *genome, const void *bytes, size_t length,
                        struct error *error);

/* Measures as an array of doubles in table order (NaN is refused when read). */
void measures_encode(const struct measures *measures, struct pack_writer *writer);
int measures_decode(struct measures *measures, const msgpack_object *object, struct error *error);

/* Those of a creature's file that params_decode() would not find without them; not the preset, which
 * acts through others. */
void params_encode_changed(const struct params *params, struct pack_writer *writer);
/* Parameters of scope 'E' (or all, if is_all) as a map key -> value. Unknown keys are errors;
 * missing ones keep their defaults. */
void params_encode(const struct params *params, int is_all, struct pack_writer *writer);
int params_decode(struct params *params, const msgpack_object *object, struct params_remark *remark,
                  struct error *error);

#endif
