/* How much an exact motion costs: errors and processor times of both solvers, over time steps and
 * tolerances, as CSV for scripts/plot (`make precision`).
 *
 *   double pendulum of rods, 3 s; chain of five rods, 1 s: against references computed in 128-bit
 *       floating point (tests/oracle/cases.json)
 *   C5 in free flight, muscles on, 1 s; C5 on land, 1 s: against the constraint solver at a
 *       tolerance near rounding. On land the error is that of the centre of mass, after a fall of
 *       0.45 s and half a second on its feet; in flight the greatest of any part's centre.
 *
 * Articulated: auto is what an evaluation uses (RK4 where nothing can touch, else the midpoint
 * step). The time is the fastest of several runs, set-up included, by the thread's processor
 * time. */
#include "simulator/tools/scenes/scene.h"
#include "tests/bench/bench.h"
#include "tests/bench/expected.h"
#include "tests/bench/fixed_dynamics.h"

#define CONSTRAINT_ARENA_BYTES SCENE_ARENA_BYTES
/* Gait of C5, and what its targets swing by: no limit and no own part comes near in flight. */
enum { GAIT = 3, FLIGHT_TICKS = FIXED_TICKS_HZ, LAND_TICKS = FIXED_TICKS_HZ };
#define FLIGHT_AMPLITUDE_RAD 0.3

enum { COORDINATES_MAX = 2 * FIXED_BODIES_MAX };
struct outcome {
    int count;
    double values[COORDINATES_MAX];
};

/* What is moved and when it ends: a scene of the oracle, or C5 in a world. */
struct motion_case {
    const char *panel;
    const char *scene; /* NULL: C5 */
    double until_s, last_length_m;
    struct world world;
    int is_centre_only;
    int has_midpoint; /* also with midpoint steps alone */
};

static struct arena arena;

static void die(const char *what)
{
    fprintf(stderr, "precision: %s\n", what);
    exit(1);
}

/* ---------------------------------------------------------------- moving */

/* The tip of a scene's chain at its end. */
static void move_scene(const struct motion_case *motion, const struct dynamics_settings *settings,
                       struct outcome *outcome)
{
    static struct scene scene;
    char path[128];
    struct error error;
    struct dynamics *dynamics;
    snprintf(path, sizeof path, "tests/oracle/scenes/%s.json", motion->scene);
    if (scene_read_file(&scene, path, &error) != 0)
        die(error.message);
    scene.settings = *settings;
    arena_reset(&arena);
    if (scene_start(&scene, &arena, &dynamics, &error) != 0)
        die(error.message);
    for (long steps = lround(motion->until_s / settings->dt_s); steps > 0; steps--)
        if (dynamics_step(dynamics) != 0)
            break;
    struct vec2 tip = scene_body_point(&scene, dynamics, scene.body_count - 1,
                                       (struct vec2){motion->last_length_m, 0});
    *outcome = (struct outcome){2, {tip.x, tip.y}};
}

/* Where C5 is at the end: its centre of mass, or the centres of all its parts. */
static void move_creature(const struct motion_case *motion,
                          const struct dynamics_settings *settings, struct outcome *outcome)
{
    double amplitude = motion->world.has_ground ? FIXED_AMPLITUDE_RAD : FLIGHT_AMPLITUDE_RAD;
    int ticks = (int)lround(motion->until_s * FIXED_TICKS_HZ);
    arena_reset(&arena);
    struct dynamics *dynamics = fixed_create(&fixed_c5, &motion->world, settings, &arena);
    if (!dynamics)
        die("out of memory");
    *outcome = (struct outcome){0, {0}};
    fixed_move(dynamics, &fixed_c5, GAIT, amplitude, ticks,
               (int)lround(1 / (settings->dt_s * FIXED_TICKS_HZ)));
    struct vec3 centre = dynamics_centre_of_mass(dynamics);
    if (motion->is_centre_only) {
        *outcome = (struct outcome){2, {centre.x, centre.y}};
        return;
    }
    for (int i = 0; i < fixed_c5.body_count; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        outcome->values[outcome->count++] = state.at_m.x;
        outcome->values[outcome->count++] = state.at_m.y;
    }
}

static void move(const struct motion_case *motion, const struct dynamics_settings *settings,
                 struct outcome *outcome)
{
    if (motion->scene)
        move_scene(motion, settings, outcome);
    else
        move_creature(motion, settings, outcome);
}

/* ---------------------------------------------------------------- references */

static struct dynamics_settings settings_of(int solver, int integrator, double dt_s, double rtol)
{
    struct dynamics_settings settings = fixed_settings();
    settings.solver = solver;
    settings.integrator = integrator;
    settings.dt_s = dt_s;
    settings.rtol = rtol;
    return settings;
}

