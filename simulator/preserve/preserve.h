/* A preserve: a closed water in which creatures eat, are eaten, breed and die, and energy adds up.
 *
 * Light falls in from above and feeds plants, which stand on a grid. Each creature has a reserve,
 * which food fills; upkeep and the work of muscles take from it; a creature with enough of it lays
 * an egg. Hunger, age, mouths and guards kill, and leave a carcass, which sinks, is eaten, and
 * rots. All laws and their constants are in docs/preserve.md. Bodies are rectangles, which move,
 * touch and push by the physics of every evaluation; beyond the water's banks they are pushed back.
 *
 * An epoch is a pure function of the state and the parameters: equal states, equal bits. */
#ifndef SIMULATOR_PRESERVE_PRESERVE_H
#define SIMULATOR_PRESERVE_PRESERVE_H

#include "simulator/evaluate/evaluate.h"
#include "simulator/preserve/preserve_state.h"

/* Bodies of an epoch; their meetings take half as much. */
#define PRESERVE_ARENA_BYTES (512u << 20)

struct preserve_memory {
    struct arena bodies, meeting, probe;
    uint64_t work;   /* operations of what was tried in `probe` and is not booked yet */
    double work_max; /* of an epoch, in operations; 1e12, some 300 s: a hundred creatures in a water
                        of the default size take a hundredth, two hundred in a third of it a tenth */
};
/* ERR_MEMORY, and nothing is taken. */
int preserve_memory_init(struct preserve_memory *memory);
/* The same with so many bytes for bodies, and half as many for what lets them meet: an epoch that
 * needs more ends with ERR_MEMORY. */
int preserve_memory_init_of(struct preserve_memory *memory, size_t bodies_bytes);
void preserve_memory_deinit(struct preserve_memory *memory);

/* Events in it. */
/* PRESERVE_PREYED: a creature ate of the living for the first time. */
enum preserve_event_kind { PRESERVE_LAID, PRESERVE_HATCHED, PRESERVE_PREYED, PRESERVE_DIED };
struct preserve_event {
    enum preserve_event_kind kind;
    int64_t tick;
    const struct creature_state *creature;
    int cause;                         /* of a death: DEATH_* */
    int verdict;                       /* of a death by a guard */
    double x_m, y_m;                   /* where */
    double area_m2;                    /* of its body; 0 as long as it is an egg */
    const struct phenotype *phenotype; /* NULL: it is an egg, or was removed */
};

/* In the first part that grew of a body gene that has one. */
struct preserve_mouth {
    int part, kind; /* enum mouth */
    double width_m; /* the shorter side of the part */
    struct vec3 at; /* the part's middle */
    int touched;    /* another one, by number, that its part touches now; -1 */
    int is_eating;  /* in this tick: FOOD_*, or -1 */
};

/* One of the living, for viewers. */
struct preserve_view {
    const struct creature_state *creature;
    const struct phenotype *phenotype;
    const struct dynamics *dynamics;
    const struct preserve_mouth *mouths;
    int mouth_count;
    double fullness; /* reserve, by the most that it can hold */
};

struct preserve_watcher {
    void (*hear)(void *context, const struct preserve_event *event); /* may be NULL */
    /* After every tick; other than 0: the epoch ends here. May be NULL. */
    int (*look)(void *context, const struct preserve_state *state,
                const struct preserve_view *views, int count, double daylight);
    /* Tells whose body or mind is in hand from now on; may be NULL. */
    void (*busy)(void *context, uint64_t id);
    /* Hears of a deed that came to nothing, and why; may be NULL. */
    void (*refuse)(void *context, const struct epoch_deed *deed, const char *why);
    void *context;
};

/* Changes parameters into those of a preserve: their sensors, no light of its own, and creatures
 * that wait are not stopped. */
void preserve_apply(struct params *params);
/* Whether such parameters make a preserve. ERR_USAGE, or ERR_RANGE of the solver,
 * with a message that names what does not. */
int preserve_check(const struct params *params, struct error *error);

/* Brain ticks of an epoch. */
int64_t preserve_epoch_ticks(const struct params *params);
/* The cells of such a water. */
struct preserve_cells preserve_cells_of(const struct params *params);

/* Genomes with which a world begins, and what errors call them; NULL: each is "a founder". */
struct preserve_founders {
    const struct genome *const *genomes;
    const char *const *names;
    int count;
};
/* Gives the root of a genome without mouths one of a kind, enum mouth. */
void preserve_give_mouth(struct genome *genome, int kind);
/* Begins a world of a run, 0 .. EPOCH_WORLDS_MAX - 1, each of which has ids and families of its
 * own: founders are copies of the genomes, in turn, and from the second time on mutants of them.
 * Those without mouths get one. Each lives ten seconds alone first; a mutant that dies is drawn
 * again. ERR_USAGE names a genome that does not itself. */
int preserve_found(struct preserve_state *state, const struct params *params, uint64_t seed,
                   uint32_t world, const struct preserve_founders *founders,
                   struct preserve_memory *memory, struct error *error);
/* Goes on for `ticks` brain ticks. ERR_RANGE if the state is not one of such a world, or if its
 * numbers leave their bounds; ERR_LIMIT if an epoch takes more than memory->work_max;
 * ERR_MEMORY. */
int preserve_run(struct preserve_state *state, const struct params *params, int64_t ticks,
                 const struct preserve_watcher *watcher, struct preserve_memory *memory,
                 struct error *error);

#endif
