/* evaluate(): purity, every verdict, the measures of creatures made by hand, the phases; and over
 * random creatures the ledger's residual and the energy of bodies without muscles. */
#include "simulator/evaluate/evaluate.h"

#include "common/judge/behaviour.h"
#include "common/judge/early_stop.h"
#include "tests/random_genome.h"
#include "tests/unit/body_fixture.h"
#include "tests/unit/genome_fixture.h"
#include "tests/unit/grown_fixture.h"

enum { RANDOM_CREATURES = 40, PASSIVE_CREATURES = 60 };

static struct evaluation result;

static void setup(void)
{
    grown_set_up(BODY_RECTANGLES);
    params.simulation_duration_s = 4;
}

/* ---------------------------------------------------------------- creatures made by hand */

static struct body_gene *add_body(double width_m, double height_m)
{
    return grown_rectangle(width_m, height_m, JOINT_ROTARY, -1, 1);
}

/* Hangs a body by the middle of its left face on a face of another. */
static void hang(gene_id from, gene_id to, int face, double position, double angle_rad)
{
    struct connection_gene *connection = grown_hang(from, to, face, FACE_LEFT);
    connection->parent_position = position;
    connection->angle_rad = angle_rad;
}

/* Drives a body's joint with a wave of its own; ids from 1001. */
static void drive(gene_id body, double frequency_hz, double amplitude_rad, double phase_turns)
{
    struct body_gene *gene = &genome.bodies[body - 1];
    struct neuron_gene *neuron = genome_add(&genome, GENOME_NEURONS);
    ck_assert_ptr_nonnull(neuron);
    neuron->id = 1000 + (gene_id)genome.neuron_count;
    neuron->owner = body;
    neuron->function = NEURON_OSCILLATE_WAVE;
    neuron->initial = phase_turns;
    neuron->inputs[0] = fixture_constant(frequency_hz, 1);
    neuron->inputs[1] = fixture_constant(amplitude_rad, 1);
    neuron->inputs[2] = fixture_constant(0, 1);
    gene->has_effector = 1;
    gene->effector_strength = 1;
    gene->effector_input = fixture_neuron(SCOPE_OWN, neuron->id, 0, 1);
}

static void check_genome(void)
{
    ck_ok(genome_check(&genome, &error));
}

/* Three links in a row, both joints waving. */
static void make_worm(double frequency_hz)
{
    for (int i = 0; i < 3; i++)
        add_body(0.4, 0.1);
    hang(1, 2, FACE_RIGHT, 0, 0);
    hang(2, 3, FACE_RIGHT, 0, 0);
    drive(2, frequency_hz, 0.8, 0);
    drive(3, frequency_hz, 0.8, 0.3);
    check_genome();
}

/* A trunk on two slanting legs, without muscles unless driven. */
static void make_table(int is_driven)
{
    add_body(0.6, 0.1);
    add_body(0.5, 0.08);
    add_body(0.5, 0.08);
    hang(1, 2, FACE_BOTTOM, 0.8, 0.4);
    hang(1, 3, FACE_BOTTOM, -0.8, 0.4);
    if (is_driven) {
        drive(2, 0, 0, 0);
        drive(3, 0, 0, 0);
    }
    check_genome();
}

/* A stiff body that does nothing. */
static void make_stone(void)
{
    add_body(0.5, 0.2);
    add_body(0.2, 0.2)->joint = JOINT_RIGID;
    hang(1, 2, FACE_RIGHT, 0, 0);
    check_genome();
}

static int run(void)
{
    evaluate(&genome, &params, 7, &arena, NULL, NULL, &result);
    return result.verdict;
}

/* ck_verdict(expected), or with settings before the run: ck_verdict(expected, "key=value", ...) */
#define ck_verdict(...) ck_verdict_by(__VA_ARGS__, NULL, NULL)
#define ck_verdict_by(expected, setting, ...)                                                      \
    ck_verdict_of(expected, (const char *const[]){setting, __VA_ARGS__})

static void ck_verdict_of(int expected, const char *const *settings)
{
    set_each(settings);
    int verdict = run();
    ck_assert_msg(verdict == expected, "%s instead of %s", verdict_name(verdict),
                  verdict_name(expected));
}

static void run_worm(double frequency_hz)
{
    make_worm(frequency_hz);
    ck_verdict(VERDICT_OK);
}

/* ---------------------------------------------------------------- purity */

static int count_views(void *context, const struct evaluate_view *view)
{
    (void)view;
    ++*(int *)context;
    return 0;
}

static void ck_same(const struct evaluation *a, const struct evaluation *b)
{
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_uint_eq(a->digest, b->digest);
    ck_assert_mem_eq(&a->measures, &b->measures, sizeof a->measures);
    ck_assert_uint_eq(a->arena_bytes, b->arena_bytes);
}

TEST(the_result_depends_on_the_inputs_alone)
{
    struct genome other = {0};
    int views = 0;
    run_worm(1);
    struct evaluation first = result;

    /* again in the same arena, and in a fresh, dirty one */
    run();
    ck_same(&first, &result);
    arena_open(EVALUATE_ARENA_BYTES + 4096);
    memset(arena.base, 0xa5, arena.size_bytes);
    run();
    ck_same(&first, &result);

    /* after another creature in another world */
    ck_assert_int_eq(genome_copy(&other, &genome), 0);
    other.bodies[1].width_m = 0.7;
    struct params water = params;
    ck_assert_int_eq(params_set(&water, "world.preset", "water", &error), 0);
    evaluate(&other, &water, 9, &arena, NULL, NULL, &result);
    ck_assert_uint_ne(first.digest, result.digest);
    genome_deinit(&other);
    run();
    ck_same(&first, &result);

    /* watched */
    evaluate(&genome, &params, 7, &arena, count_views, &views, &result);
    ck_same(&first, &result);
    ck_assert_int_gt(views, 240);
}

