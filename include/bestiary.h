/* libbestiary: virtual creatures that move the same, bit for bit, on every machine.
 *
 *     #include <bestiary.h>            cc embed.c $(pkg-config --cflags --libs bestiary)
 *
 * Parameters, creatures (a genome, and the record of its evaluation), lives (an evaluation tick by
 * tick), worlds (a preserve, epoch by epoch) and searches (evolution by ask and tell). Each is made
 * by a function that sets a pointer, to NULL on error, and freed by ..._free, which takes NULL. All
 * else is numbers and bytes.
 *
 * A function that can fail returns 0 or a BESTIARY_ERROR_*, and leaves one line of text in `error`,
 * which may be NULL. The library has no variables, reads no file, clock or environment, and starts
 * no thread (jansson, which reads JSON for it, takes a seed from /dev/urandom once). Numbers are
 * texts of the C locale: LC_NUMERIC must stay "C", as it is unless a program calls setlocale(). The
 * library does not end the process for anything that it is given; a bug in it, an invariant that
 * does not hold, prints a line on standard error and calls abort(). Different objects may be used
 * by different threads at once, one object by one at a time. SI units; x to the right, y up.
 *
 * Fields and enumerators are added at the end only, fields with a new symbol version. */
#ifndef BESTIARY_H
#define BESTIARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BESTIARY_API __attribute__((visibility("default")))

enum {
    BESTIARY_ERROR_MEMORY = -1,
    BESTIARY_ERROR_FORMAT = -3,  /* malformed bytes or text */
    BESTIARY_ERROR_VERSION = -4, /* of a later version */
    BESTIARY_ERROR_RANGE = -5,
    BESTIARY_ERROR_UNKNOWN = -6, /* no such name */
    BESTIARY_ERROR_MISSING = -7,
    BESTIARY_ERROR_LIMIT = -9,
    BESTIARY_ERROR_USAGE = -11
};
struct bestiary_error {
    int code;
    char message[480]; /* UTF-8, without control characters */
};

struct bestiary_params;
struct bestiary_creature;
struct bestiary_life;
struct bestiary_world;
struct bestiary_search;

/* Bytes that a function made, for bestiary_bytes_free(). */
struct bestiary_bytes {
    unsigned char *data;
    size_t length;
};
BESTIARY_API void bestiary_bytes_free(struct bestiary_bytes *bytes);

/* ---- the library ---- */

/* "0.35.0", and the version of the simulator (may be NULL): digests of equal ones compare. */
BESTIARY_API const char *bestiary_version(int *simulator_version);
/* A hash of three built-in lives: machines with equal ones give equal digests. 0: out of memory. */
BESTIARY_API uint64_t bestiary_fingerprint(void);
/* The names of measures and of a world's facts, by their place; NULL: there are no more. */
BESTIARY_API const char *bestiary_measure_name(int index);
BESTIARY_API const char *bestiary_fact_name(int index);

/* ---- parameters ---- */

/* The defaults, changed by the text of an INI file (NULL: by nothing). */
BESTIARY_API int bestiary_params_make(struct bestiary_params **params, const char *ini,
                                      struct bestiary_error *error);
/* Those of a creature's record; the defaults where it has none. */
BESTIARY_API int bestiary_params_of(struct bestiary_params **params,
                                    const struct bestiary_creature *creature,
                                    struct bestiary_error *error);
/* Sets one, "world.gravity_m_s2" say, from text; gets it as text that sets it exactly. */
BESTIARY_API int bestiary_params_set(struct bestiary_params *params, const char *key,
                                     const char *value, struct bestiary_error *error);
BESTIARY_API int bestiary_params_get(const struct bestiary_params *params, const char *key,
                                     char *value, size_t size, struct bestiary_error *error);
BESTIARY_API void bestiary_params_free(struct bestiary_params *params);

/* ---- creatures ---- */

/* Reads a creature file, binary or JSON. The bytes are untrusted: everything is checked. */
BESTIARY_API int bestiary_creature_read(struct bestiary_creature **creature, const void *bytes,
                                        size_t length, struct bestiary_error *error);
/* A random creature of the kind creature.body. Equal seeds make equal creatures. */
BESTIARY_API int bestiary_creature_random(struct bestiary_creature **creature,
                                          const struct bestiary_params *params, uint64_t seed,
                                          struct bestiary_error *error);
/* A child of one parent (b is NULL) or of two, by crossover or graft; then `mutations` mutations,
 * or (-1) as many as a run would draw. Equal seeds make equal children. */
BESTIARY_API int bestiary_creature_breed(struct bestiary_creature **child,
                                         const struct bestiary_creature *a,
                                         const struct bestiary_creature *b, int is_graft,
                                         int mutations, const struct bestiary_params *params,
                                         uint64_t seed, struct bestiary_error *error);
enum bestiary_form { BESTIARY_BINARY, BESTIARY_JSON };
BESTIARY_API int bestiary_creature_write(const struct bestiary_creature *creature,
                                         enum bestiary_form form, struct bestiary_bytes *bytes,
                                         struct bestiary_error *error);
