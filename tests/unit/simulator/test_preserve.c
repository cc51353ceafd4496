/* A preserve: kept facts over epochs, its state as bytes, births and deaths. */
#include "simulator/preserve/preserve_world.h"
#include "tests/unit/simulator/preserve_fixture.h"

OWNER(epoch_order, epoch_order_destroy)

#define BOXES "examples/creatures/tadpole.json"

static int laid, hatched, died, deaths[DEATH_COUNT];

static void setup(void)
{
    preserve_set_up();
    laid = hatched = died = 0;
    memset(deaths, 0, sizeof deaths);
}

/* In a narrow water, instead of those that are there. */
static void found_hunters(void)
{
    preserve_state_deinit(&state);
    set("preserve.hunters=1", "preserve.width_m=7", "preserve.height_m=5");
    found();
}

static void hear(void *context, const struct preserve_event *event)
{
    laid += event->kind == PRESERVE_LAID;
    hatched += event->kind == PRESERVE_HATCHED;
    died += event->kind == PRESERVE_DIED;
    if (event->kind == PRESERVE_DIED)
        deaths[event->cause]++;
}

static void run(int64_t ticks)
{
    struct preserve_watcher watcher = {.hear = hear};
    ck_ok(preserve_run(&state, &params, ticks, &watcher, &memory, &error));
}

/* The state goes through bytes. */
static void pass_on(void)
{
    struct preserve_state copy;
    ck_ok(through_bytes(&state, &copy));
    ck_assert(preserve_digest(&copy) == preserve_digest(&state));
    preserve_state_deinit(&state);
    state = copy;
}

TEST(founders_hatch_and_the_ledger_is_equal)
{
    found();
    ck_assert_int_eq(state.egg_count, 6);
    run(300);
    ck_assert_int_eq(hatched, 6 + laid - state.egg_count);
    ck_assert_int_ge(hatched, 4);
    ck_assert(state.counts.eaten[FOOD_PLANT] > 0);
    ck_assert_int_eq(energy_ledger_error(&state.ledger, preserve_state_total(&state)), 0);
    state.living[0].reserve++;
    ck_assert_int_eq(energy_ledger_error(&state.ledger, preserve_state_total(&state)), 1);
}

/* After 90 ticks in a row: another 90 lead where those lead that go through bytes before and in the
 * middle. */
static void run_through_bytes(void)
{
    run(90);
    uint64_t straight = preserve_digest(&state);
    preserve_state_deinit(&state);
    found();
    pass_on();
    run(90);
    pass_on();
    run(90);
    ck_assert(preserve_digest(&state) == straight);
}

TEST(a_state_through_bytes_moves_on_alike)
{
    found();
    run(90);
    run_through_bytes();
    ck_assert_int_eq(state.tick, 180);
}

/* The push of a bank is no energy from nowhere. */
TEST(who_is_beyond_a_bank_comes_back_and_lives)
{
    found();
    run(60);
    struct creature_state *c = &state.living[0];
    uint64_t id = c->descent.id;
    c->numbers[0] -= c->x_m + 2; // the first number is where the root is, along x
    run(240);
    ck_assert_int_eq(deaths[DEATH_GUARD], 0);
    ck_assert(state.living[0].descent.id == id && state.living[0].x_m > -0.5);
}

TEST(hunger_kills_and_leaves_carcasses)
{
    set("preserve.plants_j_m2=1", "preserve.rest_w_m2=3000", "preserve.body_j_m2=2000");
    found();
    run(1200);
    ck_assert_int_eq(deaths[DEATH_HUNGER], 6);
    ck_assert_int_eq(state.living_count, 0);
    ck_assert(state.carcass_count > 0);
    run(120); // a world without creatures goes on
}

TEST(age_kills)
{
    set("preserve.age_s=1", "preserve.rest_w_m2=0", "preserve.mouth_w=0");
    found();
    run(600);
    ck_assert_int_ge(died, 6);
    ck_assert_int_eq(died, hatched);
    ck_assert_int_gt(deaths[DEATH_AGE], 0);
}