static void find_reference(const struct motion_case *motion, struct outcome *reference)
{
    if (motion->scene) {
        char name[64];
        snprintf(name, sizeof name, "%s", motion->scene);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : *c;
        *reference = (struct outcome){2,
                                      {expected_number(name, "tip_x", motion->until_s),
                                       expected_number(name, "tip_y", motion->until_s)}};
        return;
    }
    struct dynamics_settings settings =
        settings_of(SOLVER_CONSTRAINT, INTEGRATOR_AUTO, 1.0 / 960, 1e-12);
    move(motion, &settings, reference);
}

/* ---------------------------------------------------------------- measuring */

static double error_of(const struct outcome *outcome, const struct outcome *reference)
{
    double largest = 0;
    for (int i = 0; i < reference->count; i += 2) {
        double distance = hypot(outcome->values[i] - reference->values[i],
                                outcome->values[i + 1] - reference->values[i + 1]);
        largest = distance <= largest ? largest : distance;
    }
    return largest;
}

/* One line of the CSV, unless the motion has gone wild. */
static void measure(const struct motion_case *motion, const char *series, const char *setting,
                    const struct dynamics_settings *settings, const struct outcome *reference,
                    const struct bench_machine *machine)
{
    struct outcome outcome;
    double fastest_us = HUGE_VAL, total_us = 0;
    for (int i = 0; i < 3 || (total_us < 2e4 && i < 100); i++) {
        double from = bench_now_us(0);
        move(motion, settings, &outcome);
        double took = bench_now_us(0) - from;
        fastest_us = fmin(fastest_us, took);
        total_us += took;
    }
    double error = error_of(&outcome, reference);
    if (error < 1)
        printf("%s,%s,%s,%.4f,%.3e,%s,%s,%s\n", motion->panel, series, setting, fastest_us / 1000,
               fmax(error, 1e-16), machine->commit, machine->compiler, machine->cpu);
    fflush(stdout);
}

static void measure_steps(const struct motion_case *motion, const char *series, int integrator,
                          const struct outcome *reference, const struct bench_machine *machine)
{
    for (int hz = 60; hz <= 15360; hz *= 2) {
        char setting[32];
        struct dynamics_settings settings =
            settings_of(SOLVER_ARTICULATED, integrator, 1.0 / hz, 1e-8);
        snprintf(setting, sizeof setting, "1/%d s", hz);
        measure(motion, series, setting, &settings, reference, machine);
    }
}

static void measure_tolerances(const struct motion_case *motion, const struct outcome *reference,
                               const struct bench_machine *machine)
{
    for (int digits = 3; digits <= 12; digits++) {
        char setting[32];
        double rtol = pow(10, -digits);
        struct dynamics_settings settings =
            settings_of(SOLVER_CONSTRAINT, INTEGRATOR_AUTO, 1.0 / 60, rtol);
        snprintf(setting, sizeof setting, "rtol 1e-%d", digits);
        measure(motion, "constraint", setting, &settings, reference, machine);
    }
}

static const struct motion_case motions[] = {
    {.panel = "double pendulum of rods: tip (m) after 3 s",
     .scene = "double-pendulum-rods",
     .until_s = 3,
     .last_length_m = 0.7,
     .has_midpoint = 1},
    {.panel = "chain of five rods: tip (m) after 1 s",
     .scene = "chain5-pinned",
     .until_s = 1,
     .last_length_m = 0.2,
     .has_midpoint = 1},
    {.panel = "C5 in flight with muscles: parts (m) after 1 s",
     .until_s = 1,
     .world = {.own_friction = FIXED_FRICTION},
     .has_midpoint = 1},
    {.panel = "C5 on land: centre of mass (m) after 1 s",
     .until_s = 1,
     .world = {.gravity_m_s2 = FIXED_GRAVITY_M_S2,
               .has_ground = 1,
               .friction = FIXED_FRICTION,
               .own_friction = FIXED_FRICTION},
     .is_centre_only = 1},
};

int main(void)
{
    struct bench_machine machine;
    bench_describe(&machine);
    if (arena_init(&arena, CONSTRAINT_ARENA_BYTES) != 0)
        die("out of memory");
    printf("panel,series,setting,cpu_ms,error_m,commit,compiler,cpu\n");
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; i++) {
        struct outcome reference;
        find_reference(&motions[i], &reference);
        measure_steps(&motions[i], "articulated: auto", INTEGRATOR_AUTO, &reference, &machine);
        if (motions[i].has_midpoint)
            measure_steps(&motions[i], "articulated: midpoint", INTEGRATOR_MIDPOINT, &reference,
                          &machine);
        measure_tolerances(&motions[i], &reference, &machine);
    }
    arena_deinit(&arena);
    return 0;
}
