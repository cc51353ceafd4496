/* parting: when do the two solvers part?
 *
 *     build/stress/parting [POINTS.csv]
 *
 * A creature settles on the articulated solver and is then passed on, in the same state, to each of the
 * solvers compared: `constraint` (rtol as by default, steps of 1/3840 s at most, since what is exposed to
 * drag is held for a step) is the reference, `articulated` takes steps of 1/240, 1/960 and 1/3840 s.
 * Printed is when any part is first 1 mm and 1 cm from its place in the reference. If the solvers differed
 * in what they simulate, finer steps would not part later.
 *
 * How chaotic the motion is, is measured by itself: the reference solver once more, the root turned by
 * 1e-9 rad at the start. The distance between the two grows as exp(rate t); once it has grown to 1 mm
 * nothing that is only known to 1e-9 can tell where the creature is.
 *
 * The CSV has a line for each curve and time, for tests/bench/plot.c: make parting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature.h"
#include "simulator/evaluate.h"

enum { TICKS_MAX = 601, PARTS_MAX = 32, DOF_MAX = 2 + 64 };
enum { RUN_REFERENCE, RUN_TURNED, RUN_240, RUN_960, RUN_3840, RUN_COUNT };
#define TURN_RAD 1e-9
/* Where the growth of a small turn is measured, m. */
#define GROWN_FROM_M 1e-8
#define GROWN_TO_M   1e-3