TEST(the_digest_tells_motions_apart_and_nothing_else)
{
    make_worm(1);
    run();
    uint64_t digest = result.digest;
    /* a seed counts where it moves something */
    evaluate(&genome, &params, 8, &arena, NULL, NULL, &result);
    ck_assert_uint_eq(result.digest, digest);
    params.simulation_perturbation = 1;
    run();
    uint64_t turned = result.digest;
    evaluate(&genome, &params, 8, &arena, NULL, NULL, &result);
    ck_assert_uint_ne(result.digest, turned);
    params.simulation_perturbation = 0;
    genome.bodies[2].width_m = nextafter(genome.bodies[2].width_m, 1);
    run();
    ck_assert_uint_ne(result.digest, digest);
    genome.bodies[2].width_m = 0.4;
    params.world_friction += 1e-6;
    run();
    ck_assert_uint_ne(result.digest, digest);
    params_set_defaults(&params);
    params.simulation_duration_s = 4;
    run();
    ck_assert_uint_eq(result.digest, digest);
}

TEST(a_small_arena_is_noticed)
{
    make_worm(1);
    run();
    size_t needed = result.arena_bytes;
    for (size_t size = 64; size < needed; size += size / 3) {
        arena_open(size);
        ck_verdict(VERDICT_MEMORY);
    }
    arena_open(needed);
    ck_verdict(VERDICT_OK);
}

/* ---------------------------------------------------------------- verdicts */

TEST(verdict_ok_and_motionless)
{
    make_stone();
    ck_verdict(VERDICT_MOTIONLESS);
    ck_assert_double_eq_tol(result.measures.time_s, 2, 1e-9);
    ck_assert_double_lt(result.measures.displacement_m, 1e-3);
    ck_verdict(VERDICT_OK, "guard.motionless_s=0");
    ck_assert_double_eq_tol(result.measures.time_s, 4, 1e-9);
}

TEST(verdict_not_expressed)
{
    add_body(0.5, 0.2);
    check_genome();
    ck_verdict(VERDICT_NOT_EXPRESSED);
    ck_assert_double_eq(result.measures.parts, 0);
    ck_verdict(VERDICT_MOTIONLESS, "creature.parts_min=1");
    ck_assert_double_eq(result.measures.parts, 1);
}

/* Two arms that lean against one another, their tips overlapping, and can give way. */
static void make_overlapping_arms(void)
{
    add_body(0.6, 0.1);
    add_body(0.3, 0.1);
    add_body(0.3, 0.1);
    hang(1, 2, FACE_TOP, 0.4, -0.3);
    hang(1, 3, FACE_TOP, -0.4, 0.3);
    check_genome();
}

static int count_pushes(void *context, const struct evaluate_view *view)
{
    *(int *)context += view->phase == PHASE_PUSH_APART;
    return 0;
}

TEST(verdict_overlap)
{
    make_overlapping_arms();
    ck_verdict(VERDICT_OVERLAP, "creature.overlap=reject");
    set("creature.overlap=push");
    ck_assert_int_ne(run(), VERDICT_OVERLAP);
    ck_assert_double_gt(result.measures.settle_s, 0);
    /* stiff arms cannot give way */
    genome.bodies[1].joint = genome.bodies[2].joint = JOINT_RIGID;
    ck_verdict(VERDICT_OVERLAP);
    /* and are not pushed for long: nothing moves */
    int pushes = 0;
    evaluate(&genome, &params, 7, &arena, count_pushes, &pushes, &result);
    ck_assert_int_eq(result.verdict, VERDICT_OVERLAP);
    ck_assert_int_gt(pushes, 0);
    ck_assert_int_le(pushes, 4);
}

TEST(verdict_unsettled)
{
    make_table(0);
    ck_verdict(VERDICT_UNSETTLED, "settle.limit_s=0.3");
    set("settle.required=no");
    ck_assert_int_ne(run(), VERDICT_UNSETTLED);
    set("settle.limit_s=0", "settle.required=yes");
    ck_assert_int_ne(run(), VERDICT_UNSETTLED);
    ck_assert_double_eq(result.measures.settle_s, 0);
}

/* Nothing presses it on the ground: it stands there at once, by either solver. */
TEST_LOOP(nothing_settles_without_gravity, 0, 2)
{
    make_table(1);
    params.simulation_solver = _i ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
    set("world.gravity_m_s2=0");
    ck_assert_int_eq(params.world_ground, 1);
    ck_assert_int_ne(run(), VERDICT_UNSETTLED);
    ck_assert(verdict_is_scored(result.verdict));
    ck_assert_double_eq(result.measures.settle_s, 0);
    ck_assert_double_eq_tol(result.measures.lowest_start_m, 0, 1e-9);
}

/* What falls pays for its way with the height that it loses. */
TEST(a_fall_is_no_cheap_way)
{
    make_table(0);
    set("settle.drop_m=2", "settle.limit_s=0", "guard.motionless_s=0");
    run();
    ck_assert(verdict_is_scored(result.verdict));
    ck_assert_double_eq(result.measures.work_in_j, 0);
    ck_assert_double_lt(result.measures.way_y_m, -1.9);
    ck_assert_double_ge(result.measures.cost_of_transport, 0.9);
}

/* The greatest distance between two points is that of the stretched worm, whichever way it is
 * turned. */
TEST(the_size_of_a_body_is_that_of_its_motion)
{
    run_worm(1);
    double stretched_m = hypot(1.2, 0.1);
    ck_assert_double_le(result.measures.size_max_m, 1.01 * stretched_m);
    ck_assert_double_ge(result.measures.size_max_m, 0.95 * stretched_m);
}

/* Explicit drag that is too fast even for the smallest steps explodes; all guards are off. */
static void explode(void)
{
    set("world.preset=water", "simulation.integrator=rk4", "simulation.brain_hz=20",
        "simulation.dt_s=0.05", "world.drag_law=quadratic", "world.quadratic_drag_kg_m2=100",
        "rectangles.density_kg_m2=0.01", "guard.speed_m_s=0", "guard.turn_rad=0",
        "guard.joint_speed_rad_s=0", "guard.energy_share=0", "guard.reversals_hz=0",
        "guard.momentum_share=0", "world.viscosity_pa_s=0");
}

TEST(verdict_not_finite)
{
    make_worm(1);
    explode();
    ck_verdict(VERDICT_NOT_FINITE);
    for (int i = 0; i < MEASURE_COUNT; i++)
        ck_assert(isfinite(measures_get(&result.measures, i)));
}

