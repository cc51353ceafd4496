/* Eggs: their mothers, their content, and the places where they hatch. */
#include "simulator/preserve/preserve_epoch.h"
#include "simulator/preserve/preserve_world.h"

#include "common/genetics/genetics.h"
#include "common/math/detmath.h"

/* Draws of a child, at most, until one can live alone for so long: a body that breaks a guard by
 * itself is no work of selection. */
enum { CHILD_DRAWS = 8 };
/* As guard.budget: billions of operations of a trial, at most. */
#define TRIAL_BUDGET 30
/* Gene ids of children are above those of any run that a founder may come from. */
#define GENE_CREATURES (UINT64_C(1) << 40)
/* A creature draws a child when its reserve is this share of the most. */
#define READY_SHARE 0.5
/* A creature that has met no other one breeds alone, and pays this share of the body more. */
#define ALONE_SHARE 0.2
#define MEETING_S   30.0
/* An egg hatches within this way, m, of where it lies, if there is room; places tried in a tick. */
#define HATCH_WAY_M 3.0
enum { HATCH_PLACES = 16 };
/* Operations to grow a body and to look for its place, roughly. */
#define HATCH_WORK 2000000
/* A ripe egg that finds no place for so long is dead: it is too large for the water, or the world
 * is full. Else such eggs become ever more. */
#define WAIT_S       300.0
#define EGG_RADIUS_M 0.1

/* One draw. Returns 0 and a genome, or ERR_MEMORY. */
static int draw(struct genome *child, const struct genome *parent, const struct genome *other,
                const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    char words[256];
    genome_init(child);
    int rc = other ? genetics_crossover(child, parent, other, params, rng, ids)
                   : genome_copy(child, parent);
    if (rc == 0)
        rc = genetics_mutate(child, genetics_mutation_count(params, other != NULL, rng), params,
                             rng, ids, words, sizeof words);
    if (rc != 0)
        genome_deinit(child);
    return rc;
}

static void live_alone(const struct genome *genome, const struct params *params,
                       struct preserve_memory *memory, struct evaluation *result)
{
    struct params alone = *params;
    alone.simulation_duration_s = params->preserve_trial_s;
    alone.guard_budget = TRIAL_BUDGET;
    evaluate(genome, &alone, 1, &memory->probe, NULL, NULL, result);
    memory->work += result->work;
}

int preserve_try_alone(const struct genome *genome, const struct params *params,
                       struct preserve_memory *memory)
{
    struct evaluation result;
    live_alone(genome, params, memory, &result);
    return result.verdict;
}

/* The body that a genome grows into, and how far that body gets alone. */
struct prospect {
    double area_m2, way_m;
    int parts;
    uint64_t topology;
};

/* Whether it can be born, has a mouth, and is no larger than most_m2. */
static int can_live(const struct genome *genome, const struct params *params,
                    struct preserve_memory *memory, double most_m2, struct prospect *prospect)
{
    struct run run;
    struct evaluation result;
    struct preserve_mouth mouths[GENOME_BODIES_MAX];
    arena_reset(&memory->probe);
    *prospect = (struct prospect){.area_m2 = 0};
    if (preserve_grow(&run, &result, params, genome, &memory->probe) != VERDICT_OK)
        return 0;
    prospect->area_m2 = preserve_area(&run.phenotype);
    prospect->parts = run.phenotype.part_count;
    prospect->topology = preserve_topology(&run.phenotype, genome);
    if (prospect->area_m2 > most_m2 || preserve_find_mouths(&run.phenotype, genome, mouths) == 0)
        return 0;
    live_alone(genome, params, memory, &result);
    prospect->way_m = result.measures.displacement_m;
    return result.verdict == VERDICT_OK;
}