TEST(who_has_enough_lays_eggs_that_hatch)
{
    set("preserve.body_j_m2=500", "preserve.egg_j=300", "preserve.hatch_s=1",
        "preserve.plants_j_m2=10000");
    found();
    run(600);
    ck_assert(laid > 0);
    ck_assert(hatched > 6);
    ck_assert_int_eq(state.counts.births, (uint64_t)hatched);
    int children = 0;
    for (int i = 0; i < state.living_count; i++) {
        const struct descent *d = &state.living[i].descent;
        children += d->generation > 0;
        ck_assert(d->generation == 0 || d->mother > 0);
        ck_assert(d->family < 6);
    }
    ck_assert(children > 0);
    ck_assert(state.living_count <= (int)params.preserve_most);
}

/* With mouths alike for all, each is the creature that is named, in turn; else mutants follow. */
TEST_LOOP(founders_may_be_copies, 0, 2)
{
    set("preserve.hunters=0");
    params.preserve_founders_copies = _i;
    int alike = 0;
    found();
    for (int i = 2; i < state.egg_count; i++)
        alike += genome_is_equal(&state.eggs[i].genome, &state.eggs[i % 2].genome);
    ck_assert_int_eq(alike == state.egg_count - 2, _i);
}

/* Of still creatures of whose upkeep the bottom spares a part. */
static microjoules heat_in(double cold)
{
    params.preserve_cold = cold;
    set("preserve.bite_w_m=0");
    found();
    for (int i = 0; i < state.egg_count; i++)
        state.eggs[i].y_m = 1;
    run(120);
    microjoules heat = state.ledger.heat;
    preserve_state_deinit(&state);
    return heat;
}

TEST(cold_water_spares_upkeep)
{
    microjoules warm = heat_in(0), cold = heat_in(0.9);
    ck_assert_int_gt(cold, 0);
    ck_assert_int_lt(cold, warm);
}

/* An egg that lies where there is no room, and eggs for which the world is full: 300 s after they
 * were ripe they are food. */
TEST(eggs_do_not_wait_for_ever)
{
    found();
    params.preserve_most = params.preserve_founders = 1; /* it has been founded */
    const int64_t second = 60, ripe = 20 * second;
    for (int i = 0; i < state.egg_count; i++)
        state.eggs[i].born_tick = i < 3 ? -ripe - 298 * second : 0;
    state.eggs[1].x_m = -1000; /* beyond a wall */
    microjoules before[STORE_COUNT], after[STORE_COUNT];
    run(second);
    ck_assert(hatched == 1 && state.egg_count == 5 && state.carcass_count == 0);
    preserve_state_stores(&state, before);
    run(second);
    ck_assert(hatched == 1 && state.egg_count == 3 && state.carcass_count == 2);
    preserve_state_stores(&state, after);
    ck_assert_int_eq(after[STORE_CARCASSES], before[STORE_EGGS] - after[STORE_EGGS]);
    ck_assert(state.counts.deaths[DEATH_GUARD] == 0 && died == 0);
    ck_assert_int_eq(energy_ledger_error(&state.ledger, preserve_state_total(&state)), 0);
}

TEST(hunters_bite_the_living)
{
    found_hunters();
    run(1500);
    ck_assert(state.counts.eaten[FOOD_LIVING] > 0);
    microjoules gained = 0, bitten = 0;
    for (int i = 0; i < state.living_count; i++) {
        gained += state.living[i].gained[FOOD_LIVING];
        bitten += state.living[i].bitten;
        ck_assert(state.living[i].way_m > 0);
    }
    ck_assert(gained > 0 && bitten > 0);
}

TEST(creatures_count_their_depth)
{
    enum { STEPS = 8, SECOND = 60 };
    double sum_m = 0;
    found();
    run(1);
    uint64_t one = state.living[0].descent.id;
    run(SECOND - 1 + (int)state.living[0].born_tick);
    for (int k = 0; k < STEPS; k++) {
        sum_m += params.preserve_height_m - state.living[0].y_m;
        if (k + 1 < STEPS)
            run(SECOND);
    }
    ck_assert(state.living[0].descent.id == one && sum_m > 0);
    ck_assert_int_eq(state.living[0].depth_steps, STEPS);
    ck_assert_double_eq_tol(state.living[0].depth_sum_m, sum_m, 0.1);
}