TEST(verdict_too_fast)
{
    make_worm(1);
    ck_verdict(VERDICT_TOO_FAST, "guard.speed_m_s=0.2");
    ck_assert_double_gt(result.measures.speed_max_m_s, 0.2);
    ck_assert_double_lt(result.measures.speed_max_m_s, 0.4);
    ck_assert_double_lt(result.measures.time_s, 4);
}

TEST(verdict_spinning)
{
    make_worm(1);
    ck_verdict(VERDICT_SPINNING, "guard.turn_rad=0.005");
}

TEST(verdict_joint_speed)
{
    run_worm(1);
    double fastest = result.measures.joint_speed_max_rad_s;
    uint64_t digest = result.digest;
    ck_assert_double_lt(fastest, 20);
    /* its peak is shorter than what the guard waits for */
    params.guard_joint_speed_rad_s = 0.999 * fastest;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_eq(result.digest, digest);
    /* but it is a pulse */
    params.guard_joint_pulse_s = 1e-6;
    ck_verdict(VERDICT_JOINT_SPEED);
    params.guard_joint_pulse_s = 0;
    ck_verdict(VERDICT_OK);
    params.guard_joint_speed_rad_s = 0.5 * fastest;
    ck_verdict(VERDICT_JOINT_SPEED);
    ck_assert_double_gt(result.measures.joint_speed_max_rad_s, 0.5 * fastest);
    ck_assert_int_eq(verdict_is_scored(VERDICT_JOINT_SPEED), 0);
    /* the other kind of joint has a limit of its own */
    ck_verdict(VERDICT_OK, "guard.joint_speed_rad_s=off", "guard.joint_speed_m_s=0.001");
}

TEST(verdict_penetration)
{
    make_worm(2);
    ck_verdict(VERDICT_PENETRATION, "guard.penetration_m=0.0000001");
    ck_assert_double_gt(result.measures.penetration_max_m, 1e-7);
    ck_verdict(VERDICT_OK, "guard.penetration_m=0");
}

TEST(verdict_energy)
{
    /* servos far too stiff for the step; midpoint steps are not halved */
    make_worm(1);
    ck_verdict(VERDICT_ENERGY, "world.preset=water", "simulation.integrator=midpoint",
               "simulation.dt_s=0.0166666666666667", "creature.servo_rad_s=200",
               "rectangles.strength_n=10", "creature.hill_curvature=0", "guard.energy_share=0.001");
    ck_assert_double_gt(result.measures.residual_j + result.measures.gain_unearned_j, 0);
    set("guard.energy_share=0");
    ck_assert_int_ne(run(), VERDICT_ENERGY);
}

/* What shall be explicit is refused: 2 k h / (density side) is 0.5 at most. Else even water forty
 * times as thick is swum in: implicit steps help, and steps that adapt. */
TEST(verdict_unstable_drag)
{
    make_worm(1);
    set("world.preset=water", "simulation.duration_s=1", "simulation.integrator=rk4",
        "world.viscosity_pa_s=5.99");
    ck_assert_int_ne(run(), VERDICT_UNSTABLE_DRAG);
    ck_verdict(VERDICT_UNSTABLE_DRAG, "world.viscosity_pa_s=6.01");
    ck_verdict(VERDICT_OK, "simulation.solver=constraint");
    ck_verdict(VERDICT_OK, "simulation.solver=articulated", "simulation.integrator=auto");
    ck_verdict(VERDICT_OK, "world.viscosity_pa_s=100", "rectangles.density_kg_m2=2");
    ck_assert_double_lt(fabs(result.measures.residual_j), 1e-3 * result.measures.work_in_j);
}

TEST(verdict_vibration)
{
    make_worm(2);
    ck_verdict(VERDICT_VIBRATION, "guard.reversals_hz=1");
    ck_assert_double_ge(result.measures.time_s, 1);
    ck_verdict(VERDICT_OK, "guard.reversals_hz=20");
}

/* A worm that keeps the pace asked for goes on; one that would not, though it moved a quarter faster
 * from now on, is stopped at the time, not before, and keeps the score it had then. */
TEST(verdict_hopeless)
{
    run_worm(1.5);
    double pace_m_s = result.measures.distance_max_m / result.measures.time_s;
    uint64_t digest = result.digest;
    params.guard_hopeless_m_s = 100;
    params.guard_hopeless_s = 3600;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_eq(result.digest, digest);
    params.guard_hopeless_s = 1.5;
    ck_verdict(VERDICT_HOPELESS);
    ck_assert_double_eq_tol(result.measures.time_s, 1.5, 1e-9);
    ck_assert_double_gt(result.measures.distance_max_m, 0);
    ck_assert_int_eq(verdict_is_scored(VERDICT_HOPELESS), 1);
    double left_s = params.simulation_duration_s - 1.5;
    double hoped_m = result.measures.distance_max_m * (1.5 + 1.25 * left_s) / 1.5;
    params.guard_hopeless_m_s = 1.001 * hoped_m / params.simulation_duration_s;
    ck_verdict(VERDICT_HOPELESS);
    ck_assert_double_eq_tol(result.measures.time_s, 1.5, 1e-9);
    params.guard_hopeless_m_s = 0.999 * hoped_m / params.simulation_duration_s;
    run();
    ck_assert_double_gt(result.measures.time_s, 1.51);
    /* a creature that slows down later is stopped later */
    params.guard_hopeless_s = 0.5;
    params.guard_hopeless_m_s = 1.01 * pace_m_s;
    ck_verdict(VERDICT_HOPELESS);
    params.guard_hopeless_m_s = 0.1 * pace_m_s;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_eq(result.digest, digest);
}

/* Every bar up to the least pace gives the same result, and every one above it stops the worm;
 * early_stop_is_same() says so, and what a worm that was stopped tells of other bars. */
