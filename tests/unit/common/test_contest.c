/* Contests: margins by hand, starts, the object, and what a whole contest keeps. */
#include "common/creature/creature.h"
#include "common/judge/measures.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "simulator/evaluate/contest.h"
#include "simulator/evaluate/run.h"
#include "tests/plain_fixture.h"

#define SEEKER "tests/creatures/seek-land3d-sims-4.creature"
#define OTHER  "tests/creatures/seek-land3d-sims-2.creature"

#define WORM "examples/creatures/earthworm.json"

#define QUARTER (DET_PI / 2)

static struct creature creatures[2];
static const struct genome *genomes[2];
static struct contest_result result;

/* The contest of a test, as its observer sees it. */
static struct {
    struct part_state parts[CONTEST_BODIES][PHENOTYPE_PARTS_MAX];
    int part_count;
    struct vec3 first_p, first_l, p[CONTEST_BODIES], l[CONTEST_BODIES];
    double exchange_j[CONTEST_BODIES], least_exchange_j, p_off, l_off, exchange_off_j;
    double object_moved_m, felt[2];
    struct vec3 object;
    int ticks;
} seen;

/* Two alike that are compared tick by tick. */
static struct {
    struct part_state parts[PHENOTYPE_PARTS_MAX]; /* of the first */
    double stretches[PHENOTYPE_PARTS_MAX];
    double off, most_stretch; /* of all ticks */
    int ticks, is_flat;
} alike;

static void setup(void)
{
    memset(&seen, 0, sizeof seen);
    memset(&alike, 0, sizeof alike);
    arena_open(2 * EVALUATE_ARENA_BYTES);
    params_set_defaults(&params);
    contest_apply(&params);
    set("simulation.duration_s=6");
    for (int i = 0; i < 2; i++) {
        creature_init(&creatures[i]);
        genomes[i] = &creatures[i].genome;
    }
}

static void teardown(void)
{
    creature_deinit(&creatures[0]);
    creature_deinit(&creatures[1]);
}

/* Creatures of files, in the world of the first, that see the object where they saw the light. */
static void read_seekers(const char *a, const char *b)
{
    ck_ok(creature_read(&creatures[0], a, &error));
    ck_ok(creature_read(&creatures[1], b, &error));
    params = creatures[0].params;
    for (int i = 0; i < 2; i++)
        genome_exchange_sights(&creatures[i].genome, SIGHT_LIGHT, SIGHT_OBJECT);
    contest_apply(&params);
}

/* A limp plate, standing. */
static void make_plate(int i, int kind, double width_m, double height_m)
{
    struct genome *genome = &creatures[i].genome;
    genome_deinit(genome);
    genome->kind = (uint8_t)kind;
    struct body_gene *body = genome_add(genome, GENOME_BODIES);
    ck_assert_ptr_nonnull(body);
    genome->root = body->id = 1;
    body->width_m = width_m;
    body->height_m = height_m;
    if (kind == BODY_BOXES)
        body->box.depth_m = width_m;
    body->joint = JOINT_RIGID;
    body->recursive_limit = 1;
    set("creature.parts_min=1");
}

/* Two of them, alike. */
static void make_plates(int kind, double width_m, double height_m)
{
    for (int i = 0; i < 2; i++)
        make_plate(i, kind, width_m, height_m);
}

static void contend(double heading_rad, evaluate_observer *observer, void *context,
                    struct contest_result *outcome)
{
    const struct contest_bout bout = {
        .seed = 1, .heading_rad = heading_rad, .line_m = params.contest_line_m};
    evaluate_contest(genomes, &params, &bout, &arena, observer, context, outcome);
}

static void fight(double heading_rad, evaluate_observer *observer, void *context)
{
    ck_ok(contest_check(genomes[0], genomes[1], &params, &error));
    contend(heading_rad, observer, context, &result);
    ck_assert(result.sides[0].margin + result.sides[1].margin == 0);
}