/* The body gene that is not the root and has grown. */
static struct body_gene *find_limb(struct genome *genome)
{
    for (int i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *c = &genome->connections[i];
        if (c->from == genome->root && c->to != genome->root && !c->is_terminal_only)
            return &genome->bodies[genome_find_body(genome, c->to)];
    }
    ck_abort_msg("no limb");
}

/* Creatures with mouths keep them: the last one to hatch eats by a limb; others by their roots. */
TEST(mouths_are_as_genes_say)
{
    struct genome *genome = &creatures[0].genome;
    find_limb(genome)->mouth = MOUTH_FLESH;
    set("preserve.hunters=0");
    found();
    const struct genome *kept = &state.eggs[0].genome, *given = &state.eggs[1].genome;
    ck_assert(genome_is_equal(kept, genome));
    ck_assert_int_eq(given->bodies[genome_find_body(given, given->root)].mouth, MOUTH_PLANTS);
    ck_assert(!genome_has_mouth(given, MOUTH_FLESH));
    int64_t facts[EPOCH_FACT_COUNT];
    run(60);
    preserve_epoch_facts(&state, facts);
    int hunters = 0;
    for (int i = 0; i < state.living_count; i++)
        hunters += genome_has_mouth(&state.living[i].genome, MOUTH_FLESH);
    ck_assert(hunters > 0 && hunters < state.living_count);
    ck_assert_int_eq(facts[EPOCH_hunters], hunters);
}

static int look_at_mouths(void *context, const struct preserve_state *world,
                          const struct preserve_view *views, int count, double daylight)
{
    int *most = context;
    for (int i = 0; i < count; i++) {
        const struct preserve_view *view = &views[i];
        *most = view->mouth_count > *most ? view->mouth_count : *most;
        for (int m = 0; m < view->mouth_count; m++) {
            struct part_state part;
            dynamics_part_state(view->dynamics, view->mouths[m].part, &part);
            ck_assert_double_lt(fabs(view->mouths[m].at.x - part.at_m.x), 1e-9);
            ck_assert_double_lt(fabs(view->mouths[m].at.y - part.at_m.y), 1e-9);
            ck_assert(view->mouths[m].width_m <=
                      view->phenotype->parts[view->mouths[m].part].width_m);
        }
    }
    return 0;
}

/* Each mouth is in a part, eats, and costs upkeep: with two a creature eats more, and at the same
 * food pays more. */
TEST(two_mouths_eat_and_cost_more)
{
    microjoules eaten[2], heat[2];
    set("preserve.founders=1", "preserve.plants_j_m2=10000", "preserve.bite_w_m=20");
    for (int i = 0; i < 2; i++) {
        int most = 0;
        struct preserve_watcher watcher = {.look = look_at_mouths, .context = &most};
        struct genome *genome = &creatures[0].genome;
        genome->bodies[genome_find_body(genome, genome->root)].mouth = MOUTH_PLANTS;
        find_limb(genome)->mouth = i ? MOUTH_PLANTS : MOUTH_NONE;
        found();
        ck_assert_int_eq(preserve_run(&state, &params, 300, &watcher, &memory, &error), 0);
        ck_assert_int_eq(most, i + 1);
        eaten[i] = state.counts.eaten[FOOD_PLANT];
        heat[i] = state.ledger.heat - eaten[i] / 5;
        preserve_state_deinit(&state);
    }
    ck_assert(eaten[1] > eaten[0]);
    ck_assert(heat[1] - heat[0] > 40 * INT64_C(1000000)); // 10 W, for 5 s but a little
}

/* A body gene that gives off scent and sound all the time. */
static void make_emitter(struct body_gene *gene, int emitter)
{
    gene->emitters[emitter].is_there = 1;
    gene->emitters[emitter].input =
        (struct input_gene){.kind = INPUT_CONSTANT, .value = 1, .weight = 1};
}