TEST(least_pace)
{
    static const double shares[] = {0, 0.5, 1 - 1e-9, 1 + 1e-9, 1.02, 2};
    make_worm(1.5);
    params.guard_hopeless_s = 0.5;
    ck_verdict(VERDICT_OK);
    struct evaluation free = result;
    ck_assert_double_gt(free.pace_least_m_s, 0);
    ck_assert_double_le(free.pace_least_m_s, free.measures.distance_max_m / free.measures.time_s);
    for (int held = 0; held < 6; held++) {
        struct early_stop_bar held_bar = {shares[held] * free.pace_least_m_s, 0};
        struct params plain = params;
        early_stop_apply_bar(&held_bar, &params);
        ck_verdict(held < 3 ? VERDICT_OK : VERDICT_HOPELESS);
        struct evaluation at_first = result;
        for (int other = 0; other < 6; other++) {
            struct early_stop_bar bar = {0, shares[other] * free.pace_least_m_s /
                                                free.measures.size_m};
            params = plain;
            early_stop_apply_bar(&bar, &params);
            ck_verdict(other < 3 ? VERDICT_OK : VERDICT_HOPELESS);
            int is_same = result.digest == at_first.digest && result.verdict == at_first.verdict &&
                          measures_find_difference(&result.measures, &at_first.measures) < 0;
            if (early_stop_is_same(&held_bar, &bar, at_first.verdict, &at_first.measures,
                                   at_first.pace_least_m_s, &plain))
                ck_assert_msg(is_same, "bar %g said to be as good as %g", shares[other],
                              shares[held]);
            else
                ck_assert_msg(held >= 3 || other >= 3, "bar %g said to be other than %g",
                              shares[other], shares[held]);
        }
        params = plain;
    }
    /* none was looked at before that time */
    params.guard_hopeless_s = 3600;
    ck_verdict(VERDICT_OK);
    ck_assert_double_eq(result.pace_least_m_s, 0);
    ck_assert_int_eq(early_stop_is_same(&(struct early_stop_bar){0, 0},
                                        &(struct early_stop_bar){900, 0}, VERDICT_OK,
                                        &result.measures, 0, &params),
                     1);
}

/* A neuron between a body's oscillator and its joint: open from `start_s` on. */
static void delay(gene_id body, double start_s)
{
    static const int functions[3] = {NEURON_INTEGRATE, NEURON_SUM_THRESHOLD, NEURON_IF};
    gene_id wave = genome.bodies[body - 1].effector_input.source;
    for (int i = 0; i < 3; i++) {
        struct neuron_gene *neuron = genome_add(&genome, GENOME_NEURONS);
        ck_assert_ptr_nonnull(neuron);
        neuron->id = 1000 + (gene_id)genome.neuron_count;
        neuron->owner = body;
        neuron->function = (uint8_t)functions[i];
        for (int k = 0; k < 3; k++)
            neuron->inputs[k] = fixture_constant(0, 1);
    }
    struct neuron_gene *rows = &genome.neurons[genome.neuron_count - 3];
    gene_id first = rows[0].id;
    rows[0].inputs[0] = fixture_constant(1, 1);
    memset(&rows[0].inputs[2], 0, sizeof rows[0].inputs[2]);
    rows[1].inputs[0] = fixture_neuron(SCOPE_OWN, first, 0, 1);
    rows[1].inputs[2] = fixture_constant(start_s, 1);
    rows[2].inputs[0] = fixture_neuron(SCOPE_OWN, first + 1, 0, 1);
    rows[2].inputs[1] = fixture_neuron(SCOPE_OWN, wave, 0, 1);
    genome.bodies[body - 1].effector_input = fixture_neuron(SCOPE_OWN, first + 2, 0, 1);
}

/* What the bar of survivors costs: a late starter that would beat the survivor is stopped; without
 * the bar, or with one that waits longer, it wins. */
TEST(a_bar_stops_late_starters)
{
    set("world.preset=water");
    params.simulation_duration_s = 8;
    params.evolution_behaviour = BEHAVIOUR_WALK;
    params.guard_motionless_s = 0;
    params.guard_hopeless_share = 0.5;
    run_worm(0.5);
    struct measures survivor = result.measures;
    struct early_stop_bar bar = early_stop_make_bar(early_stop_of(&survivor, &params), &params);
    ck_assert(early_stop_has_bar(&bar));
    genome_deinit(&genome);
    genome_init(&genome);
    genome.root = 1;
    make_worm(1.5);
    delay(2, 3.5);
    delay(3, 3.5);
    check_genome();
    ck_verdict(VERDICT_OK);
    ck_assert_double_gt(behaviour_fitness(VERDICT_OK, &result.measures, &params),
                        behaviour_fitness(VERDICT_OK, &survivor, &params));
    uint64_t digest = result.digest;
    struct params off = params;
    early_stop_apply_bar(&bar, &params);
    ck_verdict(VERDICT_HOPELESS);
    ck_assert_double_eq_tol(result.measures.time_s, params.guard_hopeless_s, 1e-9);
    ck_assert_double_lt(behaviour_fitness(VERDICT_HOPELESS, &result.measures, &params),
                        behaviour_fitness(VERDICT_OK, &survivor, &params));
    params.guard_hopeless_s = 7;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_eq(result.digest, digest);
    params = off;
    ck_verdict(VERDICT_OK);
}

static struct evaluation run_with_budget(uint64_t work)
{
    params.guard_budget = 1e-9 * (double)work;
    run();
    return result;
}

/* An evaluation takes the same work each time, a solver's adaptive steps included. A budget that is
 * enough changes nothing; a smaller one ends the evaluation there. */
TEST_LOOP(verdict_budget, 0, 2)
{
    static const char *const solvers[] = {"articulated", "constraint"};
    make_worm(1);
    set(printed("simulation.solver=%s", solvers[_i]));
    set("simulation.duration_s=1", "guard.motionless_s=0");
    struct evaluation whole = run_with_budget(0);
    ck_assert_int_eq(whole.verdict, VERDICT_OK);
    ck_assert_uint_gt(whole.work, 100000);
    struct evaluation enough = run_with_budget(whole.work + 1000);
    ck_same(&whole, &enough);
    ck_assert_uint_eq(whole.work, enough.work);
    for (uint64_t share = 1; share < 20; share += 6) {
        uint64_t budget = whole.work * share / 20;
        struct evaluation spent = run_with_budget(budget), again = run_with_budget(budget);
        ck_assert_int_eq(spent.verdict, VERDICT_BUDGET);
        ck_assert_uint_ge(spent.work, budget);
        ck_assert_uint_le(spent.work, budget + whole.work / 20);
        ck_same(&spent, &again);
    }
}

/* Cheap for the one solver, dear for the other. */
TEST(a_budget_counts_what_a_solver_does)
{
    make_worm(1);
    set("simulation.duration_s=1", "guard.motionless_s=0");
    uint64_t work = run_with_budget(0).work;
    ck_assert_int_eq(run_with_budget(3 * work).verdict, VERDICT_OK);
    set("simulation.solver=constraint");
    ck_assert_int_eq(run_with_budget(3 * work).verdict, VERDICT_BUDGET);
}