/* ---------------------------------------------------------------- margins */

static double judge(double start_m, double a_m, double b_m)
{
    for (int i = 0; i < 2; i++)
        result.sides[i] = (struct contest_side){.verdict = VERDICT_OK,
                                                .start_m = start_m,
                                                .least_m = i ? b_m : a_m,
                                                .distance_m = i ? b_m : a_m,
                                                .touched_s = -1};
    contest_judge(&params, &result);
    ck_assert(result.sides[0].margin + result.sides[1].margin == 0);
    return result.sides[0].margin;
}

TEST(margins_are_as_by_hand)
{
    ck_assert_double_eq_tol(judge(1, 0.1, 0.3), 0.5, 1e-15);
    ck_assert_double_eq_tol(judge(1, 0.3, 0.1), -0.5, 1e-15);
    ck_assert_double_eq(judge(1, 0, 0), 0);
    ck_assert_double_eq(judge(1, 0.9, 1), 0); /* it did not come near */
    set("contest.goal=sumo");
    ck_assert_double_eq(judge(1, 0.2, 0.5), (0.5 - 0.2) / 1.5);
    ck_assert_double_eq(judge(1, 0.2, 1.6), 1);
    ck_assert_double_eq(judge(1, 1.6, 1.7), 0);
    set("contest.goal=push");
    result.object_way_m = -CONTEST_CUBE_M;
    ck_assert_double_eq(judge(1, 0, 0), -0.5);
    set("contest.goal=tag");
    ck_assert_double_eq(judge(1, 3, 0), -0.75); /* none is caught */
    result.sides[0].touched_s = 1.5;
    contest_judge(&params, &result);
    ck_assert_double_eq(result.sides[0].margin, 1 - 1.5 / 6);
    result.sides[0].verdict = VERDICT_VIBRATION;
    contest_judge(&params, &result);
    ck_assert_double_eq(result.sides[0].margin, -CONTEST_WALKOVER);
    result.sides[1].verdict = VERDICT_ENERGY;
    contest_judge(&params, &result);
    ck_assert_double_eq(result.sides[0].margin, 0);
}

TEST(what_cannot_meet_is_named)
{
    make_plate(0, BODY_RECTANGLES, 0.2, 0.5);
    make_plate(1, BODY_BOXES, 0.2, 0.5);
    ck_refused_as(contest_check(genomes[0], genomes[1], &params, &error), ERR_USAGE,
                  "rectangles and boxes do not meet: contests are of like with like");
    ck_assert_int_eq(contest_check(genomes[0], genomes[0], &params, &error), 0);
    set("contest.line_m=0.2");
    ck_assert_int_eq(contest_check(genomes[0], genomes[0], &params, &error), ERR_USAGE);
    set("contest.goal=tag");
    ck_assert_int_eq(contest_check(genomes[0], genomes[0], &params, &error), 0);
    set("world.relief_m=0.1");
    ck_assert_int_eq(contest_check(genomes[0], genomes[0], &params, &error), ERR_USAGE);
    set("world.relief_m=0", "simulation.solver=constraint");
    ck_refused_as(contest_check(genomes[0], genomes[0], &params, &error), ERR_RANGE,
                  "several creatures in one world are moved by "
                  "simulation.solver articulated only, not by constraint");
    set("simulation.solver=articulated");
    creatures[1].genome.kind = BODY_SPHERES;
    ck_refused_as(contest_check(genomes[1], genomes[1], &params, &error), ERR_USAGE,
                  "there are no contests of spheres");
}

/* ---------------------------------------------------------------- starts */