struct bestiary_record {
    uint64_t id, seed, digest;
    int verdict; /* 0: ok */
    int simulator_version;
    double fitness;
};
/* The record of its evaluation. BESTIARY_ERROR_MISSING: it has none; seed is 1 then, all else 0. */
BESTIARY_API int bestiary_creature_record(const struct bestiary_creature *creature,
                                          struct bestiary_record *record);
BESTIARY_API void bestiary_creature_free(struct bestiary_creature *creature);

/* ---- evaluations and contests ---- */

enum bestiary_status {
    BESTIARY_VERIFIED,      /* it is what the creature's record says */
    BESTIARY_DIFFERS,       /* it is not */
    BESTIARY_UNRECORDED,    /* no record, or one by other parameters or another seed */
    BESTIARY_OTHER_VERSION, /* it is not; the record is another simulator's */
    BESTIARY_REFUSED,       /* it is, but for the fitness: a referee took that */
    BESTIARY_CHANGED        /* a life that was steered or whose world was changed */
};
struct bestiary_result {
    int verdict;
    enum bestiary_status status;
    uint64_t digest;
    double fitness;
    char words[160]; /* on the status, or the verdict's reason */
};
BESTIARY_API int bestiary_evaluate(const struct bestiary_creature *creature,
                                   const struct bestiary_params *params, uint64_t seed,
                                   struct bestiary_result *result, struct bestiary_error *error);
/* The same, and makes the evaluation the creature's record, in place of the one that it has. */
BESTIARY_API int bestiary_record(struct bestiary_creature *creature,
                                 const struct bestiary_params *params, uint64_t seed,
                                 struct bestiary_result *result, struct bestiary_error *error);
/* All bouts of two creatures: the first one's margin, -1 .. 1. */
BESTIARY_API int bestiary_contest(const struct bestiary_creature *a,
                                  const struct bestiary_creature *b,
                                  const struct bestiary_params *params, double *margin,
                                  uint64_t *digest, struct bestiary_error *error);

/* ---- lives ---- */

/* An evaluation that stands at its start, grown and settled. The creature must outlive it. It takes
 * 64 MB of addresses, and it touches some 0.3 MB of them. */
BESTIARY_API int bestiary_life_make(struct bestiary_life **life,
                                    const struct bestiary_creature *creature,
                                    const struct bestiary_params *params, uint64_t seed,
                                    struct bestiary_error *error);
/* Up to `ticks` brain ticks. Returns how many there were; fewer: it has ended. */
BESTIARY_API int bestiary_life_tick(struct bestiary_life *life, int ticks);
/* The result if it ended now; it may go on. */
BESTIARY_API int bestiary_life_result(struct bestiary_life *life, struct bestiary_result *result,
                                      struct bestiary_error *error);
/* Numbers of a life, in rows. */
enum bestiary_read {
    BESTIARY_TIME,      /* time, s; length of a tick, s; 1 while it goes on */
    BESTIARY_CENTRE,    /* centre of mass: x y z */
    BESTIARY_LIGHT,     /* where it is: x y z */
    BESTIARY_PARTS,     /* a part: parent or -1, mass in kg, mirror: 1 or -1 */
    BESTIARY_SHAPES,    /* a shape: kind, part, place in its frame (3), turn (4), half sides (3) */
    BESTIARY_POSES,     /* a part: place (3), turn: w x y z */
    BESTIARY_MOTIONS,   /* a part: velocity (3), spin (3) */
    BESTIARY_DRIVES,    /* a drive: value, rate, effort, lower, upper, strength */
    BESTIARY_EFFECTORS, /* an effector: signal, least, most, drive */
    BESTIARY_NEURONS,   /* a neuron: its output */
    BESTIARY_SENSORS,   /* a part: its sensors */
    BESTIARY_CONTACTS,  /* a contact: place (3), normal (3), impulse, part, other part or -1 .. */
    BESTIARY_LEDGER, /* energies, J: kinetic, potential, at the start, work, positive work; lost to
                           friction, impacts, limits, drag, damping; unearned, mended, residual */
    BESTIARY_MEASURES, /* as bestiary_measure_name() */
    /* for a learner, in the frame of the root: up (3), velocity (3), spin (3), way to the light (3,
       0 where there is none); the root's height; a drive: value, rate */
    BESTIARY_OBSERVATION,
    BESTIARY_READS
};
/* Writes at most `size` numbers, and returns how many there are; 0: it never had a body. `values`
 * may be NULL. */
BESTIARY_API int bestiary_life_read(const struct bestiary_life *life, enum bestiary_read what,
                                    double *values, int size);
/* Signals of all effectors from now on, instead of the brain's; NULL: the brain's again. */
BESTIARY_API int bestiary_life_steer(struct bestiary_life *life, const double *signals, int count,
                                     struct bestiary_error *error);
