/* See preserve_epoch.h. */
#include "simulator/preserve/preserve_epoch.h"

#include <string.h>

#include "common/math/hash.h"
#include "common/math/rng.h"

/* ---- the beginning ---- */

static void remove_egg(struct preserve_state *state, int i)
{
    creature_state_deinit(&state->eggs[i]);
    preserve_state_remove_egg(state, i);
}

/* Their energy rots at once. */
static void remove_excluded(struct preserve_state *state, const struct params *params,
                            const struct preserve_watcher *watcher)
{
    for (int i = preserve_state_count(state); i-- > 0;) {
        const struct creature_state *c = preserve_state_creature(state, i);
        if (!preserve_state_is_without(state, c->descent.id))
            continue;
        state->ledger.heat += c->reserve + c->body;
        if (i < state->living_count)
            preserve_remove(state, params, i, watcher);
        else
            remove_egg(state, i - state->living_count);
    }
}

/* It hatches as an egg does that was laid now. */
static int take_in(struct preserve_state *state, const struct packed_bytes *traveller,
                   struct error *error)
{
    if (state->egg_count == PRESERVE_EGGS_MAX)
        return error_set(error, ERR_LIMIT, "an egg arrives where %d are", state->egg_count);
    int rc = preserve_egg_unpack(state, traveller, error);
    if (rc != 0)
        return rc;
    struct creature_state *egg = &state->eggs[state->egg_count - 1];
    egg->born_tick = state->tick;
    state->ledger.arrivals += egg->reserve + egg->body;
    return 0;
}

static int found(struct preserve_state *state, const struct params *params, uint64_t seed,
                 const struct epoch_order *order, struct preserve_memory *memory,
                 struct error *error)
{
    const struct genome *genomes[EPOCH_FOUNDERS_MAX];
    for (int i = 0; i < order->founder_count; i++)
        genomes[i] = &order->founders[i];
    const struct preserve_founders founders = {.genomes = genomes, .count = order->founder_count};
    return preserve_found(state, params, seed, order->world, &founders, memory, error);
}

int preserve_epoch_begin(struct preserve_state *state, const struct params *params, uint64_t seed,
                         const struct epoch_order *order, struct preserve_memory *memory,
                         const struct preserve_watcher *watcher, struct error *error)
{
    const struct preserve_cells most = preserve_cells_of(params);
    int rc = order->epoch == 0 ? found(state, params, seed, order, memory, error)
                               : preserve_state_unpack_of(state, &order->state, &most, error);
    if (rc != 0)
        return rc;
    for (int i = 0; rc == 0 && i < order->arrival_count; i++)
        rc = take_in(state, &order->arrivals[i], error);
    state->order = order;
    remove_excluded(state, params, watcher);
    if (rc == 0)
        rc = preserve_do(state, params, order, memory, watcher, error);
    if (rc != 0)
        preserve_state_deinit(state);
    return rc;
}

/* ---- the end ---- */

static int let_go(struct preserve_state *state, const struct params *params, uint32_t epoch,
                  struct packed_bytes *traveller)
{
    struct rng rng;
    rng_init(&rng, state->seed, RNG_PRESERVE, 5, epoch);
    if (params->preserve_worlds < 2 || state->egg_count == 0 ||
        !rng_chance(&rng, params->preserve_drift))
        return 0;
    int i = (int)rng_below(&rng, (uint32_t)state->egg_count);
    int rc = preserve_egg_pack(&state->eggs[i], traveller);
    if (rc != 0)
        return rc;
    state->ledger.departures += state->eggs[i].reserve + state->eggs[i].body;
    remove_egg(state, i);
    return 0;
}

int preserve_epoch_live(struct preserve_state *state, const struct params *params,
                        const struct epoch_order *order, const struct preserve_watcher *watcher,
                        struct preserve_memory *memory, struct packed_bytes *traveller,
                        struct error *error)
{
    int rc = 0;
    if (order->epoch > 0)
        rc = preserve_run(state, params, preserve_epoch_ticks(params), watcher, memory, error);
    if (rc == 0 && order->epoch > 0 && let_go(state, params, order->epoch, traveller) != 0)
        rc = error_memory(error);
    state->order = NULL;
    if (rc == 0)
        preserve_state_check(state);
    return rc;
}

/* ---- in numbers ---- */

_Static_assert(EPOCH_scent_uj - EPOCH_plants_uj == STORE_SCENT, "stores are facts");
_Static_assert(EPOCH_died_of_strain - EPOCH_died_of_hunger == DEATH_STRAIN, "so are deaths");