static void sum_up(void)
{
    struct vec3 p = {0, 0, 0}, l = {0, 0, 0};
    double exchange_j = 0;
    for (int i = 0; i < CONTEST_BODIES; i++) {
        p = vec3_add(p, seen.p[i]);
        l = vec3_add(l, seen.l[i]);
        exchange_j += seen.exchange_j[i];
        seen.least_exchange_j = fmin(seen.least_exchange_j, seen.exchange_j[i]);
    }
    if (seen.ticks++ == 0) {
        seen.first_p = p;
        seen.first_l = l;
    }
    seen.p_off = fmax(seen.p_off, vec3_length(vec3_sub(p, seen.first_p)));
    seen.l_off = fmax(seen.l_off, vec3_length(vec3_sub(l, seen.first_l)));
    seen.exchange_off_j = fmax(seen.exchange_off_j, fabs(exchange_j));
}

static int look(void *context, const struct evaluate_view *view)
{
    if (view->phase != PHASE_SCORE)
        return 0;
    int i = view->creature;
    struct vec3 centre = dynamics_centre_of_mass(view->dynamics);
    dynamics_momentum(view->dynamics, &seen.p[i], &seen.l[i]);
    seen.exchange_j[i] = view->ledger->exchange_j;
    if (i < 2 && view->time_s > 0)
        seen.felt[i] = view->sensors[SENSOR_OBJECT_LEVEL] + view->sensors[SENSOR_OTHER_LEVEL];
    for (int k = 0; k < view->phenotype->part_count && view->time_s == 0; k++)
        dynamics_part_state(view->dynamics, k, &seen.parts[i][k]);
    if (i < 2)
        return 0;
    if (view->time_s == 0)
        seen.object = centre;
    seen.object_moved_m = fmax(seen.object_moved_m, vec3_length(vec3_sub(centre, seen.object)));
    sum_up();
    return 0;
}

/* The second one stands as the first after half a turn about the vertical, to the bit; and a pair
 * of equals is even, as long as it does not matter in which order sums are made. */
TEST(the_second_starts_after_half_a_turn)
{
    read_seekers(SEEKER, SEEKER);
    set("simulation.duration_s=0.2");
    contend(2.5, look, NULL, &result);
    for (int k = 0; k < 3; k++) {
        const struct part_state *a = &seen.parts[0][k], *b = &seen.parts[1][k];
        ck_assert(a->at_m.x == -b->at_m.x && a->at_m.y == b->at_m.y && a->at_m.x != 0);
        ck_assert_double_eq_tol(a->at_m.z, -b->at_m.z, 1e-15);
    }
    ck_assert_double_eq_tol(result.sides[0].margin, 0, 1e-6);
    ck_assert(seen.felt[0] > 0.1);
}

/* What half a turn about the vertical, or the mirror of the plane, makes of a state. */
static struct part_state turned(const struct part_state *s, int is_flat)
{
    double z = is_flat ? 1 : -1;
    return (struct part_state){
        .at_m = {-s->at_m.x, s->at_m.y, z * s->at_m.z},
        .velocity_m_s = {-s->velocity_m_s.x, s->velocity_m_s.y, z * s->velocity_m_s.z},
        .spin_rad_s = {-s->spin_rad_s.x, s->spin_rad_s.y, -s->spin_rad_s.z}};
}

static int compare_sides(void *context, const struct evaluate_view *view)
{
    if (view->phase != PHASE_SCORE || view->creature > 1)
        return 0;
    alike.ticks += view->creature;
    for (int k = 0; k < view->phenotype->part_count; k++) {
        struct part_state now;
        double stretch = alike.is_flat ? dynamics_part_stretch(view->dynamics, k) : 0;
        dynamics_part_state(view->dynamics, k, &now);
        if (view->creature == 0) {
            alike.parts[k] = now;
            alike.stretches[k] = stretch;
            continue;
        }
        struct part_state other = turned(&alike.parts[k], alike.is_flat);
        double off = vec3_distance(now.at_m, other.at_m) +
                     vec3_distance(now.velocity_m_s, other.velocity_m_s) +
                     vec3_distance(now.spin_rad_s, other.spin_rad_s) +
                     fabs(stretch - alike.stretches[k]);
        alike.off = fmax(alike.off, off);
        alike.most_stretch = fmax(alike.most_stretch, fabs(stretch));
    }
    return 0;
}