static void found_emitters(void)
{
    set("sensor.scent=yes", "sensor.sound=yes");
    for (int i = 0; i < 2; i++) {
        make_emitter(&creatures[i].genome.bodies[0], EMITTER_SOUND);
        make_emitter(&creatures[i].genome.bodies[0], EMITTER_SCENT_2);
    }
    found();
}

/* Scent is a store of the ledger, which the reserve fills and which becomes heat; sounds are on
 * their way at the end of an epoch. All of it goes through bytes. */
TEST(scent_and_sound_are_kept)
{
    microjoules stores[STORE_COUNT];
    int heard = 0, ears = 0;
    found_emitters();
    run(90);
    preserve_state_stores(&state, stores);
    double given_j = state.living_count * 90 / 60.0 * params.preserve_scent_w;
    ck_assert_double_gt(joules_of(stores[STORE_SCENT]), 0.3 * given_j);
    ck_assert_double_lt(joules_of(stores[STORE_SCENT]), 3 * given_j);
    for (int i = 0; i < state.living_count; i++) {
        heard += state.living[i].heard_count;
        ears += state.living[i].ear.strength > 0;
    }
    ck_assert(heard > 0 && ears > 0);
    run_through_bytes();
}

/* What the reserve does not have is not emitted, and what is emitted is all of what it has. */
TEST(no_scent_without_a_reserve)
{
    microjoules stores[STORE_COUNT];
    set("preserve.scent_w=1000", "preserve.plants_j_m2=1", "preserve.body_j_m2=100000");
    found_emitters();
    run(900);
    preserve_state_stores(&state, stores);
    ck_assert(stores[STORE_SCENT] > 0);
    ck_assert_int_gt(state.living_count, 0);
    for (int i = 0; i < state.living_count; i++)
        ck_assert(state.living[i].reserve < 1000000);
}

/* Sounds that were on their way to a dead creature are not heard by those that move up. */
TEST(the_dead_leave_no_sounds)
{
    set("sound.speed_m_s=10");
    found_emitters();
    run(90);
    ck_assert_int_ge(state.living_count, 3);
    state.living[0].body = state.living[0].reserve = 0; // it starves in the next tick
    state.ledger.start = 0;
    state.ledger.start = energy_ledger_error(&state.ledger, preserve_state_total(&state));
    int one = 0;
    struct heard last = {.tick = 0};
    for (int i = 1; i < state.living_count; i++)
        for (int k = 0; k < state.living[i].heard_count; k++)
            if (state.living[i].heard[k].tick > last.tick) {
                last = state.living[i].heard[k];
                one = i;
            }
    ck_assert(last.tick > state.tick + 1);
    uint64_t id = state.living[one].descent.id;
    run(1);
    ck_assert_int_eq(died, 1);
    const struct creature_state *c = &state.living[one - 1];
    ck_assert_uint_eq(c->descent.id, id);
    int found_it = 0;
    for (int i = 0; i < c->heard_count; i++)
        found_it |=
            c->heard[i].tick == last.tick && fabs(c->heard[i].noise.at.x - last.noise.at.x) < 0.2;
    ck_assert(found_it);
    pass_on();
    state.living[one - 1].heard[0].tick = state.tick + 1000;
    ck_assert_int_eq(preserve_run(&state, &params, 1, NULL, &memory, &error), ERR_RANGE);
}

/* All touch one another in a narrow water: none dies of rounding in the solver of contacts. */
TEST(a_crowd_breaks_no_guards)
{
    set("preserve.founders=12", "preserve.width_m=6", "preserve.height_m=4", "preserve.hunters=0");
    found();
    run(900);
    ck_assert_int_ge(hatched, 4);
    ck_assert_int_eq(deaths[DEATH_GUARD], 0);
}