static const struct subject {
    const char *name, *path, *preset; /* preset NULL: the parameters recorded with it */
    int is_limp;
    double lift_m; /* above where it settled */
    int is_drawn;
} subjects[] = {
    {"biped, limp, dropped from 0.5 m", "examples/creatures/biped.json", "land", 1, 0.5, 1},
    {"tail, limp, dropped from 0.5 m", "examples/creatures/tail.json", "land", 1, 0.5, 0},
    {"biped, walking", "examples/creatures/biped.json", "land", 0, 0, 1},
    {"inchworm, walking", "examples/creatures/inchworm.json", "land", 0, 0, 0},
    {"evolved walker 1", "tests/bench/creatures/walk-1.creature", NULL, 0, 0, 1},
    {"evolved walker 2", "tests/bench/creatures/walk-2.creature", NULL, 0, 0, 0},
    {"evolved walker 3", "tests/bench/creatures/walk-3.creature", NULL, 0, 0, 0},
    {"fish, swimming", "examples/creatures/fish.json", "water", 0, 0, 1},
    {"evolved swimmer 1", "tests/bench/creatures/swim-1.creature", NULL, 0, 0, 0},
    {"evolved swimmer 2", "tests/bench/creatures/swim-2.creature", NULL, 0, 0, 1},
    {"evolved swimmer 3", "tests/bench/creatures/swim-3.creature", NULL, 0, 0, 1},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* One motion: the start it is given or leaves, and the centres of all parts at every tick. */
struct motion_run {
    double q[DOF_MAX], turn_rad;
    int is_given; /* starts from q; else leaves it there and stops */
    int ticks, parts;
    struct vec2 centres[TICKS_MAX][PARTS_MAX];
};

static struct motion_run runs[RUN_COUNT];
static struct arena arena;

static void die(const char *message)
{
    fprintf(stderr, "parting: %s\n", message);
    exit(1);
}

/* At the start of the scored time the state is taken or given; then it is followed. */
static int follow(void *context, const struct evaluate_view *view)
{
    struct motion_run *run = context;
    struct dynamics *dynamics = (struct dynamics *)view->dynamics;
    int dof = dynamics_dof(dynamics);
    if (view->phase != PHASE_SCORE)
        return 0;
    if (!run->is_given) {
        memcpy(run->q, dynamics_q(dynamics), (size_t)dof * sizeof run->q[0]);
        return 1;
    }
    if (run->ticks == 0) {
        double q[DOF_MAX], still[DOF_MAX] = {0};
        memcpy(q, run->q, sizeof q);
        q[2] += run->turn_rad;
        dynamics_set_state(dynamics, q, still);
    }
    run->parts = view->phenotype->part_count < PARTS_MAX ? view->phenotype->part_count : PARTS_MAX;
    for (int i = 0; i < run->parts; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        run->centres[run->ticks][i] = (struct vec2){state.x_m, state.y_m};
    }
    return ++run->ticks == TICKS_MAX;
}

static void set(struct params *params, const char *assignment)
{
    struct error error;
    if (params_set_assignment(params, assignment, &error) != 0)
        die(error.message);
}

static void read_subject(const struct subject *subject, struct creature *creature,
                         struct params *params)
{
    static const char *const unguarded[] = {"guard.speed_m_s=0",     "guard.turn_rad=0",
                                            "guard.penetration_m=0", "guard.energy_share=0",
                                            "guard.reversals_hz=0",  "guard.motionless_s=0",
                                            "settle.required=no",    "guard.momentum_share=0"};
    struct error error;
    creature_init(creature);
    if (creature_read(creature, subject->path, &error) != 0)
        die(error.message);
    params_set_defaults(params);
    if (subject->preset && params_set(params, "world.preset", subject->preset, &error) != 0)
        die(error.message);
    if (!subject->preset)
        *params = creature->params;
    for (size_t i = 0; i < sizeof unguarded / sizeof unguarded[0]; i++)
        set(params, unguarded[i]);
    params->creature_effectors = !subject->is_limp;
    params->simulation_duration_s = 10;
}

static void move_all(const struct subject *subject)
{
    static const double steps_per_s[RUN_COUNT] = {3840, 3840, 240, 960, 3840};
    static struct motion_run start;
    struct creature creature;
    struct params params;
    struct evaluation evaluation;
    read_subject(subject, &creature, &params);
    start = (struct motion_run){.is_given = 0};
    evaluate(&creature.genome, &params, 1, &arena, follow, &start, &evaluation);
    start.q[1] += subject->lift_m;
    params.settle_limit_s = 0;
    for (int i = 0; i < RUN_COUNT; i++) {
        struct params own = params;
        runs[i] = start;
        runs[i].is_given = 1;
        runs[i].turn_rad = i == RUN_TURNED ? TURN_RAD : 0;
        own.simulation_solver = i <= RUN_TURNED ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
        own.simulation_dt_s = 1 / steps_per_s[i];
        evaluate(&creature.genome, &own, 1, &arena, follow, &runs[i], &evaluation);
    }
    creature_deinit(&creature);
}

/* The greatest distance of a part from its place in the reference. */
static double distance(int run, int tick)
{
    double most = 0;
    for (int i = 0; i < runs[run].parts; i++) {
        struct vec2 a = runs[run].centres[tick][i], b = runs[RUN_REFERENCE].centres[tick][i];
        most = fmax(most, hypot(a.x - b.x, a.y - b.y));
    }
    return most;
}

static int common_ticks(int run)
{
    return runs[run].ticks < runs[RUN_REFERENCE].ticks ? runs[run].ticks
                                                       : runs[RUN_REFERENCE].ticks;
}

/* When it is first so far away, s; infinite if never. */
static double time_apart(int run, double far_m)
{
    for (int tick = 0; tick < common_ticks(run); tick++)
        if (distance(run, tick) > far_m)
            return tick / 60.0;
    return HUGE_VAL;
}

static void print_time(double time_s)
{
    if (isinf(time_s))
        printf(" - |");
    else
        printf(" %.2f |", time_s);
}

static void print_row(const struct subject *subject)
{
    printf("| %s |", subject->name);
    for (int run = RUN_240; run < RUN_COUNT; run++) {
        print_time(time_apart(run, 1e-3));
        print_time(time_apart(run, 1e-2));
    }
    double from = time_apart(RUN_TURNED, GROWN_FROM_M), to = time_apart(RUN_TURNED, GROWN_TO_M);
    if (isinf(to))
        printf(" %.0e |\n", distance(RUN_TURNED, common_ticks(RUN_TURNED) - 1) / TURN_RAD);
    else
        printf(" exp(%.1f t/s) |\n", log(GROWN_TO_M / GROWN_FROM_M) / fmax(to - from, 1 / 60.0));
}

/* Every curve at times that rise by a fifth: what logarithmic axes show of it. */
static void write_curves(const struct subject *subject, FILE *file)
{
    static const char *const names[RUN_COUNT] = {"", "the reference turned by 1e-9 rad",
                                                 "articulated: 1/240 s", "articulated: 1/960 s",
                                                 "articulated: 1/3840 s"};
    for (int run = RUN_TURNED; run < RUN_COUNT; run++)
        for (int tick = 1; tick < common_ticks(run); tick = tick + 1 + tick / 5)
            fprintf(file, "%s: apart (m),%s,,%.6g,%.6g\n", subject->name, names[run], tick / 60.0,
                    fmax(distance(run, tick), 1e-14));
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if ((argc > 1 && file == NULL) || arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        die("no memory, or the file cannot be written");
    if (file)
        fprintf(file, "panel,series,setting,time_s,apart_m\n");
    printf("| apart from `constraint`, after s | 1/240 s: 1 mm | 1 cm | 1/960 s: 1 mm | 1 cm | "
           "1/3840 s: 1 mm | 1 cm | growth of a turn |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < SUBJECTS; i++) {
        move_all(&subjects[i]);
        print_row(&subjects[i]);
        fflush(stdout);
        if (file && subjects[i].is_drawn) {
            char panel[96];
            struct subject named = subjects[i];
            snprintf(panel, sizeof panel, "%s", named.name);
            for (char *comma = panel; (comma = strchr(comma, ',')) != NULL;)
                *comma = ' ';
            named.name = panel;
            write_curves(&named, file);
        }
    }
    arena_deinit(&arena);
    return file && fclose(file) != 0;
}