/* A step of `count` lives, whose bodies may differ: each goes on for up to `ticks` brain ticks.
 * Signals: a row of `width` numbers a life, -1 .. 1 from an effector's least to its most; a body with
 * fewer effectors takes the first ones, further effectors rest in the middle; NULL: as the lives are
 * steered. Writes of each life as it is then `size` numbers of BESTIARY_OBSERVATION, with zeros after
 * its last, its centre of mass (3), and whether it goes on (1 or 0). */
struct bestiary_step {
    const double *signals;
    int width, size, ticks;
    double *observations, *centres;
    unsigned char *is_live;
};
BESTIARY_API int bestiary_lives_step(struct bestiary_life *const *lives, int count,
                                     const struct bestiary_step *step,
                                     struct bestiary_error *error);
/* Changes a parameter of the section `world` from now on. Energy guards begin anew. */
BESTIARY_API int bestiary_life_change(struct bestiary_life *life, const char *key,
                                      const char *value, struct bestiary_error *error);
/* A snapshot, of some 0.3 MB, for this life alone. Put back, it goes on to the same bits. */
BESTIARY_API int bestiary_life_save(const struct bestiary_life *life,
                                    struct bestiary_bytes *snapshot, struct bestiary_error *error);
BESTIARY_API int bestiary_life_restore(struct bestiary_life *life,
                                       const struct bestiary_bytes *snapshot,
                                       struct bestiary_error *error);
BESTIARY_API void bestiary_life_free(struct bestiary_life *life);

/* ---- worlds ---- */

/* A preserve that is founded by copies and mutants of `count` creatures. */
BESTIARY_API int bestiary_world_found(struct bestiary_world **world,
                                      const struct bestiary_params *params, uint64_t seed,
                                      const struct bestiary_creature *const *founders, int count,
                                      struct bestiary_error *error);
/* One that bestiary_world_write() wrote. The bytes are untrusted. */
BESTIARY_API int bestiary_world_read(struct bestiary_world **world,
                                     const struct bestiary_params *params, const void *bytes,
                                     size_t length, struct bestiary_error *error);
/* Lives through an epoch of 30 s. */
BESTIARY_API int bestiary_world_live(struct bestiary_world *world, struct bestiary_error *error);
BESTIARY_API int bestiary_world_write(const struct bestiary_world *world,
                                      struct bestiary_bytes *bytes, struct bestiary_error *error);
/* Its digest, and at most `size` of its facts, as bestiary_fact_name(). */
BESTIARY_API uint64_t bestiary_world_facts(const struct bestiary_world *world, int64_t *facts,
                                           int size);
/* Living creature number `index`, from 0, in the order of birth. */
BESTIARY_API int bestiary_world_creature(const struct bestiary_world *world, int index,
                                         struct bestiary_creature **creature,
                                         struct bestiary_error *error);
BESTIARY_API void bestiary_world_free(struct bestiary_world *world);

/* ---- evolution ---- */

/* Generation 0 of a run; not of contests, preserves or choices by hand. It keeps all creatures. */
BESTIARY_API int bestiary_search_make(struct bestiary_search **search,
                                      const struct bestiary_params *params,
                                      struct bestiary_error *error);
/* The next task, for bestiary_task() anywhere; of length 0: none before the next result. */
BESTIARY_API int bestiary_search_ask(struct bestiary_search *search, struct bestiary_bytes *task,
                                     struct bestiary_error *error);
/* Does a task, by the parameters of the search: a pure function. The bytes are untrusted. */
BESTIARY_API int bestiary_task(const struct bestiary_params *params, const void *task,
                               size_t length, struct bestiary_bytes *result,
                               struct bestiary_error *error);
/* Takes the result of a task that was asked for; their order decides nothing. */
BESTIARY_API int bestiary_search_tell(struct bestiary_search *search, const void *result,
                                      size_t length, struct bestiary_error *error);
struct bestiary_progress {
    uint32_t generation; /* the one under way */
    int done, needed;    /* results of it */
    double best, median; /* of the last complete one */
    int is_finished;
    uint64_t evaluations;
};
BESTIARY_API void bestiary_search_progress(const struct bestiary_search *search,
                                           struct bestiary_progress *progress);
/* The creature of a rank, from 0, of the last complete generation: its first ten. */
BESTIARY_API int bestiary_search_creature(const struct bestiary_search *search, int rank,
                                          struct bestiary_creature **creature,
                                          struct bestiary_error *error);
/* The first parent of that creature, with the evaluation it had last; BESTIARY_ERROR_MISSING: the
 * creature has no parent. */
BESTIARY_API int bestiary_search_parent(const struct bestiary_search *search, int rank,
                                        struct bestiary_creature **creature,
                                        struct bestiary_error *error);
/* The digest that `controller digest` has for such a run; 0 until it is finished. */
BESTIARY_API uint64_t bestiary_search_digest(const struct bestiary_search *search);
BESTIARY_API void bestiary_search_free(struct bestiary_search *search);

#ifdef __cplusplus
}
#endif

#endif