static int count_families(const struct preserve_state *s)
{
    int families = 0;
    for (int i = 0; i < s->living_count; i++) {
        int is_new = 1;
        for (int k = 0; k < i; k++)
            is_new &= s->living[k].descent.family != s->living[i].descent.family;
        families += is_new;
    }
    return families;
}

void preserve_epoch_facts(const struct preserve_state *s, int64_t facts[EPOCH_FACT_COUNT])
{
    memset(facts, 0, EPOCH_FACT_COUNT * sizeof facts[0]);
    facts[EPOCH_living] = s->living_count;
    facts[EPOCH_eggs] = s->egg_count;
    facts[EPOCH_families] = count_families(s);
    facts[EPOCH_births] = (int64_t)s->counts.births;
    for (int i = 0; i < DEATH_COUNT; i++)
        facts[EPOCH_died_of_hunger + i] = (int64_t)s->counts.deaths[i];
    for (int i = 0; i < FOOD_COUNT; i++)
        facts[EPOCH_eaten_plants_uj + i] = s->counts.eaten[i];
    for (int i = 0; i < s->living_count; i++)
        facts[EPOCH_hunters] += genome_has_mouth(&s->living[i].genome, MOUTH_FLESH);
    preserve_state_stores(s, &facts[EPOCH_plants_uj]);
    facts[EPOCH_start_uj] = s->ledger.start;
    facts[EPOCH_sun_uj] = s->ledger.sun;
    facts[EPOCH_heat_uj] = s->ledger.heat;
    facts[EPOCH_arrivals_uj] = s->ledger.arrivals;
    facts[EPOCH_departures_uj] = s->ledger.departures;
}

/* Hash of the tree below a part, with its mouths, whatever the order of branches. */
static uint64_t topology_below(const struct phenotype *phenotype, const struct genome *genome,
                               int part)
{
    uint64_t sum = genome->bodies[genome_find_body(genome, phenotype->parts[part].body)].mouth;
    for (int i = part + 1; i < phenotype->part_count; i++)
        if (phenotype->parts[i].parent == part)
            sum += topology_below(phenotype, genome, i);
    return hash_u64(HASH_START, sum) & INT64_MAX;
}

uint64_t preserve_topology(const struct phenotype *phenotype, const struct genome *genome)
{
    ENSURE(phenotype->part_count > 0, "a body without parts");
    return topology_below(phenotype, genome, 0);
}

int preserve_epoch_life(const struct preserve_event *event, struct epoch_life *life)
{
    ENSURE(event->cause < DEATH_COUNT, "cause %d", event->cause);
    const struct creature_state *c = event->creature;
    int is_dead = event->kind == PRESERVE_DIED;
    *life = (struct epoch_life){.id = c->descent.id,
                                .mother = c->descent.mother,
                                .father = c->descent.father,
                                .family = c->descent.family,
                                .generation = c->descent.generation,
                                .is_hunter = genome_has_mouth(&c->genome, MOUTH_FLESH),
                                .born_tick = c->born_tick,
                                .died_tick = is_dead ? event->tick : -1,
                                .cause = is_dead ? event->cause : -1,
                                .children = c->children,
                                .area_m2 = event->area_m2,
                                .drawn_m2 = c->drawn.area_m2,
                                .drawn_parts = c->drawn.parts,
                                .way_m = c->way_m,
                                .depth_m = c->depth_sum_m / det_max(c->depth_steps, 1),
                                .preyed_tick = event->kind == PRESERVE_PREYED ? event->tick : -1};
    if (event->phenotype) {
        life->part_count = event->phenotype->part_count;
        life->topology = preserve_topology(event->phenotype, &c->genome);
    }
    for (int i = 0; i < FOOD_COUNT; i++)
        life->gained_uj[i] = c->gained[i];
    return event->kind != PRESERVE_LAID;
}

int preserve_epoch_form(const struct preserve_event *event, struct epoch_end *end)
{
    struct epoch_form form = {.life = event->creature->descent.id};
    if (event->kind != PRESERVE_HATCHED || !event->phenotype || event->phenotype->part_count == 0)
        return 0;
    form.topology = preserve_topology(event->phenotype, &event->creature->genome);
    if (epoch_end_has_form(end, form.topology))
        return 0;
    int rc = preserve_egg_pack(event->creature, &form.egg);
    return rc == 0 ? epoch_end_add_form(end, &form) : rc;
}