/* A guard that all break hurts them, until they die of it; energy adds up. */
TEST_LOOP(injuries_hurt_and_grow_back, 0, 2)
{
    int is_hurt = _i;
    set("guard.speed_m_s=100");
    found();
    params.preserve_injure = is_hurt;
    run(60);
    ck_assert_int_eq(deaths[DEATH_GUARD] + deaths[DEATH_STRAIN], 0);
    set("guard.speed_m_s=0.0001");
    microjoules whole = state.living[0].body;
    run(1);
    ck_assert_int_eq(deaths[DEATH_GUARD] > 0, !is_hurt);
    if (is_hurt)
        ck_assert_double_eq_tol((double)state.living[0].body / (double)whole, 0.95, 1e-2);
    run(30);
    ck_assert_int_eq(deaths[DEATH_STRAIN] > 0, is_hurt);
    ck_assert_uint_eq(state.counts.deaths[DEATH_STRAIN], (unsigned)deaths[DEATH_STRAIN]);
    ck_assert_int_eq(energy_ledger_error(&state.ledger, preserve_state_total(&state)), 0);
    pass_on();
    set("guard.speed_m_s=100");
    run(60);
}

static uint64_t tree_of(const struct genome *genome)
{
    struct run one;
    struct evaluation result;
    arena_reset(&memory.probe);
    ck_assert_int_eq(preserve_grow(&one, &result, &params, genome, &memory.probe), VERDICT_OK);
    return preserve_topology(&one.phenotype, genome);
}

/* A child of another tree that gets less far than ten times its mother's way is not laid. */
TEST(the_womb_keeps_trees)
{
    double area_m2;
    struct first_draw first[7];
    set("mutation.none=0", "mutation.one=1", "mutation.add_body=1000");
    preserve_apply(&params);
    params.evolution_behaviour = BEHAVIOUR_PRESERVE;
    SCOPED(genome) mother;
    ck_assert_int_eq(genome_copy(&mother, genomes[1]), 0);
    preserve_give_mouth(&mother, MOUTH_PLANTS);
    for (int is_womb = 0; is_womb < 2; is_womb++) {
        int changed = 0;
        params.preserve_womb = is_womb ? 10 : 0;
        params.preserve_trial_s = 2;
        for (uint64_t id = 1; id <= 6; id++) {
            SCOPED(genome) child;
            struct first_draw drawn = {0, 0};
            ck_assert_int_eq(preserve_mutate(&child, &mother, NULL, &params, 5, id, &memory,
                                             HUGE_VAL, &area_m2, &drawn),
                             0);
            /* whatever the womb lets go, the first draw is the same */
            ck_assert_int_gt(drawn.parts, 0);
            if (!is_womb)
                first[id] = drawn;
            else
                ck_assert(first[id].parts == drawn.parts && first[id].area_m2 == drawn.area_m2);
            changed += tree_of(&child) != tree_of(&mother);
        }
        ck_assert_int_eq(changed > 0, !is_womb);
    }
}

static struct epoch_end *forms_end;
static int trees;
static void hear_forms(void *context, const struct preserve_event *event)
{
    struct epoch_life life;
    int is_birth = event->kind == PRESERVE_HATCHED && preserve_epoch_life(event, &life);
    trees += is_birth && !epoch_end_has_form(forms_end, life.topology);
    ck_assert_int_eq(preserve_epoch_form(event, forms_end), 0);
}

/* The first of each tree is kept, as an egg: there are as many as trees, a mouth more is one. */
TEST(the_first_of_each_tree_is_kept)
{
    struct preserve_watcher watcher = {.hear = hear_forms};
    SCOPED(preserve_state) one;
    set("preserve.founders_copies=yes", "preserve.hunters=0", "preserve.hatch_s=1000");
    found();
    for (int i = 0; i < state.egg_count; i++)
        state.eggs[i].born_tick = -60000;
    for (int i = 0; i < state.egg_count / 2; i++)
        state.eggs[i].genome.bodies[1].mouth = MOUTH_PLANTS;
    ck_assert(tree_of(&state.eggs[0].genome) != tree_of(&state.eggs[4].genome));
    forms_end = epoch_end_create();
    ck_assert_int_eq(preserve_run(&state, &params, 300, &watcher, &memory, &error), 0);
    ck_assert_int_gt(state.living_count, 2);
    ck_assert_int_ge(trees, 2);
    ck_assert_int_eq(forms_end->form_count, trees);
    preserve_state_init(&one);
    ck_assert_int_eq(preserve_egg_unpack(&one, &forms_end->forms[1].egg, &error), 0);
    ck_assert_uint_eq(one.eggs[0].descent.id, forms_end->forms[1].life);
    for (int i = 0; i < state.living_count; i++)
        if (state.living[i].descent.id == forms_end->forms[1].life)
            ck_assert(genome_is_equal(&state.living[i].genome, &one.eggs[0].genome));
    epoch_end_destroy(forms_end);
}