/* Falls 2 m: lands at t = sqrt(2 h / g) at the end of that tick. */
TEST(verdict_landed)
{
    make_stone();
    ck_verdict(VERDICT_LANDED, "settle.drop_m=2", "guard.motionless_s=0", "simulation.until=touch");
    double fall_s = sqrt(2 * 2 / 9.81);
    ck_assert_double_ge(result.measures.time_s, fall_s - 1e-9);
    ck_assert_double_le(result.measures.time_s, fall_s + 2.0 / 60);
    ck_assert_double_eq_tol(result.measures.lowest_start_m, 2, 1e-12);
    ck_assert_double_eq(result.measures.settle_s, 0);
    ck_verdict(VERDICT_OK, "simulation.until=time");
}

/* A touch in any step of a tick is one: it bounces, and no longer touches at the tick's end. */
TEST_LOOP(bounces_are_touches, 0, 8)
{
    make_stone();
    set("guard.motionless_s=0", "guard.energy_share=0", "world.elasticity=1",
        "creature.elasticity=1");
    params.settle_drop_m = 0.5 + 0.01 * _i;
    double fall_s = sqrt(2 * params.settle_drop_m / 9.81);
    ck_verdict(VERDICT_LANDED, "simulation.until=touch");
    ck_assert_double_le(result.measures.time_s, fall_s + 2.0 / 60);
    ck_verdict(VERDICT_OK, "simulation.until=time");
    ck_assert_double_gt(result.measures.contact_share, 0);
    /* half a period down, half up, again and again: the mean height is two thirds */
    ck_assert_double_eq_tol(result.measures.lowest_mean_m, params.settle_drop_m * 2 / 3, 0.06);
    ck_assert_double_eq_tol(result.measures.clearance_mean_m, params.settle_drop_m * 2 / 3, 0.06);
}

TEST(verdict_fell)
{
    make_stone();
    ck_verdict(VERDICT_FELL, "world.ground=no", "guard.motionless_s=0", "simulation.until=fall");
    ck_assert_double_eq(result.measures.fell, 1);
    ck_assert_double_lt(result.measures.time_s, 0.3);
    ck_verdict(VERDICT_OK, "simulation.until=time", "guard.speed_m_s=0");
    ck_assert_double_eq(result.measures.fell, 1);
    ck_verdict(VERDICT_OK, "world.gravity_m_s2=0");
    ck_assert_double_eq(result.measures.fell, 0);
}

TEST(verdict_unbalanced)
{
    make_stone();
    add_body(0.05, 0.05);
    hang(2, 3, FACE_RIGHT, 0, 0);
    check_genome();
    ck_verdict(VERDICT_MOTIONLESS, "guard.mass_ratio=57");
    set("guard.mass_ratio=55"); /* 0.14 m2 on 0.0025 m2: 56 */
    ck_verdict(VERDICT_UNBALANCED);
    ck_verdict(VERDICT_MOTIONLESS, "guard.mass_ratio=0");
}

/* A share below rounding shows that the guard looks. */
TEST(verdict_momentum)
{
    /* what rounding leaves, and no more, in flight as on the ground */
    static const char *const grounds[] = {"world.ground=no", "world.ground=yes"};
    make_worm(1.5);
    set("guard.speed_m_s=0");
    for (int i = 0; i < 2; i++) {
        set(grounds[i]);
        ck_verdict(VERDICT_OK, "guard.momentum_share=1e-13");
        ck_verdict(VERDICT_MOMENTUM, "guard.momentum_share=1e-20");
        ck_verdict(VERDICT_OK, "guard.momentum_share=0");
    }
    ck_verdict(VERDICT_OK, "guard.momentum_share=1e-20", "simulation.solver=constraint",
               "simulation.duration_s=1");

    /* with drag, too, of either law */
    set("simulation.solver=articulated", "world.ground=no");
    for (int i = 0; i < 2; i++) {
        set(i ? "world.drag_law=quadratic" : "world.viscosity_pa_s=1");
        ck_verdict(VERDICT_OK, "world.quadratic_drag_kg_m2=0.5", "guard.momentum_share=1e-12");
        ck_verdict(VERDICT_MOMENTUM, "guard.momentum_share=1e-20");
    }
}

/* ---------------------------------------------------------------- measures */

/* What must hold of the measures of anything that ran to the end. */
static void check_measures(const struct measures *m)
{
    double windows = 0;
    for (int i = 0; i < MEASURE_WINDOWS; i++)
        windows += measures_get(m, MEASURE_window_1_m + i);
    ck_assert_double_eq_tol(
        windows, params.world_gravity_m_s2 > 0 ? m->distance_m : m->displacement_m, 1e-9);
    ck_assert_double_le(m->distance_m, m->reach_m + 1e-12);
    ck_assert_double_le(m->reach_m, m->distance_max_m + 1e-12);
    ck_assert_double_le(m->head_mean_m, m->head_max_m + 1e-12);
    ck_assert_double_le(m->distance_m, m->displacement_m + 1e-12);
    ck_assert_double_le(m->displacement_m, m->distance_max_m + 1e-12);
    ck_assert_double_le(m->distance_max_m, m->path_m + 1e-12);
    ck_assert_double_le(m->lowest_start_m, m->lowest_max_m);
    ck_assert_double_le(m->height_start_m, m->height_max_m);
    ck_assert_double_le(m->height_mean_m, m->height_max_m + 1e-12);
    ck_assert_double_ge(m->work_in_j, m->work_net_j - 1e-12);
    ck_assert_double_ge(m->contact_share, 0);
    ck_assert_double_le(m->contact_share, 1);
    ck_assert_double_ge(m->rk4_share, 0);
    ck_assert_double_le(m->rk4_share, 1);
    double losses = m->loss_friction_j + m->loss_impact_j + m->loss_limit_j + m->loss_drag_j +
                    m->loss_damping_j;
    double change = m->energy_end_j - m->energy_start_j;
    ck_assert_double_eq_tol(change, m->work_net_j - losses + m->gain_unearned_j + m->residual_j,
                            1e-9);
    if (m->displacement_m > 0)
        ck_assert_double_eq_tol(
            m->cost_of_transport,
            (m->work_in_j + m->mass_kg * params.world_gravity_m_s2 * fmax(-m->way_y_m, 0)) /
                (m->mass_kg * 9.81 * m->displacement_m),
            1e-9);
    ck_assert_double_ge(m->clearance_mean_m, 0);
    ck_assert_double_ge(fmax(m->lowest_max_m, 0) + 1e-12, m->clearance_mean_m);
}