/* A champion against itself, 200 m apart: all the way it is half a turn of the other one. */
TEST_LOOP(equals_move_after_half_a_turn, 1, 5)
{
    const char *path = printed("tests/creatures/seek-land3d-sims-%d.creature", _i);
    read_seekers(path, path);
    set("simulation.duration_s=5", "contest.line_m=100");
    contend(2.5, compare_sides, NULL, &result);
    ck_assert(alike.ticks > 60);
    ck_assert(alike.off == 0);
}

/* Two worms that stretch and bend are mirror images of one another, on land. */
TEST(worms_are_mirrored)
{
    alike.is_flat = 1;
    for (int i = 0; i < 2; i++)
        ck_ok(creature_read(&creatures[i], WORM, &error));
    set("creature.stretch_max=0.5", "simulation.duration_s=1", "contest.line_m=5");
    contend(0, compare_sides, NULL, &result);
    ck_assert(alike.most_stretch > 0.2);
    ck_assert(alike.off == 0);
}

/* A hash of the motion of each body, or of its mirror image: x and what turns negated. */
struct mirror_hash {
    double sign;
    uint64_t of[CONTEST_BODIES];
};

static int hash_mirrored(void *context, const struct evaluate_view *view)
{
    struct mirror_hash *hash = context;
    uint64_t *of = &hash->of[view->creature];
    for (int k = 0; k < view->phenotype->part_count && view->phase == PHASE_SCORE; k++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, k, &s);
        const double values[] = {
            hash->sign * s.at_m.x,         s.at_m.y,
            hash->sign * s.velocity_m_s.x, s.velocity_m_s.y,
            hash->sign * s.spin_rad_s.z,   dynamics_part_stretch(view->dynamics, k)};
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
            *of = hash_double(*of, values[i]);
    }
    return 0;
}

static void check_mirrored_side(const struct contest_side *a, const struct contest_side *b)
{
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert(a->start_m == b->start_m && a->least_m == b->least_m);
    ck_assert(a->distance_m == b->distance_m && a->touched_s == b->touched_s);
    ck_assert(a->margin == b->margin);
}

static void exchange(void)
{
    const struct genome *first = genomes[0];
    genomes[0] = genomes[1];
    genomes[1] = first;
}

/* Two creatures of the plane and the object, and the same with sides exchanged: all that happens is
 * the mirror image, to the bit, also where all touch one another. */
static void check_mirrored(const char *path_a, const char *path_b, const char *preset, int goal)
{
    struct mirror_hash hash = {.sign = 1}, other = {.sign = -1};
    struct contest_result mirrored;
    struct contest_pair pair;
    creature_deinit(&creatures[0]);
    creature_deinit(&creatures[1]);
    ck_ok(creature_read(&creatures[0], path_a, &error));
    ck_ok(creature_read(&creatures[1], path_b, &error));
    set(printed("world.preset=%s", preset));
    params.contest_goal = goal;
    contend(0, hash_mirrored, &hash, &result);
    exchange();
    contend(0, hash_mirrored, &other, &mirrored);
    for (int i = 0; i < 2; i++)
        check_mirrored_side(&result.sides[i], &mirrored.sides[!i]);
    ck_assert(result.object_way_m == 0 - mirrored.object_way_m);
    ck_assert(hash.of[0] == other.of[1] && hash.of[1] == other.of[0] && hash.of[2] == other.of[2]);
    evaluate_pair(genomes, &params, &arena, &pair);
    for (int i = 0; i < 2; i++)
        check_mirrored_side(&pair.results[0].sides[i], &pair.results[1].sides[i]);
}