/* Lets hunters live in a narrow water for 25 s; founders are children of `mother`, 0: of none.
 * Returns how many were bitten. */
static int count_bitten(uint64_t mother)
{
    int bitten = 0;
    found_hunters();
    for (int i = 0; i < state.egg_count; i++)
        state.eggs[i].descent.mother = mother;
    run(1500);
    ck_assert_int_ge(hatched, 3);
    for (int i = 0; i < state.living_count; i++)
        bitten += state.living[i].descent.mother == mother && state.living[i].bitten > 0;
    return bitten;
}

/* Children of one mother are spared; the same ones are prey when they are not. */
TEST(kin_is_spared)
{
    ck_assert_int_eq(count_bitten(1000), 0);
    ck_assert_int_gt(count_bitten(0), 0);
}

/* Settings, each after those before it, and what is said of them, or NULL. */
static const struct {
    const char *setting, *words;
} costs[] = {
    {"preserve.mouth_w=0.5", "never moves"},
    {"preserve.mouth_w=3", "never moves"}, /* too much for one; several mouths pay together */
    {"preserve.growth_1_s=0.01", "will shrink"},
    {"preserve.mouth_w=10", NULL},
    {"preserve.egg_j=2000", "child like itself"},
    {"preserve.egg_j=300", NULL},
    {"preserve.body_j_m2=6000", "will shrink"}, /* a body's price grows with it, no egg's does */
    {"preserve.egg_j=10", NULL},
    {"preserve.body_j_m2=1500", NULL}, /* large bodies say nothing about small ones */
};

TEST(what_would_not_pay_is_said)
{
    char text[256];
    ck_assert(!preserve_warn(&params, text, sizeof text));
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        set(costs[i].setting);
        int is_said = preserve_warn(&params, text, sizeof text);
        ck_assert_msg(costs[i].words ? is_said && strstr(text, costs[i].words) : !is_said, "%s: %s",
                      costs[i].setting, is_said ? text : "nothing");
    }
    params_set_recorded_defaults(&params); // of a run that is older than the parameter
    ck_assert_double_eq(params.preserve_egg_j, 300);
}

TEST(bodies_in_space_are_refused_by_name)
{
    creature_deinit(&creatures[1]);
    ck_ok(creature_read(&creatures[1], BOXES, &error));
    names[1] = BOXES;
    preserve_apply(&params);
    ck_refused_as(preserve_found(&state, &params, 7, 0, &founders, &memory, &error), ERR_USAGE,
                  BOXES ": there is no preserve of boxes");
    names[1] = SNAKE;
}

TEST(what_is_no_preserve_is_refused)
{
    set("preserve.width_m=16.2");
    ck_refused(preserve_check(&params, &error), ERR_USAGE, "preserve.width_m");
    set("preserve.width_m=16", "world.preset=land");
    ck_refused(preserve_check(&params, &error), ERR_USAGE, "world.gravity_m_s2");
    set("world.preset=water", "simulation.solver=constraint");
    ck_refused(preserve_check(&params, &error), ERR_RANGE, "simulation.solver");
}

/* Cut anywhere. */
TEST(a_part_of_a_state_is_refused)
{
    SCOPED(pack_writer) writer;
    struct preserve_state copy;
    set("preserve.width_m=8", "preserve.height_m=6");
    found_emitters();
    run(60);
    pack_writer_init(&writer);
    preserve_state_encode(&state, &writer);
    for (size_t i = 0; i < writer.buffer.size; i += 7)
        ck_assert_int_ne(preserve_state_decode(&copy, writer.buffer.data, i, &error), 0);
}

TEST(a_microjoule_too_much_is_seen_in_bytes)
{
    struct preserve_state copy;
    found();
    state.plants[5]++;
    ck_refused_as(through_bytes(&state, &copy), ERR_FORMAT, "ledger: stores and flows differ");
}

