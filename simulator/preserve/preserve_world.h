/* A preserve in motion; private to simulator/preserve/. preserve.c keeps the order of a tick,
 * preserve_bodies.c lets bodies in and out, preserve_food.c finds and eats,
 * preserve_emissions.c smells and sounds, preserve_births.c breeds. */
#ifndef SIMULATOR_PRESERVE_PRESERVE_WORLD_H
#define SIMULATOR_PRESERVE_PRESERVE_WORLD_H

#include "simulator/evaluate/run.h"
#include "simulator/preserve/preserve.h"

/* Upkeep of a neuron, and of an emitter. */
#define PRESERVE_NEURON_W 0.02

/* One of the living, in motion: dwellers[i] is state->living[i]. */
struct dweller {
    struct run run;
    struct evaluation result;
    double area_m2, radius_m;
    double rest_w;        /* upkeep of the young */
    uint64_t booked_work; /* operations that are in the world's */
    double work_j;        /* of its muscles, not paid yet */
    double booked_j;      /* what of its account of motion is in there */
    struct vec3 centre;
    double beyond_x_m, beyond_y_m; /* of the banks: how far it is to be pushed back */
    struct preserve_mouth mouths[GENOME_BODIES_MAX];
    int mouth_count;
    struct vec3 food_at;
    int sees_food;
    int verdict;   /* other than VERDICT_OK: it has broken a guard */
    int has_child; /* a child is drawn, which is not laid yet */
    struct genome child;
    struct descent child_descent;
    struct first_draw child_drawn;
    double child_area_m2;
};

struct preserve {
    struct preserve_state *state;
    const struct params *params;
    const struct preserve_watcher *watcher;
    struct preserve_memory *memory;
    struct plants plants; /* its cells are the state's */
    struct scent scent;   /* so are its cells; made where sensor.scent is on */
    struct sound sound;   /* of the living, by number; made where sensor.sound is on */
    struct dweller **dwellers;
    int room;
    struct forest forest;
    int *part_counts, *may_rest, *order; /* order: of the living, by x */
    struct preserve_view *views;
    struct vec3 *centres; /* of the living, by number, as they think: eyes read these, in a row */
    int *families;        /* of the living, by number, as the forest was made */
    double tick_s, daylight;
    int64_t epoch_ticks;
    uint64_t work;  /* operations since the epoch began */
    int is_changed; /* a creature came or went: the forest must be made anew */
    struct error *error;
    int rc;
};

/* The world's seconds. */
static inline double preserve_age_s(const struct preserve *p, const struct creature_state *c)
{
    return (double)(p->state->tick - c->born_tick) * p->tick_s;
}
/* Ticks of a second. */
static inline int64_t preserve_second(const struct preserve *p)
{
    return (int64_t)(1 / p->tick_s + 0.5);
}
static inline double distance_in_plane(struct vec3 a, struct vec3 b)
{
    double x = a.x - b.x, y = a.y - b.y;
    return sqrt(x * x + y * y);
}
static inline microjoules reserve_most(const struct preserve *p, double area_m2)
{
    return microjoules_of(p->params->preserve_reserve_j_m2 * area_m2);
}

/* preserve_bodies.c: body and brain of a genome, at rest, overlapping nowhere. A verdict. */
int preserve_grow(struct run *run, struct evaluation *result, const struct params *params,
                  const struct genome *genome, struct arena *arena);
double preserve_area(const struct phenotype *phenotype);
/* The area of the body that a genome grows into; 0: it cannot be grown. */
double preserve_area_of(const struct genome *genome, const struct params *params,
                        struct preserve_memory *memory);
/* Lets living creature i in: at the place and in the motion that its state has. A verdict. */
int preserve_enter(struct preserve *p, int i);
/* Puts a body where an egg lies, and says whether it touches neither a wall nor one of the living
 * there. */
int preserve_has_room(const struct preserve *p, struct run *run, const struct creature_state *egg);
/* Writes the motion of all into the state. ERR_MEMORY. */
int preserve_save_motion(struct preserve *p);
/* The forest of all living creatures. */
int preserve_plant_forest(struct preserve *p);
/* The mouths that have grown, of bodies that are where they are; their count. */
int preserve_find_mouths(const struct phenotype *phenotype, const struct genome *genome,
                         struct preserve_mouth mouths[GENOME_BODIES_MAX]);
/* Where it and its mouths are. */
void preserve_find_place(struct dweller *d);

/* preserve_food.c */
void preserve_sort(struct preserve *p);
void preserve_see(struct preserve *p, int i, struct surroundings *around);
void preserve_feed(struct preserve *p, int i);
void preserve_rot(struct preserve *p);

/* preserve_emissions.c: scent and sound. ERR_MEMORY, ERR_LIMIT, ERR_RANGE of a state. */
int preserve_found_scent(struct preserve_state *state, const struct params *params,
                         struct arena *arena);
int preserve_count_scents(const struct params *params);
int preserve_open_emissions(struct preserve *p);
int preserve_save_sounds(struct preserve *p);
/* The emissions of one creature after a tick's motion, and their cost; then, of all, a tick of
 * scent and sound. */
void preserve_emit(struct preserve *p, int i);
void preserve_spread(struct preserve *p);

/* preserve_births.c */
void preserve_lay(struct preserve *p, int i);
void preserve_hatch(struct preserve *p);
/* The verdict on a life of preserve.trial_s alone, in open water. */
int preserve_try_alone(const struct genome *genome, const struct params *params,
                       struct preserve_memory *memory);
/* A mutant of at most most_m2 that lives alone, of some draws; a copy of the parent where none
 * does. `area_m2` becomes its body's. ERR_MEMORY. `drawn` may be NULL. */
int preserve_mutate(struct genome *child, const struct genome *parent, const struct genome *other,
                    const struct params *params, uint64_t seed, uint64_t id,
                    struct preserve_memory *memory, double most_m2, double *area_m2,
                    struct first_draw *drawn);

/* preserve.c */
void preserve_tell_event(const struct preserve *p, const struct preserve_event *event);
/* Tells an event of living creature i. `cause`: of a death. */
void preserve_tell(const struct preserve *p, int i, enum preserve_event_kind kind, int cause);
/* Whose body or mind is in hand: it is named if the simulator crashes now. */
void preserve_hold(const struct preserve *p, uint64_t id);
void preserve_fail(struct preserve *p, int rc, const char *what);
/* It leaves a carcass. The living behind it move up. */
void preserve_kill(struct preserve *p, int i, int cause);

#endif