int preserve_mutate(struct genome *child, const struct genome *parent, const struct genome *other,
                    const struct params *params, uint64_t seed, uint64_t id,
                    struct preserve_memory *memory, double most_m2, double *area_m2,
                    struct first_draw *drawn)
{
    struct gene_counter ids = {.creature = GENE_CREATURES + id};
    struct prospect prospect, mother = {.way_m = 0};
    struct rng rng;
    rng_init(&rng, seed, RNG_PRESERVE, 1, id);
    if (params->preserve_womb > 0)
        can_live(parent, params, memory, HUGE_VAL, &mother);
    for (int i = 0; i < CHILD_DRAWS; i++) {
        int rc = draw(child, parent, other, params, &rng, &ids);
        if (rc != 0)
            return rc;
        int is_fine = can_live(child, params, memory, most_m2, &prospect);
        *area_m2 = prospect.area_m2;
        if (drawn && !drawn->parts)
            *drawn = (struct first_draw){prospect.area_m2, prospect.parts};
        /* the womb lets a child go whose tree of parts is its mother's, or gets far enough */
        if (is_fine && (prospect.topology == mother.topology ||
                        prospect.way_m >= params->preserve_womb * mother.way_m))
            return 0;
        genome_deinit(child);
    }
    genome_init(child);
    int rc = genome_copy(child, parent);
    if (rc == 0)
        can_live(child, params, memory, most_m2, &prospect);
    *area_m2 = prospect.area_m2;
    return rc;
}

/* The genome of the one that it met of late, or NULL. */
static const struct creature_state *find_mate(const struct preserve *p,
                                              const struct creature_state *c)
{
    if (c->met == 0 || (double)(p->state->tick - c->met_tick) * p->tick_s > MEETING_S)
        return NULL;
    int i = preserve_state_find_living(p->state, c->met);
    return i < 0 ? NULL : &p->state->living[i];
}

/* The greatest body that a mother whose reserve is full can pay. */
static double payable_m2(const struct preserve *p, const struct dweller *d, int has_mate)
{
    const struct params *params = p->params;
    double most_j = (1 - params->preserve_give) * params->preserve_reserve_j_m2 * d->area_m2;
    return (most_j - params->preserve_egg_j) /
           (params->preserve_body_j_m2 * (has_mate ? 1 : 1 + ALONE_SHARE));
}

static void draw_child(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    const struct creature_state *c = &p->state->living[i], *mate = find_mate(p, c);
    uint64_t id = p->state->next_id++;
    if (preserve_state_is_without(p->state, id))
        return;
    preserve_hold(p, c->descent.id);
    d->child_drawn = (struct first_draw){0, 0};
    int rc = preserve_mutate(&d->child, &c->genome, mate ? &mate->genome : NULL, p->params,
                             p->state->seed, id, p->memory, payable_m2(p, d, mate != NULL),
                             &d->child_area_m2, &d->child_drawn);
    if (rc != 0) {
        preserve_fail(p, rc, "a child");
        return;
    }
    d->child_descent = (struct descent){.id = id,
                                        .mother = c->descent.id,
                                        .father = mate ? mate->descent.id : 0,
                                        .family = c->descent.family,
                                        .generation = c->descent.generation + 1};
    d->has_child = 1;
}

/* The cost of an egg besides the child's body, which is heat: its price, and more for a creature
 * that breeds alone. */
static microjoules fee_of(const struct preserve *p, const struct dweller *d, microjoules body)
{
    return microjoules_of(p->params->preserve_egg_j) +
           (d->child_descent.father ? 0 : (microjoules)(ALONE_SHARE * (double)body));
}

/* The egg gets genome and energy. */
static void lay_egg(struct preserve *p, int i, microjoules body, microjoules given)
{
    struct dweller *d = p->dwellers[i];
    struct creature_state *c = &p->state->living[i];
    struct creature_state *egg = preserve_state_add_egg(p->state);
    if (!egg) {
        preserve_fail(p, p->state->egg_count < PRESERVE_EGGS_MAX ? ERR_MEMORY : ERR_LIMIT, "eggs");
        return;
    }
    microjoules fee = fee_of(p, d, body);
    *egg = (struct creature_state){.descent = d->child_descent,
                                   .drawn = d->child_drawn,
                                   .genome = d->child,
                                   .reserve = given,
                                   .body = body,
                                   .body_whole = body,
                                   .born_tick = p->state->tick,
                                   .x_m = d->centre.x,
                                   .y_m = d->centre.y};
    c->reserve -= body + fee + given;
    p->state->ledger.heat += fee;
    c->children++;
    d->has_child = 0;
    preserve_tell_event(p, &(struct preserve_event){.kind = PRESERVE_LAID,
                                                    .tick = p->state->tick,
                                                    .creature = egg,
                                                    .x_m = egg->x_m,
                                                    .y_m = egg->y_m});
}