TEST(a_state_of_another_world_is_refused)
{
    found();
    set("preserve.width_m=8");
    ck_assert_int_eq(preserve_run(&state, &params, 1, NULL, &memory, &error), ERR_RANGE);
}

/* An order for a world whose state is `state`. */
static struct epoch_order *make_order(uint32_t epoch)
{
    struct epoch_order *order = epoch_order_create();
    ck_assert_ptr_nonnull(order);
    order->epoch = epoch;
    ck_assert_int_eq(preserve_state_pack(&state, &order->state), 0);
    return order;
}

static void begin(const struct epoch_order *order)
{
    struct preserve_watcher watcher = {.hear = hear};
    preserve_state_deinit(&state);
    ck_ok(preserve_epoch_begin(&state, &params, 7, order, &memory, &watcher, &error));
}

/* Founders wait as eggs: one leaves an epoch, and comes to another world with all its energy. */
TEST(an_egg_drifts_to_another_world)
{
    struct packed_bytes traveller = {NULL, 0};
    set("preserve.drift=1", "preserve.hatch_s=100");
    found();
    for (int i = 0; i < state.egg_count; i++)
        state.eggs[i].born_tick = state.tick;
    OWNED(epoch_order) *order = make_order(1);
    begin(order);
    ck_ok(preserve_epoch_live(&state, &params, order, NULL, &memory, &traveller, &error));
    ck_assert_int_eq(state.egg_count, 5);
    microjoules gone = state.ledger.departures;
    ck_assert(gone > 0 && traveller.length > 0);
    epoch_order_destroy(order);

    order = make_order(3);
    order->arrivals[order->arrival_count++] = traveller;
    begin(order);
    ck_assert_int_eq(state.egg_count, 6);
    ck_assert(state.ledger.arrivals == gone && state.eggs[5].born_tick == state.tick);
    preserve_state_check(&state);
}

TEST(who_must_not_live_does_not)
{
    found();
    run(60);
    ck_assert_int_ge(state.living_count, 3);
    OWNED(epoch_order) *order = make_order(1);
    uint64_t one = state.living[1].descent.id;
    int living = state.living_count;
    order->without[order->without_count++] = one;
    begin(order);
    ck_assert_int_eq(state.living_count, living - 1);
    ck_assert_int_eq(deaths[DEATH_REMOVED], 1);
    for (int i = 0; i < state.living_count; i++)
        ck_assert(state.living[i].descent.id != one);
    preserve_state_check(&state);
}

/* Does one deed at the beginning of an epoch. */
static void do_deed(struct epoch_deed deed)
{
    OWNED(epoch_order) *order = make_order(1);
    order->deeds[order->deed_count++] = deed;
    begin(order);
    preserve_state_check(&state);
}

static struct genome *copy_genome(const struct genome *genome)
{
    struct genome *copy = malloc(sizeof *copy);
    ck_assert_int_eq(genome_copy(copy, genome), 0);
    return copy;
}

/* What people bring in arrives, what they take out departs: the ledger stays equal. */
TEST(people_put_in_feed_and_remove)
{
    found();
    run(60);
    int eggs = state.egg_count, living = state.living_count;
    do_deed((struct epoch_deed){
        .kind = DEED_put, .x_m = 3, .y_m = 7, .genome = copy_genome(genomes[1])});
    ck_assert_int_eq(state.egg_count, eggs + 1);
    const struct creature_state *egg = &state.eggs[eggs];
    ck_assert(egg->reserve > 0 && state.ledger.arrivals == egg->reserve + egg->body);
    ck_assert_int_ge(egg->descent.family, 1000000);

    microjoules arrived = state.ledger.arrivals;
    memset(state.plants, 0, (size_t)state.plant_count * sizeof state.plants[0]);
    state.ledger.heat = state.ledger.start + state.ledger.sun + state.ledger.arrivals -
                        state.ledger.departures - preserve_state_total(&state);
    do_deed((struct epoch_deed){.kind = DEED_feed, .x_m = 5, .y_m = 5, .energy_uj = 120000000});
    microjoules given = state.ledger.arrivals - arrived;
    ck_assert(given > 119 * INT64_C(1000000) && given <= 120 * INT64_C(1000000));
    ck_assert(state.plants[10 * 32 + 10] > 0 && state.plants[0] == 0);
    do_deed(
        (struct epoch_deed){.kind = DEED_feed, .x_m = 5, .y_m = 5, .energy_uj = INT64_C(1) << 39});
    for (int i = 0; i < state.plant_count; i++)
        ck_assert(state.plants[i] <= 250 * INT64_C(1000000)); // 1000 J/m2, cells of 0.25 m2

    uint64_t gone = state.living[2].descent.id;
    microjoules held = state.living[2].reserve + state.living[2].body;
    do_deed((struct epoch_deed){.kind = DEED_remove, .life = gone});
    ck_assert_int_eq(state.living_count, living - 1);
    ck_assert_int_eq(deaths[DEATH_REMOVED], 1);
    ck_assert(state.ledger.departures == held);
    do_deed((struct epoch_deed){.kind = DEED_remove, .life = gone}); // no creature is there
    ck_assert(state.ledger.departures == held);
}