#define EXAMPLE(name) "examples/creatures/" name
static const struct mirrored_pair {
    const char *a, *b, *preset;
} mirrored_pairs[] = {
    {EXAMPLE("walker-1.creature"), EXAMPLE("walker-2.creature"), "land"},
    {EXAMPLE("walker-3.creature"), EXAMPLE("strider.json"), "land"},
    {EXAMPLE("inchworm.json"), EXAMPLE("biped.json"), "land"},
    {WORM, EXAMPLE("tail.json"), "land"},
    {WORM, EXAMPLE("seeker.json"), "water"},
    {EXAMPLE("fish.json"), EXAMPLE("pusher.json"), "water"},
    {EXAMPLE("water-seeker-1.creature"), EXAMPLE("water-seeker-2.creature"), "water"},
    {EXAMPLE("biped.json"), EXAMPLE("flapper.json"), "water"},
};

TEST_LOOP(exchanged_sides_in_the_plane_are_the_mirror_image, 0,
          sizeof mirrored_pairs / sizeof mirrored_pairs[0])
{
    static const int goals[] = {CONTEST_CUBE, CONTEST_SUMO, CONTEST_BALL};
    const struct mirrored_pair *of = &mirrored_pairs[_i];
    set("creature.stretch_max=0.5", "contest.line_m=0.3");
    for (size_t k = 0; k < sizeof goals / sizeof goals[0]; k++)
        check_mirrored(of->a, of->b, of->preset, goals[k]);
}

/* Margins of two that meet nothing are exchanged with sides, to the bit. */
TEST(calm_pairs_exchange_their_margins)
{
    struct contest_result exchanged;
    read_seekers(SEEKER, OTHER);
    set("contest.line_m=3");
    fight(QUARTER, NULL, NULL);
    genomes[0] = &creatures[1].genome;
    genomes[1] = &creatures[0].genome;
    contend(QUARTER, NULL, NULL, &exchanged);
    ck_assert(result.sides[0].touched_s < 0 && result.sides[1].touched_s < 0);
    ck_assert(result.sides[0].distance_m < result.sides[0].start_m);
    ck_assert(result.sides[0].distance_m == exchanged.sides[1].distance_m);
    ck_assert(result.sides[0].margin == -exchanged.sides[0].margin);
}

/* A plate that tips over its edge reaches the line, and no farther: height gains nothing. */
TEST_LOOP(height_gains_nothing, 0, 2)
{
    int kind = _i ? BODY_BOXES : BODY_RECTANGLES;
    make_plate(0, kind, 0.1, 0.8);
    make_plate(1, kind, 0.3, 0.2);
    contend(0, look, NULL, &result);
    ck_assert_int_eq(result.sides[0].verdict, VERDICT_OK);
    ck_assert_double_eq_tol(seen.parts[0][0].at_m.x, -(0.5 + 0.8 + 0.05), 1e-4);
    ck_assert_double_eq_tol(seen.parts[1][0].at_m.x, 0.5 + 0.2 + 0.15, 1e-4);
    /* the cube was not touched, and did not move, which is no win */
    ck_assert(seen.object_moved_m == 0 && result.object_way_m == 0);
    ck_assert(result.sides[0].touched_s == -1 && result.sides[0].margin == 0);
}

/* ---------------------------------------------------------------- in the dark */

enum { TICKS = 120, SENSED = 5 };
struct sensed {
    double values[2][TICKS + 1][SENSED]; /* per creature and tick */
};

static int sense(void *context, const struct evaluate_view *view)
{
    static const int of[SENSED] = {SENSOR_SOUND_ALONG, SENSOR_SOUND_LEVEL, SENSOR_SCENT_1_ALONG,
                                   SENSOR_SCENT_1_LEVEL, SENSOR_OTHER_LEVEL};
    struct sensed *sensed = context;
    int tick = (int)(view->time_s * 60 + 0.5);
    for (int k = 0; k < SENSED && view->phase == PHASE_SCORE && view->creature < 2; k++)
        sensed->values[view->creature][tick][k] = view->sensors[of[k]];
    return 0;
}

