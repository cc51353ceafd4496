/* Momentum of random creatures of every kind: it changes by what contacts, drag and gravity give,
 * and by no more, while violent muscles whip joints from limit to limit. What gives nothing is
 * named by the world and not by the solver: in empty space all is kept, on ground without friction
 * what is along it.
 *
 *     build/tests/oracle/test_keeping            27 creatures a kind and place
 *     build/tests/oracle/test_keeping 10000      so many creatures in all, minutes */
#include "simulator/body/physics.h"
#include "tests/stress/violent.h"
#include "tests/suite.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

/* Momentum from nowhere, as a share of the impulses so far, at most. */
#define KEPT_SHARE 1e-9
/* And what 64 bits hold of it in a second of steps, as a share of what moves. */
#define ROUNDING 1e-11

static const char *const bodies[] = {"rectangles", "spheres", "boxes"};
enum { BODY_COUNT = sizeof bodies / sizeof bodies[0] };

static const struct place {
    const char *name, *settings[5];
    int is_empty; /* nothing outside acts; else only along y */
    int is_slick; /* the ground, without friction */
} places[] = {
    {"in empty space", {"world.gravity_m_s2=0", "world.ground=no"}, 1, 0},
    {"on slick ground", {"world.friction=0", "settle.drop_m=0.02"}, 0, 1},
    {"in water", {"world.preset=water"}, 0, 0},
    {"in air", {"world.preset=air"}, 0, 0},
};
enum { PLACE_COUNT = sizeof places / sizeof places[0] };

static int creature_count = 27 * BODY_COUNT * PLACE_COUNT;

/* What a creature had after the last step, and what it should have by what it was given since the
 * start. */
struct keeping {
    const struct place *place;
    int is_started;
    long steps, unknown;
    double mass, size_m, fastest_m_s, given; /* sum of the sizes of all impulses, N s */
    struct vec3 linear, angular, centre;
    struct vec3 linear_off, angular_off; /* from nowhere so far */
    struct vec3 linear_given, angular_given;
    double worst; /* from nowhere, as a share of what may be */
};

static double length(struct vec3 v)
{
    return sqrt(vec3_dot(v, v));
}

static void note_fastest(struct keeping *k, const struct evaluate_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, i, &s);
        struct vec3 at = {s.at_m.x, s.at_m.y, s.at_m.z},
                    v = {s.velocity_m_s.x, s.velocity_m_s.y, s.velocity_m_s.z};
        k->fastest_m_s = fmax(k->fastest_m_s, length(v));
        k->size_m = fmax(k->size_m, length(at));
    }
}

/* How much of what the world cannot give the solver says it gave: N s. */
static double given_by_nobody(const struct keeping *k)
{
    struct vec3 p = k->linear_given, l = k->angular_given;
    if (k->place->is_empty)
        return fmax(length(p), length(l));
    return k->place->is_slick ? fmax(fmax(fabs(p.x), fabs(p.z)), fabs(l.y)) : 0;
}

static void judge(struct keeping *k)
{
    double moving = k->mass * (1 + k->fastest_m_s), arm = 1 + k->size_m;
    double allowed = KEPT_SHARE * k->given + ROUNDING * moving;
    double off = fmax(length(k->linear_off), length(k->angular_off) / arm);
    off = fmax(off, given_by_nobody(k) / arm);
    k->worst = fmax(k->worst, off / allowed);
}

static int watch(void *context, const struct evaluate_view *view)
{
    struct keeping *k = context;
    struct vec3 linear, angular, centre = dynamics_centre_of_mass(view->dynamics);
    struct impulse_sum given;
    if (view->phase != PHASE_SCORE)
        return 0;
    k->mass = view->phenotype->mass_kg;
    dynamics_momentum(view->dynamics, &linear, &angular);
    note_fastest(k, view);
    if (k->is_started) {
        struct vec3 velocity = vec3_scale(k->linear, 1 / k->mass);
        int is_known = dynamics_impulses(view->dynamics, k->centre, velocity, &given);
        k->steps++;
        k->unknown += !is_known;
        if (is_known) {
            struct vec3 turned = vec3_add(given.angular, vec3_cross(k->centre, given.linear));
            struct vec3 gained = vec3_sub(linear, k->linear), spun = vec3_sub(angular, k->angular);
            k->given += given.size;
            k->linear_given = vec3_add(k->linear_given, given.linear);
            k->angular_given = vec3_add(k->angular_given, turned);
            k->linear_off = vec3_add(k->linear_off, vec3_sub(gained, given.linear));
            k->angular_off = vec3_add(k->angular_off, vec3_sub(spun, turned));
            judge(k);
        }
    }
    k->is_started = 1;
    k->linear = linear;
    k->angular = angular;
    k->centre = centre;
    return 0;
}