TEST(measures_of_a_worm_on_land)
{
    run_worm(1);
    const struct measures *m = &result.measures;
    check_measures(m);
    ck_assert_double_eq(m->parts, 3);
    ck_assert_double_eq(m->links, 3);
    ck_assert_double_eq(m->neurons, 2);
    ck_assert_double_eq_tol(m->mass_kg, 0.12, 1e-12);
    ck_assert_double_eq_tol(m->size_m, hypot(1.2, 0.1), 0.01);
    ck_assert_double_eq_tol(m->time_s, 4, 1e-9);
    ck_assert_double_ge(m->settle_s, 0.5);
    ck_assert_double_eq_tol(m->lowest_start_m, 0, 1e-3);
    ck_assert_double_eq_tol(m->height_start_m, 0.05, 1e-3);
    ck_assert_double_gt(m->height_max_m, 0.06);
    ck_assert_double_gt(m->work_in_j, 0.05);
    ck_assert_double_gt(m->loss_impact_j, 0);
    ck_assert_double_gt(m->loss_friction_j, 0);
    ck_assert_double_eq(m->loss_drag_j, 0);
    ck_assert_double_gt(m->contact_share, 0.5);
    ck_assert_double_lt(m->residual_share, 0.05);
    ck_assert_double_gt(m->joint_speed_max_rad_s, 1);
    ck_assert_double_lt(m->rk4_share, 0.5);
}

TEST(measures_of_a_worm_in_water)
{
    make_worm(1);
    ck_verdict(VERDICT_OK, "world.preset=water");
    const struct measures *m = &result.measures;
    check_measures(m);
    ck_assert_double_eq(m->settle_s, 0);
    ck_assert_double_eq_tol(m->size_m, hypot(1.2, 0.1), 1e-9);
    ck_assert_double_eq_tol(m->lowest_start_m, -0.05, 1e-9);
    ck_assert_double_eq_tol(m->height_start_m, 0, 1e-9);
    ck_assert_double_eq(m->contact_share, 0);
    ck_assert_double_gt(m->loss_drag_j, 0.01);
    ck_assert_double_eq(m->loss_friction_j + m->loss_impact_j, 0);
    ck_assert_double_gt(m->displacement_m, 0.01);
    ck_assert_double_gt(m->rk4_share, 0.9);
    ck_assert_double_lt(m->residual_share, 1e-3);
}

/* A perturbation is another start of the same creature: another motion, but a like one; each number
 * has its own; of size 0 it is none. */
TEST(perturbations_change_a_little)
{
    uint64_t digests[4];
    make_worm(1.5);
    for (int i = 0; i < 4; i++) {
        params.simulation_perturbation = i;
        ck_verdict(VERDICT_OK);
        digests[i] = result.digest;
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(digests[i], digests[k]);
        ck_assert_double_lt(result.measures.lowest_start_m, 2e-3);
        ck_assert_double_gt(result.measures.lowest_start_m, -2e-3);
    }
    params.exam_turn_rad = params.exam_drop_m = params.exam_slope_rad = 0;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_ne(result.digest, digests[0]);
    params.exam_friction_share = 0;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_eq(result.digest, digests[0]);
    params.exam_turn_rad = 1e-3;
    ck_verdict(VERDICT_OK);
    ck_assert_uint_ne(result.digest, digests[0]);
}

/* Which way it went, and how often the joints turned round. */
TEST(measures_of_the_way)
{
    run_worm(1.5);
    ck_assert_double_eq(fabs(result.measures.way_x_m), result.measures.distance_m);
    ck_assert_double_eq_tol(hypot(result.measures.way_x_m, result.measures.way_y_m),
                            result.measures.displacement_m, 1e-12);
    double way_m = result.measures.way_x_m;
    ck_assert_double_gt(fabs(way_m), 0.01);
    /* with the phases the other way round the wave runs the other way, and so does the worm */
    genome.neurons[1].initial = -0.3;
    ck_verdict(VERDICT_OK);
    ck_assert_double_lt(result.measures.way_x_m * way_m, 0);
    /* where nothing shakes them, joints turn round twice in a wave */
    ck_verdict(VERDICT_OK, "world.preset=water");
    ck_assert_double_eq_tol(result.measures.reversals_max_hz, 3, 0.5);
}

TEST(without_effectors_nothing_works)
{
    make_worm(1);
    ck_verdict(VERDICT_MOTIONLESS, "creature.effectors=no");
    ck_assert_double_eq(result.measures.work_in_j, 0);
    ck_assert_double_eq(result.measures.work_net_j, 0);
}

struct watch {
    int phases[3];      /* views of each phase */
    double score_q[3];  /* joint angles when scoring starts */
    double last_time_s; /* of the scored time */
    uint64_t steps[2];  /* at the first two views of the scored time */
    double stop_s;      /* stops there; 0: never */
    int is_consistent;
};

static int watch_view(void *context, const struct evaluate_view *view)
{
    struct watch *watch = context;
    uint64_t steps = view->dynamics->steps;
    watch->phases[view->phase]++;
    watch->is_consistent &= view->phenotype && view->dynamics && view->brain && view->sensors &&
                            view->signals && view->ledger;
    if (view->phase != PHASE_SCORE)
        return 0;
    int seen = watch->phases[PHASE_SCORE];
    if (seen == 1) {
        /* everything starts from rest */
        watch->is_consistent &= view->ledger->kinetic_j == 0 && view->ledger->loss_impact_j == 0;
        for (int i = 0; i < 3 && i + 1 < view->phenotype->body->link_count; i++)
            watch->score_q[i] = view->dynamics->q[3 + i];
    }
    if (seen <= 2)
        watch->steps[seen - 1] = steps;
    watch->is_consistent &= seen == 1 ? view->time_s == 0 : view->time_s > watch->last_time_s;
    watch->last_time_s = view->time_s;
    return watch->stop_s > 0 && view->time_s >= watch->stop_s - 1e-9;
}