/* The plate is loud and smells. */
static void make_loud(int i)
{
    struct emitter_gene *emitters = creatures[i].genome.bodies[0].emitters;
    for (int k = 0; k < EMITTER_COUNT; k++) {
        emitters[k].is_there = 1;
        emitters[k].input = (struct input_gene){.kind = INPUT_CONSTANT, .value = 1, .weight = 1};
    }
}

/* Two plates 4 m apart in still water, where sound is slow. */
static void meet_in_the_dark(int kind, const char *goal, int first_is_loud, int second_is_loud,
                             struct sensed *sensed)
{
    make_plates(kind, 0.2, 0.2);
    set("world.preset=water", goal, "contest.line_m=1.9", "contest.dark=yes", "sensor.sound=yes",
        "sensor.scent=yes", "sound.speed_m_s=8", "scent.range_m=3", "scent.fade_s=100",
        "simulation.duration_s=2");
    contest_apply(&params);
    if (first_is_loud)
        make_loud(0);
    if (second_is_loud)
        make_loud(1);
    memset(sensed, 0, sizeof *sensed);
    fight(0, sense, sensed);
}

static int senses_alike(const double a[TICKS + 1][SENSED], const double b[TICKS + 1][SENSED],
                        double off)
{
    for (int tick = 0; tick <= TICKS; tick++)
        for (int k = 0; k < SENSED; k++)
            if (fabs(a[tick][k] - b[tick][k]) > off)
                return 0;
    return 1;
}

/* The silent one hears the loud one after 4 m at 8 m/s, with 1 / (1 + 16), from ahead, and smells
 * it later; the loud one senses nothing of the silent one, nor its own voice. Exchanged creatures
 * sense the same, and two loud ones sense one another alike: in space to the bit; in the plane the
 * sine of half a turn is not 0. */
TEST_LOOP(creatures_hear_and_smell_one_another, 0, 2)
{
    static struct sensed one, exchanged, both;
    int kind = _i ? BODY_BOXES : BODY_RECTANGLES;
    double off = _i ? 0 : 1e-12;
    meet_in_the_dark(kind, "contest.goal=tag", 1, 0, &one);
    for (int tick = 1; tick <= TICKS; tick++) {
        const double *quiet = one.values[1][tick], *loud = one.values[0][tick];
        ck_assert_double_eq_tol(quiet[1], tick > 30 ? 1.0 / 17 : 0, 1e-9);
        ck_assert_double_eq_tol(quiet[0], tick > 30 ? 1 : 0, 1e-9);
        ck_assert(loud[0] == 0 && loud[1] == 0 && loud[4] == 0 && quiet[4] == 0);
    }
    ck_assert_double_eq(one.values[1][5][3], 0);
    ck_assert_double_gt(one.values[1][TICKS][2], 0.99);
    ck_assert_double_gt(one.values[1][TICKS][3], 1e-6);
    ck_assert_double_gt(one.values[0][TICKS][3], 0.3);
    meet_in_the_dark(kind, "contest.goal=tag", 0, 1, &exchanged);
    ck_assert(senses_alike(one.values[0], exchanged.values[1], off));
    ck_assert(senses_alike(one.values[1], exchanged.values[0], off));
    meet_in_the_dark(kind, "contest.goal=tag", 1, 1, &both);
    ck_assert(senses_alike(both.values[0], both.values[1], off));
    ck_assert_double_gt(both.values[0][TICKS][1], 0.05);
}

/* Two that are silent hear a cube 2 m away: after 2 m at 8 m/s, with 1 / (1 + 4), from ahead. */
TEST_LOOP(the_object_calls_in_the_dark, 0, 2)
{
    static struct sensed sensed;
    int kind = _i ? BODY_BOXES : BODY_RECTANGLES;
    meet_in_the_dark(kind, "contest.goal=cube", 0, 0, &sensed);
    for (int i = 0; i < 2; i++)
        for (int tick = 1; tick <= TICKS; tick++) {
            const double *heard = sensed.values[i][tick];
            double distance_m = heard[1] > 0 ? sqrt(1 / heard[1] - 1) : 2;
            ck_assert_double_eq(heard[1] > 0, tick > 15);
            ck_assert_double_eq_tol(distance_m, 2, 0.1);
            ck_assert_double_eq_tol(heard[0], tick > 15 ? 1 : 0, 1e-6);
        }
}