void preserve_lay(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    struct creature_state *c = &p->state->living[i];
    double most = (double)reserve_most(p, d->area_m2);
    if (!d->has_child && (double)c->reserve >= READY_SHARE * most)
        draw_child(p, i);
    if (!d->has_child)
        return;
    microjoules body = microjoules_of(p->params->preserve_body_j_m2 * d->child_area_m2);
    microjoules given = (microjoules)(p->params->preserve_give * (double)c->reserve);
    if (c->reserve - given >= body + fee_of(p, d, body))
        lay_egg(p, i, body, given);
}

/* ---------------------------------------------------------------- hatching */

/* A free place near the egg, and a turn. The body is grown to find it. */
static int find_room(const struct preserve *p, struct creature_state *egg)
{
    struct run run;
    struct evaluation result;
    struct rng rng;
    arena_reset(&p->memory->probe);
    preserve_hold(p, egg->descent.id);
    if (preserve_grow(&run, &result, p->params, &egg->genome, &p->memory->probe) != VERDICT_OK)
        return 1; // that it cannot live is seen when it comes in
    p->memory->work += run_work(&run) + HATCH_WORK;
    rng_init(&rng, p->state->seed, RNG_PRESERVE, (uint32_t)p->state->tick, egg->descent.id);
    for (int i = 0; i < HATCH_PLACES; i++) {
        struct creature_state tried = *egg;
        double way_m = HATCH_WAY_M * i / HATCH_PLACES, sine, cosine;
        det_sincos(rng_uniform(&rng, 0, 2 * DET_PI), &sine, &cosine);
        tried.x_m += way_m * cosine;
        tried.y_m += way_m * sine;
        tried.turn_rad = rng_uniform(&rng, 0, 2 * DET_PI);
        if (!preserve_has_room(p, &run, &tried))
            continue;
        *egg = tried;
        return 1;
    }
    return 0;
}

/* Its energy goes where that of the dead goes. */
static void bring_in(struct preserve *p, int i)
{
    struct creature_state *born = preserve_state_add_living(p->state);
    if (!born) {
        preserve_fail(p, ERR_MEMORY, "a birth");
        return;
    }
    *born = p->state->eggs[i];
    born->born_tick = p->state->tick;
    born->from_x_m = born->x_m;
    born->from_y_m = born->y_m;
    preserve_state_remove_egg(p->state, i);
    p->state->counts.births++;
    int last = p->state->living_count - 1, verdict = preserve_enter(p, last);
    if (verdict == VERDICT_MEMORY) {
        preserve_fail(p, ERR_MEMORY, "a birth");
        return;
    }
    preserve_tell(p, last, PRESERVE_HATCHED, -1);
    if (verdict != VERDICT_OK) {
        p->dwellers[last]->verdict = verdict;
        preserve_kill(p, last, DEATH_GUARD);
    }
}

/* It becomes food: a carcass, as soon as there is one less than there may be. Returns whether. */
static int let_die(struct preserve *p, int i)
{
    struct preserve_state *s = p->state;
    if (s->carcass_count == PRESERVE_EGGS_MAX)
        return 0;
    struct carcass *carcass = preserve_state_add_carcass(s);
    if (!carcass) {
        preserve_fail(p, ERR_MEMORY, "an egg");
        return 0;
    }
    struct creature_state *egg = &s->eggs[i];
    *carcass = (struct carcass){egg->reserve + egg->body, egg->x_m, egg->y_m, EGG_RADIUS_M};
    creature_state_deinit(egg);
    preserve_state_remove_egg(s, i);
    return 1;
}

/* Eggs that are ripe, once a second each, in the order in which they were laid. */
void preserve_hatch(struct preserve *p)
{
    int64_t second = preserve_second(p);
    for (int i = 0; i < p->state->egg_count && p->rc == 0; i++) {
        struct creature_state *egg = &p->state->eggs[i];
        int64_t lain = p->state->tick - egg->born_tick;
        double ripe_s = (double)lain * p->tick_s - p->params->preserve_hatch_s;
        if (ripe_s < 0 || lain % second != 0)
            continue;
        if (p->state->living_count < p->params->preserve_most && find_room(p, egg))
            bring_in(p, i--);
        else if (ripe_s >= WAIT_S && let_die(p, i))
            i--;
    }
}
