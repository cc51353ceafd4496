/* parting: when do the two solvers part?
 *
 *     build/stress/parting [--brief] [-s SECTION.KEY=VALUE]... [POINTS.csv]
 *
 * A creature settles on the articulated solver and is then passed on, in the same state, to each
 * of the solvers compared: `constraint` (rtol as by default, steps of 1/3840 s at most, since what
 * is exposed to drag is held for a step) is the reference, `articulated` takes steps of 1/240 to
 * 1/15360 s. Printed is how far apart the part is that is farthest from its place in the reference
 * after 0.2 s, and when it is first 1 mm and 1 cm away. If the solvers differed in what they
 * simulate, finer steps would not come nearer.
 *
 * How chaotic the motion is, is measured by itself: the reference solver once more, the root
 * turned by 1e-9 rad at the start. The distance between the two grows as exp(rate t); once it has
 * grown to 1 mm nothing that is only known to 1e-9 can tell where the creature is. And turned by
 * 1e-4 rad, as much as a step at 240 Hz may be off: which foot lands first, and what sticks, then
 * differs too, which a small turn does not show.
 *
 * The CSV has a line for each curve and time, for scripts/plot: make parting. --brief stops
 * after 0.2 s, as a test: the exit code is 1 if the finest steps are not near. -s changes the
 * articulated solver's parameters, and nothing of the reference: so a difference is planted that
 * must be seen. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>

#include "common/creature/creature.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

enum { TICKS_MAX = 601, PARTS_MAX = 32, DOF_MAX = 2 + PHENOTYPE_PARTS_MAX, PLANTED_MAX = 8 };
enum { RUN_REFERENCE, RUN_TURNED, RUN_NUDGED, RUN_240, RUN_960, RUN_3840, RUN_15360, RUN_COUNT };
/* Ticks until solvers are compared, and what all of them have to be within then, m: what the
 * contact tolerance of the reference, 0.1 mm, makes of itself; and what steps of 1/240 s may be
 * off. */
#define COMPARE_TICK 12
#define NEAR_M       5e-4
#define NEAR_240_M   2e-2
#define TURN_RAD     1e-9
#define NUDGE_RAD    1e-4
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
static const char *planted[PLANTED_MAX];
static int planted_count, is_brief;

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
    int dof = dynamics->dof;
    if (view->phase != PHASE_SCORE)
        return 0;
    if (!run->is_given) {
        memcpy(run->q, dynamics->q, (size_t)dof * sizeof run->q[0]);
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
        run->centres[run->ticks][i] = (struct vec2){state.at_m.x, state.at_m.y};
    }
    return ++run->ticks == (is_brief ? COMPARE_TICK + 1 : TICKS_MAX);
}