/* A fall is heard. */
TEST(blows_are_heard)
{
    static struct sensed sensed;
    double loudest = 0;
    make_plates(BODY_RECTANGLES, 0.2, 0.2);
    set("contest.goal=tag", "sensor.sound=yes", "settle.drop_m=0.2", "simulation.duration_s=2");
    fight(0, sense, &sensed);
    for (int tick = 0; tick <= TICKS; tick++)
        loudest = fmax(loudest, sensed.values[0][tick][1]);
    ck_assert_double_gt(loudest, 0.05);
    ck_assert_double_eq(sensed.values[0][5][1], 0);
    ck_assert_double_lt(sensed.values[0][TICKS][1], 0.01);
}

/* ---------------------------------------------------------------- whole contests */

/* A champion of the light goes for the cube, and pushes it. */
TEST(a_seeker_takes_the_cube)
{
    struct contest_result again;
    read_seekers(SEEKER, OTHER);
    set("simulation.duration_s=5.5");
    fight(QUARTER, look, NULL);
    ck_assert(result.sides[0].touched_s > 0 && result.sides[0].touched_s < 6);
    ck_assert(seen.object_moved_m > 0.001);
    ck_assert(seen.exchange_off_j < 1e-12);
    ck_assert(seen.least_exchange_j < 0);
    contend(QUARTER, NULL, NULL, &again);
    ck_assert_uint_eq(again.digest, result.digest);
    /* in either order it is the same contest, and a creature that meets itself has not won */
    struct contest_pair pair, back;
    const struct genome *exchanged[2] = {genomes[1], genomes[0]};
    evaluate_pair(genomes, &params, &arena, &pair);
    evaluate_pair(exchanged, &params, &arena, &back);
    ck_assert_uint_eq(pair.digest, back.digest);
    ck_assert(pair.margin == -back.margin && pair.margin != 0);
    exchanged[1] = genomes[1];
    evaluate_pair(exchanged, &params, &arena, &back);
    ck_assert(back.is_equal && back.margin == 0);
}

/* In empty space nothing but contacts acts: the momenta of all three keep their sums. */
TEST(momentum_of_all_is_kept)
{
    read_seekers(SEEKER, OTHER);
    set("world.gravity_m_s2=0", "world.ground=no", "contest.line_m=0.25");
    fight(2 * QUARTER, look, NULL);
    ck_assert_msg(seen.p_off < 1e-10 && seen.l_off < 1e-10, "%.1e N s, %.1e N m s", seen.p_off,
                  seen.l_off);
    ck_assert_double_lt(seen.exchange_off_j, 1e-12);
    ck_assert(seen.least_exchange_j < -0.1); /* they met */
}

/* A creature that does not grow has lost by walkover; if neither grows neither has. */
TEST(who_is_not_there_has_lost)
{
    make_plates(BODY_BOXES, 0.3, 0.3);
    set("creature.parts_min=2");
    fight(QUARTER, NULL, NULL);
    ck_assert_int_eq(result.sides[0].verdict, VERDICT_NOT_EXPRESSED);
    ck_assert_double_eq(result.sides[0].margin, 0);
    creature_deinit(&creatures[0]);
    ck_ok(creature_read(&creatures[0], SEEKER, &error));
    fight(QUARTER, NULL, NULL);
    ck_assert_double_eq(result.sides[0].margin, CONTEST_WALKOVER);
}