static struct watch run_watched(double stop_s)
{
    struct watch watch = {.stop_s = stop_s, .is_consistent = 1};
    evaluate(&genome, &params, 7, &arena, watch_view, &watch, &result);
    return watch;
}

TEST(phases_and_ticks_are_seen_in_order)
{
    make_worm(1);
    struct watch watch = run_watched(0);
    ck_assert(watch.is_consistent);
    ck_assert_int_eq(watch.phases[PHASE_PUSH_APART], 0);
    ck_assert_int_ge(watch.phases[PHASE_SETTLE], 30);
    ck_assert_int_eq(watch.phases[PHASE_SCORE], 1 + 240);
    ck_assert_double_eq_tol(watch.last_time_s, 4, 1e-9);
    ck_assert_uint_eq(watch.steps[1] - watch.steps[0], 4);
}

struct spending {
    double up_to_j[1000];
    int count;
};

static int note_spending(void *context, const struct evaluate_view *view)
{
    struct spending *spending = context;
    if (view->phase == PHASE_SCORE)
        spending->up_to_j[spending->count++] = view->ledger->work_effector_positive_j;
    return 0;
}

/* A tenth of a second is six ticks, or twelve, or one that is longer. */
TEST_LOOP(power_is_by_mass_and_its_greatest_over_a_tenth_of_a_second, 0, 3)
{
    static const char *const rates[] = {"simulation.brain_hz=60", "simulation.brain_hz=120",
                                        "simulation.brain_hz=8"};
    static const int window[] = {6, 12, 1};
    make_worm(1.5);
    struct spending spending = {.count = 0};
    double most_j = 0;
    set(rates[_i]);
    evaluate(&genome, &params, 7, &arena, note_spending, &spending, &result);
    const struct measures *m = &result.measures;
    double tick_s = m->time_s / (spending.count - 1);
    for (int k = window[_i]; k < spending.count; k++)
        most_j = fmax(most_j, spending.up_to_j[k] - spending.up_to_j[k - window[_i]]);
    ck_assert_double_eq_tol(m->power_w_kg, m->work_in_j / m->mass_kg / m->time_s, 1e-12);
    ck_assert_double_eq_tol(m->power_max_w_kg, most_j / m->mass_kg / (window[_i] * tick_s), 1e-9);
    ck_assert_double_gt(m->power_max_w_kg, 1.2 * m->power_w_kg);
}

/* The scored time is the nearest whole number of ticks, a tick a whole number of steps. */
TEST(durations_and_steps_are_rounded)
{
    static const struct {
        const char *settings[3];
        double time_s;
        int steps_per_tick;
    } cases[] = {
        {{"simulation.duration_s=0.1", "simulation.brain_hz=60", "simulation.dt_s=0.0042"}, 0.1, 4},
        {{"simulation.duration_s=0.33", "simulation.brain_hz=60", "simulation.dt_s=0.02"},
         1.0 / 3,
         1},
        {{"simulation.duration_s=1", "simulation.brain_hz=7", "simulation.dt_s=0.004"}, 1, 36},
        {{"simulation.duration_s=1", "simulation.brain_hz=240", "simulation.dt_s=0.001"}, 1, 5},
    };
    make_worm(1);
    set("world.preset=water", "creature.servo_rad_s=5", "guard.energy_share=0");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int k = 0; k < 3; k++)
            set(cases[i].settings[k]);
        struct watch watch = run_watched(0);
        ck_assert_double_eq_tol(result.measures.time_s, cases[i].time_s, 1e-9);
        ck_assert_uint_eq(watch.steps[1] - watch.steps[0], (unsigned)cases[i].steps_per_tick);
    }
}

TEST(the_integrator_is_chosen)
{
    make_worm(1);
    set("world.preset=water", "simulation.integrator=rk4");
    run();
    ck_assert_double_eq(result.measures.rk4_share, 1);
    double path = result.measures.path_m;
    set("simulation.integrator=midpoint");
    run();
    ck_assert_double_eq(result.measures.rk4_share, 0);

    /* both find the same motion, to the order of the step */
    ck_assert_double_eq_tol(result.measures.path_m, path, 1e-3 * path);
}

TEST(muscles_hold_while_settling_or_not)
{
    make_table(1);
    set("settle.effectors=hold");
    struct watch watch = run_watched(0);
    ck_assert_double_lt(fabs(watch.score_q[0]), 0.2);
    ck_assert_double_lt(fabs(watch.score_q[1]), 0.2);
    double standing = result.measures.height_start_m;
    set("settle.effectors=limp");
    watch = run_watched(0);
    ck_assert_double_gt(fabs(watch.score_q[0]), 0.5);
    ck_assert_double_lt(result.measures.height_start_m, 0.8 * standing);
}

/* ---------------------------------------------------------------- random creatures */

static void make_random(uint64_t id)
{
    genome_deinit(&genome);
    random_genome(&genome, &params, RNG_RANDOM_GENOME, 24, id);
}

/* Half of the work that it takes ends an evaluation of any kind of body. */
TEST_LOOP(half_a_budget_ends_every_kind, 0, BODY_KIND_COUNT)
{
    int ended = 0;
    params.creature_body = _i;
    params.simulation_duration_s = 2;
    for (uint64_t id = 1; id <= 20; id++) {
        make_random(id);
        struct evaluation whole = run_with_budget(0);
        if (whole.verdict != VERDICT_OK)
            continue;
        struct evaluation part = run_with_budget(whole.work / 2), again;
        again = run_with_budget(whole.work / 2);
        ck_assert_int_eq(part.verdict, VERDICT_BUDGET);
        ck_assert_uint_le(part.work, whole.work * 6 / 10);
        ck_same(&part, &again);
        ended++;
    }
    ck_assert_int_gt(ended, 3);
}

/* (|residual| + unearned gain) / (work + losses) of the first so many creatures that are scored;
 * returns how many others were disqualified for their energy. */