static void set(struct params *params, const char *assignment)
{
    struct error error;
    ck_ok(set_param(params, assignment, &error));
}

/* A tick is a step, nothing stops a creature, and limits are narrow. */
static void set_params(struct params *params, const char *body, const struct place *place,
                       uint64_t number)
{
    static const char *const all[] = {
        "simulation.brain_hz=240", "simulation.duration_s=1",   "settle.required=no",
        "settle.limit_s=0",        "guard.speed_m_s=0",         "guard.turn_rad=0",
        "guard.penetration_m=0",   "guard.energy_share=0",      "guard.reversals_hz=0",
        "guard.momentum_share=0",  "guard.joint_speed_rad_s=0", "guard.joint_speed_m_s=0",
        "guard.motionless_s=0"};
    params_set_defaults(params);
    set(params, printed("creature.body=%s", body));
    violent_params(params, number);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        set(params, all[i]);
    for (int i = 0; i < 5 && place->settings[i]; i++)
        set(params, place->settings[i]);
    params->initial_limit_max_rad = 0.4;
}

/* What the creatures of a kind in a place came to. Those that end as `not-finite`, the one guard
 * that is left, are broken: they are told and not judged. */
struct tally {
    int moved, broken;
    long steps, unknown;
    double worst;
    uint64_t worst_number;
};

static void try_creature(const char *body, const struct place *place, uint64_t number,
                         struct arena *arena, struct tally *tally)
{
    struct keeping keeping = {.place = place};
    struct params params;
    struct genome genome;
    struct evaluation evaluation;
    set_params(&params, body, place, number);
    ck_assert_int_eq(violent_genome(&genome, &params, number), 0);
    evaluate(&genome, &params, number, arena, watch, &keeping, &evaluation);
    genome_deinit(&genome);
    int is_broken = evaluation.verdict == VERDICT_NOT_FINITE;
    tally->broken += is_broken;
    tally->moved += keeping.steps > 0;
    tally->steps += keeping.steps;
    tally->unknown += keeping.unknown;
    if (!is_broken && !(keeping.worst <= tally->worst)) {
        tally->worst = keeping.worst;
        tally->worst_number = number;
    }
}

TEST_LOOP(momentum_is_kept, 0, BODY_COUNT *PLACE_COUNT)
{
    const char *body = bodies[_i / PLACE_COUNT];
    const struct place *place = &places[_i % PLACE_COUNT];
    SCOPED(arena) arena;
    struct tally t = {.worst = 0};
    uint64_t count = (uint64_t)(creature_count / (BODY_COUNT * PLACE_COUNT));
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    for (uint64_t number = 1; number <= count; number++)
        try_creature(body, place, number, &arena, &t);
    printf(
        "keeping: %s %s: %d of %d moved, %d broken, %ld steps; at most %.1e of what may be off\n",
        body, place->name, t.moved, (int)count, t.broken, t.steps, t.worst);
    fflush(stdout);
    ck_assert_int_gt(t.moved, (int)count / 3);
    ck_assert_int_le(t.broken, t.moved / 20);
    ck_assert_int_eq(t.unknown, 0);
    ck_assert_msg(t.worst <= 1, "creature %d of %s %s: %.3g", (int)t.worst_number, body,
                  place->name, t.worst);
}

/* Limits that a muscle presses on from one step to the next, until links went round a thousand
 * times in one; and a step of RK4 in air that was taken back, but not the moment of its weight. */
static const struct found {
    int body, place;
    uint64_t number;
} found[] = {{0, 0, 65}, {0, 3, 40}, {0, 3, 436}};

TEST_LOOP(what_was_found_stays_mended, 0, sizeof found / sizeof found[0])
{
    const struct found *f = &found[_i];
    SCOPED(arena) arena;
    struct tally t = {.worst = 0};
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    try_creature(bodies[f->body], &places[f->place], f->number, &arena, &t);
    ck_assert_int_eq(t.broken, 0);
    ck_assert_double_le(t.worst, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        creature_count = atoi(argv[1]);
    return run_defined_tests("keeping", 3600, NULL, NULL);
}