static int compare_ways(void *context, const struct evaluate_view *view)
{
    double *least = context;
    const double *other = &view->sensors[SENSOR_OTHER_ALONG];
    const double *object = &view->sensors[SENSOR_OBJECT_ALONG];
    if (view->phase != PHASE_SCORE || view->time_s == 0)
        return 0;
    double sign = view->creature == 0 ? 1 : -1;
    ck_assert_double_eq_tol(object[0], sign * other[0], 1e-12);
    least[view->creature] = fmin(least[view->creature], sign * object[0]);
    return 0;
}

/* In tag the hunter's object is the other one, and the hunted's lies the other way, as far. */
TEST(the_hunted_sees_where_to_flee)
{
    double least[2] = {1, 1};
    make_plates(BODY_RECTANGLES, 0.3, 0.3);
    set("contest.goal=tag", "simulation.duration_s=0.1");
    fight(QUARTER, compare_ways, least);
    ck_assert(fabs(least[0]) > 0.9 && fabs(least[1]) > 0.9);
}

/* A start that is perturbed has lines farther from the middle, by at most exam.line_share, and in
 * space another heading; the same ones again by the same seed. */
TEST(perturbed_starts_are_elsewhere)
{
    double most_m = 0, least_m = 1;
    for (int i = 0; i <= TRIAL_PERTURBATION_MAX; i++) {
        params.simulation_perturbation = i;
        struct contest_bout flat = contest_make_bout(BODY_RECTANGLES, &params, 3, 1);
        struct contest_bout deep = contest_make_bout(BODY_BOXES, &params, 3, 1);
        struct contest_bout again = contest_make_bout(BODY_BOXES, &params, 3, 1);
        ck_assert(deep.line_m == again.line_m && deep.heading_rad == again.heading_rad);
        ck_assert(flat.line_m == deep.line_m && flat.heading_rad == 0);
        ck_assert((deep.line_m > 0.5) == (i > 0) && (deep.heading_rad != QUARTER) == (i > 0));
        most_m = fmax(most_m, deep.line_m);
        least_m = fmin(least_m, i > 0 ? deep.line_m : 1);
    }
    ck_assert(most_m > 0.7 && most_m < 0.75 && least_m < 0.55);
}

/* On a slope a ball rolls: a disk at 2/3 of what would slide, in space a ball at 5/7. */
TEST_LOOP(a_ball_rolls, 0, 2)
{
    make_plates(_i ? BODY_BOXES : BODY_RECTANGLES, 0.3, 0.2);
    set("contest.goal=ball", "contest.line_m=5", "simulation.duration_s=2", "exam.slope_rad=0.02",
        "exam.drop_m=0");
    params.simulation_perturbation = TRIAL_RUN_STARTS + 1;
    fight(0, look, NULL);
    double way_m = (_i ? 5.0 / 7 : 2.0 / 3) * 9.81 * sin(0.02) * 2 * 2 / 2;
    ck_assert_msg(fabs(seen.object_moved_m / way_m - 1) < 0.01, "%g m of %g", seen.object_moved_m,
                  way_m);
    set("world.preset=water");
    ck_assert_int_eq(contest_check(genomes[0], genomes[1], &params, &error), _i ? ERR_USAGE : 0);
}

/* Two plates face one another. The one that is pushed out of the ring loses. */
TEST(tag_and_sumo_end_when_they_are_decided)
{
    make_plates(BODY_RECTANGLES, 0.3, 0.3);
    set("contest.goal=sumo", "contest.ring_m=0.5");
    fight(QUARTER, NULL, NULL);
    ck_assert_double_eq(result.sides[0].margin, 0); /* both are outside at once */
    ck_assert_double_eq(result.time_s, 0);
    set("contest.goal=tag", "contest.line_m=0", "world.gravity_m_s2=0", "world.ground=no");
    fight(QUARTER, NULL, NULL);
    ck_assert(result.sides[0].margin > 0.99); /* they touch where they begin */
    ck_assert(result.time_s < 0.1);
}

SUITE("contest", 120, setup, teardown)