static int measure_residuals(const char *preset, double shares[RANDOM_CREATURES])
{
    int count = 0, refused = 0;
    set(preset);
    for (uint64_t id = 1; count < RANDOM_CREATURES && id <= 3 * RANDOM_CREATURES; id++) {
        make_random(id);
        run();
        for (int i = 0; i < MEASURE_COUNT; i++)
            ck_assert(isfinite(measures_get(&result.measures, i)));
        refused += result.verdict == VERDICT_ENERGY;
        if (!verdict_is_scored(result.verdict))
            continue;
        check_measures(&result.measures);
        shares[count++] = result.measures.residual_share;
    }
    ck_assert_int_eq(count, RANDOM_CREATURES);
    return refused;
}

/* Measured over 10 s: see docs/physics-trust.md. */
TEST_LOOP(the_ledger_of_random_creatures_balances, 0, 2)
{
    static const struct {
        const char *preset;
        double median, most;
    } worlds[] = {{"world.preset=land", 3e-3, 2e-2}, {"world.preset=water", 3e-4, 5e-3}};
    params.simulation_duration_s = 10;
    double shares[RANDOM_CREATURES];
    int refused = measure_residuals(worlds[_i].preset, shares);
    double median = stage_quantile(shares, RANDOM_CREATURES, 0.5);
    double most = stage_quantile(shares, RANDOM_CREATURES, 0.9);
    ck_assert_double_lt(median, worlds[_i].median);
    ck_assert_double_lt(most, worlds[_i].most);
    ck_assert_int_le(refused, RANDOM_CREATURES / 20);
}

static struct dynamics_settings passive_settings(void)
{
    struct dynamics_settings settings = stage_default_settings();
    settings.joint_damping_1_s = params.creature_joint_damping_1_s;
    return settings;
}

/* Drops a body without muscles from 0.5 m; returns by how much its energy ever exceeded its start,
 * as a share of m g H with the height H of its centre of mass; -1 if it overlaps at birth. */
static double drop(const struct phenotype *phenotype, const struct world *world)
{
    struct dynamics_settings settings = passive_settings();
    struct dynamics *d = dynamics_create(phenotype, world, &settings, &arena);
    double q[BODY_DOF_MAX * 4], bounds[4], most = -1;
    ck_assert_ptr_nonnull(d);
    if (dynamics_overlap(d) > 2e-3)
        return -1;
    read_bounds(d, bounds);
    memcpy(q, d->q, (size_t)d->dof * sizeof q[0]);
    q[1] += 0.5 - bounds[1];
    dynamics_set_state(d, q, d->qd);
    dynamics_set_effectors(d, EFFECTORS_SLACK);
    dynamics_reset_ledger(d);
    double start = dynamics_ledger(d)->potential_j;
    for (int step = 0; step < 5 * 240; step++) {
        ck_assert_int_eq(dynamics_step(d), 0);
        const struct ledger *l = dynamics_ledger(d);
        most = fmax(most, (l->kinetic_j + l->potential_j - start) / start);
    }
    return most;
}

TEST(dropped_bodies_never_gain_energy)
{
    struct world world;
    double most = -1;
    int dropped = 0;
    world_init(&world, &params, BODY_RECTANGLES);
    for (uint64_t id = 1; dropped < PASSIVE_CREATURES && id <= 5 * PASSIVE_CREATURES; id++) {
        struct phenotype phenotype;
        make_random(id);
        arena_reset(&arena);
        if (phenotype_express(&phenotype, &genome, &params, &arena) != VERDICT_OK)
            continue;
        world.elasticity = id % 3 == 0 ? 0.5 : 0;
        double excess = drop(&phenotype, &world);
        dropped += excess > -1;
        most = fmax(most, excess);
    }
    ck_assert_int_eq(dropped, PASSIVE_CREATURES);
    ck_assert_double_lt(most, 1e-3);
}

/* ---------------------------------------------------------------- views */

struct course {
    struct measures last, middle;
    double middle_s;
};

static int watch_measures(void *context, const struct evaluate_view *view)
{
    struct course *course = context;
    evaluate_measures(view, &course->last);
    if (view->phase == PHASE_SCORE && view->time_s <= course->middle_s + 1e-9)
        course->middle = course->last;
    return 0;
}

static int stop_in_the_middle(void *context, const struct evaluate_view *view)
{
    const struct course *course = context;
    return view->phase == PHASE_SCORE && view->time_s >= course->middle_s - 1e-9;
}

/* At every view they are what the evaluation would give if it ended there, and looking changes
 * nothing. */
TEST(measures_of_a_view_are_those_of_stopping_there)
{
    struct course course = {.middle_s = 1.5};
    struct evaluation seen, stopped;
    run_worm(1);
    evaluate(&genome, &params, 7, &arena, watch_measures, &course, &seen);
    ck_same(&seen, &result);
    ck_assert_mem_eq(&course.last, &result.measures, sizeof course.last);
    evaluate(&genome, &params, 7, &arena, stop_in_the_middle, &course, &stopped);
    ck_assert_double_eq_tol(stopped.measures.time_s, 1.5, 1e-9);
    ck_assert_mem_eq(&course.middle, &stopped.measures, sizeof course.middle);
    ck_assert(memcmp(&course.middle, &course.last, sizeof course.last) != 0);
}

static void still_effectors(void *context, struct phenotype *phenotype)
{
    ++*(int *)context;
    for (int i = 0; i < phenotype->effector_count; i++)
        phenotype->effectors[i].input = (struct wire){.kind = WIRE_CONSTANT};
}

static void leave_alone(void *context, struct phenotype *phenotype)
{
    ++*(int *)context;
}

TEST(an_edited_phenotype_is_simulated)
{
    struct evaluation edited;
    int edits = 0;
    const struct genome *one = &genome;
    const struct evaluate_order order = {.genomes = &one, .count = 1, .params = &params, .seed = 7};
    run_worm(1);
    evaluate_list(&order, &(struct evaluate_onlooker){leave_alone, NULL, &edits}, &arena, &edited);
    ck_assert_int_eq(edits, 1);
    ck_same(&edited, &result);
    evaluate_list(&order, &(struct evaluate_onlooker){still_effectors, NULL, &edits}, &arena,
                  &edited);
    ck_assert_uint_ne(edited.digest, result.digest);
    ck_assert_double_eq(edited.measures.neurons, 0);
    ck_assert_double_lt(edited.measures.work_in_j, 0.1 * result.measures.work_in_j);
}

SUITE("evaluate", 120, setup, grown_tear_down)