TEST(people_move_somebody)
{
    found();
    run(600);
    ck_assert_int_ge(state.living_count, 3);
    uint64_t one = state.living[0].descent.id;
    double x_m = state.living[0].x_m < 8 ? 12 : 4;
    do_deed((struct epoch_deed){.kind = DEED_move, .life = one, .x_m = x_m, .y_m = 5});
    ck_assert_double_lt(fabs(state.living[0].x_m - x_m), 3.1);
    double at = state.living[0].x_m, way_m = state.living[0].way_m;
    run(60);
    ck_assert_double_lt(fabs(state.living[0].x_m - at), 2);
    ck_assert_double_lt(state.living[0].way_m - way_m, 3);
}

/* A protected creature is not bitten. */
TEST(mouths_spare_who_is_protected)
{
    microjoules eaten[2];
    for (int is_spared = 0; is_spared < 2; is_spared++) {
        found_hunters();
        run(1);
        OWNED(epoch_order) *order = make_order(1);
        for (int i = 0; is_spared && i < state.living_count; i++)
            order->spared[order->spared_count++] = state.living[i].descent.id;
        for (int i = 0; is_spared && i < state.egg_count; i++)
            order->spared[order->spared_count++] = state.eggs[i].descent.id;
        begin(order);
        run(1500);
        eaten[is_spared] = state.counts.eaten[FOOD_LIVING];
    }
    ck_assert(eaten[0] > 0);
    ck_assert(eaten[1] == 0);
}

/* Worlds of a run have ids and families of their own. */
TEST(worlds_are_apart)
{
    SCOPED(preserve_state) other;
    found();
    ck_assert_int_eq(preserve_found(&other, &params, 7, 1, &founders, &memory, &error), 0);
    ck_assert(other.seed != state.seed);
    for (int i = 0; i < other.egg_count; i++)
        for (int k = 0; k < state.egg_count; k++)
            ck_assert(other.eggs[i].descent.id != state.eggs[k].descent.id &&
                      other.eggs[i].descent.family != state.eggs[k].descent.family);
}

TEST(hostile_packed_states_are_refused_or_read)
{
    SCOPED(preserve_state) copy;
    found();
    OWNED(epoch_order) *order = make_order(1);
    struct packed_bytes *packed = &order->state;
    size_t length = packed->length;
    for (size_t cut = 0; cut < length; cut += 37) {
        packed->length = cut;
        ck_assert_int_ne(preserve_state_unpack(&copy, packed, &error), 0);
    }
    packed->length = length;
    for (size_t i = 0; i < length; i += i < 16 ? 1 : 41) {
        packed->bytes[i] ^= 0x55;
        if (preserve_state_unpack(&copy, packed, &error) == 0)
            preserve_state_deinit(&copy);
        packed->bytes[i] ^= 0x55;
    }
    ck_assert_int_eq(preserve_state_unpack(&copy, packed, &error), 0);
    ck_assert(preserve_digest(&copy) == preserve_digest(&state));
}

SUITE("preserve", 60, setup, preserve_tear_down)