static void set(struct params *params, const char *assignment)
{
    struct error error;
    if (set_param(params, assignment, &error) != 0)
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
    static const double steps_per_s[RUN_COUNT] = {3840, 3840, 3840, 240, 960, 3840, 15360};
    static const double turns_rad[RUN_COUNT] = {[RUN_TURNED] = TURN_RAD, [RUN_NUDGED] = NUDGE_RAD};
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
        if (is_brief && (i == RUN_TURNED || i == RUN_NUDGED))
            continue;
        runs[i] = start;
        runs[i].is_given = 1;
        runs[i].turn_rad = turns_rad[i];
        own.simulation_solver = i <= RUN_NUDGED ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
        own.simulation_dt_s = 1 / steps_per_s[i];
        for (int k = 0; k < planted_count && i >= RUN_240; k++)
            set(&own, planted[k]);
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

/* Both times in one cell of the table. */
static void print_times(int run)
{
    double near = time_apart(run, 1e-3), far = time_apart(run, 1e-2);
    if (isinf(near))
        printf(" - |");
    else if (isinf(far))
        printf(" %.2f, - |", near);
    else
        printf(" %.2f, %.2f |", near, far);
}

static void print_row(const struct subject *subject)
{
    printf("| %s |", subject->name);
    for (int run = RUN_NUDGED; run < RUN_15360; run++)
        print_times(run);
    double from = time_apart(RUN_TURNED, GROWN_FROM_M), to = time_apart(RUN_TURNED, GROWN_TO_M);
    if (isinf(to))
        printf(" %.0e |\n", distance(RUN_TURNED, common_ticks(RUN_TURNED) - 1) / TURN_RAD);
    else
        printf(" exp(%.1f t/s) |\n", log(GROWN_TO_M / GROWN_FROM_M) / fmax(to - from, 1 / 60.0));
}

/* Returns whether the solvers are where they ought to be. */
static int compare(const struct subject *subject, char *row, size_t size)
{
    int length = snprintf(row, size, "| %s |", subject->name), is_near = 1;
    for (int run = RUN_240; run < RUN_COUNT; run++) {
        double apart = common_ticks(run) > COMPARE_TICK ? distance(run, COMPARE_TICK) : HUGE_VAL;
        if (run < RUN_15360)
            length += snprintf(row + length, size - (size_t)length, " %.1e |", apart);
        if (run == RUN_240 || run == RUN_15360)
            is_near &= apart < (run == RUN_240 ? NEAR_240_M : NEAR_M);
    }
    return is_near;
}

/* Every curve at times that rise by a third: what logarithmic axes show of it. */
static void write_curves(const struct subject *subject, FILE *file)
{
    static const char *const names[RUN_COUNT] = {"",
                                                 "the reference turned by 1e-9 rad",
                                                 "the reference turned by 1e-4 rad",
                                                 "articulated: 1/240 s",
                                                 "articulated: 1/960 s",
                                                 "articulated: 1/3840 s",
                                                 "articulated: 1/15360 s"};
    for (int run = RUN_TURNED; run < RUN_COUNT; run++)
        for (int tick = 1; tick < common_ticks(run); tick = tick + 1 + tick / 3)
            fprintf(file, "%s: apart (m),%s,,%.6g,%.6g\n", subject->name, names[run], tick / 60.0,
                    fmax(distance(run, tick), 1e-14));
}

/* A panel's title is a field of a CSV. */
static void draw(const struct subject *subject, FILE *file)
{
    char panel[96];
    struct subject named = *subject;
    snprintf(panel, sizeof panel, "%s", named.name);
    for (char *comma = panel; (comma = strchr(comma, ',')) != NULL;)
        memmove(comma, comma + 1, strlen(comma));
    named.name = panel;
    write_curves(&named, file);
}

static FILE *read_arguments(int argc, char **argv)
{
    static const struct option options[] = {{"brief", no_argument, NULL, 'b'}, {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "s:", options, NULL)) != -1) {
        if (option == 'b')
            is_brief = 1;
        else if (option == 's' && planted_count < PLANTED_MAX)
            planted[planted_count++] = optarg;
        else
            die("usage: parting [--brief] [-s SECTION.KEY=VALUE]... [POINTS.csv]");
    }
    if (optind >= argc)
        return NULL;
    FILE *file = fopen(argv[optind], "w");
    if (file == NULL)
        die("the file cannot be written");
    fprintf(file, "panel,series,setting,time_s,apart_m\n");
    return file;
}

int main(int argc, char **argv)
{
    FILE *file = read_arguments(argc, argv);
    char rows[SUBJECTS][256];
    int is_far = 0;
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        die("out of memory");
    if (!is_brief)
        printf("| apart from `constraint` by 1 mm, 1 cm after s | itself, turned by 1e-4 rad | "
               "1/240 s | 1/960 s | 1/3840 s | growth of a turn |\n"
               "|---|---|---|---|---|---|\n");
    for (int i = 0; i < SUBJECTS; i++) {
        move_all(&subjects[i]);
        is_far |= !compare(&subjects[i], rows[i], sizeof rows[i]);
        if (!is_brief)
            print_row(&subjects[i]);
        fflush(stdout);
        if (file && subjects[i].is_drawn)
            draw(&subjects[i], file);
    }
    printf("%s| apart from `constraint` after %.1f s, m | 1/240 s | 1/960 s | 1/3840 s |\n"
           "|---|---|---|---|\n",
           is_brief ? "" : "\n", COMPARE_TICK / 60.0);
    for (int i = 0; i < SUBJECTS; i++)
        printf("%s\n", rows[i]);
    arena_deinit(&arena);
    return (file && fclose(file) != 0) || is_far;
}
