/* simulator scene SCENE.json: reads a scene, moves it and writes what happened. The trace has a
 * line at the start and at every interval; impulses of contacts are summed from line to line, so
 * that none is lost between them. */
#include "simulator/tools/command_scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/system/options.h"
#include "common/system/output.h"
#include "simulator/tools/scenes/scene.h"
#include "simulator/tools/scenes/space_scene.h"
#include "simulator/tools/trace.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };
/* Steps in a run and between two lines, at most. */
#define STEPS_MAX 1e10
/* A contact that comes off its law slower than this, m/s, counts as held; faster ones may come off
 * by so much in all, m. */
#define HELD_M_S   1e-4
#define MISS_MAX_M 1e-4

/* Impulses of a body's contacts since the last line. */
struct impulses {
    int contacts; /* in the last step */
    double normal_n_s, friction_n_s;
    double x_n_s, y_n_s; /* as a vector in the world, on the body */
};

struct run {
    struct scene scene;
    struct arena arena;
    struct dynamics *dynamics;
    uint64_t steps, steps_per_line;
    double missed_m; /* by contacts that could not be held */
    struct impulses impulses[SCENE_BODIES_MAX];
};

/* ---------------------------------------------------------------- the request */

static int fail(int exit_code, const char *message)
{
    output_print(stderr, "simulator scene: %s\n", message);
    return exit_code;
}

/* A positive number or a fraction of two. */
static int read_positive(const char *text, void *field, struct error *error)
{
    double *number = field;
    char *end;
    *number = strtod(text, &end);
    if (end != text && *end == '/') {
        const char *below = end + 1;
        *number /= strtod(below, &end);
        if (end == below)
            *number = 0;
    }
    return end != text && *end == '\0' && isfinite(*number) && *number > 0
               ? 0
               : error_set(error, ERR_USAGE, "'%s' is not a positive number", text);
}

/* Returns -1 to go on, else the exit code. */
static int parse_request(struct scene_request *request, int argc, char **argv)
{
    *request = (struct scene_request){.solver = -1, .integrator = -1};
    int result = command_parse(&scene_command, argc, argv, request);
    if (result >= 0)
        return result;
    if (argc - optind != 1)
        return command_refuse(&scene_command, "one scene is expected");
    request->path = argv[optind];
    return -1;
}

/* ---------------------------------------------------------------- the trace */

static void print_header(FILE *file, const struct scene *scene)
{
    fputs("time_s,com_x_m,com_y_m", file);
#define X(field) fputs("," #field, file);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < scene->body_count; i++) {
        static const char *const columns[] = {
            "x_m",         "y_m",          "angle_rad",     "vx_m_s",       "vy_m_s",
            "omega_rad_s", "joint_rad",    "joint_rad_s",   "torque_n_m",   "contacts",
            "normal_n_s",  "friction_n_s", "impulse_x_n_s", "impulse_y_n_s"};
        static const char *const linear[] = {"joint_m", "joint_m_s", "force_n"};
        int is_linear = scene->bodies[i].joint == SCENE_LINEAR;
        for (int k = 0; k < (int)(sizeof columns / sizeof columns[0]); k++)
            fprintf(file, ",%s_%s", scene->bodies[i].name,
                    is_linear && k >= 6 && k < 9 ? linear[k - 6] : columns[k]);
    }
    fputc('\n', file);
}

static void print_body(FILE *file, const struct run *run, int i)
{
    const struct impulses *sum = &run->impulses[i];
    struct part_state s;
    struct drive_state joint = scene_joint_state(&run->scene, run->dynamics, i);
    scene_body_state(&run->scene, run->dynamics, i, &s);
    fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", s.x_m, s.y_m, s.angle_rad, s.vx_m_s,
            s.vy_m_s, s.omega_rad_s);
    fprintf(file, ",%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%.17g", joint.value, joint.rate,
            joint.effort, sum->contacts, sum->normal_n_s, sum->friction_n_s, sum->x_n_s,
            sum->y_n_s);
}

static void print_line(FILE *file, struct run *run, uint64_t step)
{
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    const struct ledger *ledger = dynamics_ledger(run->dynamics);
    fprintf(file, "%.17g,%.17g,%.17g", (double)step * run->scene.settings.dt_s, centre.x, centre.y);
#define X(field) fprintf(file, ",%.17g", ledger->field);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < run->scene.body_count; i++)
        print_body(file, run, i);
    fputc('\n', file);
    memset(run->impulses, 0, sizeof run->impulses);
}

static void add_impulses(struct run *run)
{
    const struct contact_point *points;
    int count = dynamics_contacts(run->dynamics, &points);
    for (int i = 0; i < run->scene.body_count; i++)
        run->impulses[i].contacts = 0;
    for (int k = 0; k < count; k++) {
        int parts[2] = {points[k].part, points[k].other};
        for (int side = 0; side < 2; side++) {
            int body = parts[side] < 0 ? -1 : run->scene.part_bodies[parts[side]];
            if (body < 0)
                continue;
            struct impulses *sum = &run->impulses[body];
            sum->contacts++;
            sum->normal_n_s += points[k].normal_impulse_n_s;
            sum->friction_n_s += points[k].friction_impulse_n_s;
            double sign = side == 0 ? 1 : -1;
            double normal = sign * points[k].normal_impulse_n_s;
            double along = sign * points[k].friction_impulse_n_s;
            struct vec3 n = points[k].normal;
            sum->x_n_s += normal * n.x + along * n.y;
            sum->y_n_s += normal * n.y - along * n.x;
        }
    }
}

/* The body of a part, or what else it belongs to. */
static const char *part_owner(const struct scene *scene, int part)
{
    int body = part < 0 ? -1 : scene->part_bodies[part];
    return part < 0 ? "ground" : body < 0 ? "obstacle" : scene->bodies[body].name;
}

static void print_contacts(FILE *file, const struct run *run, uint64_t step)
{
    const struct contact_point *points;
    int count = dynamics_contacts(run->dynamics, &points);
    for (int k = 0; k < count; k++) {
        const struct contact_point *p = &points[k];
        fprintf(file, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                (double)step * run->scene.settings.dt_s, part_owner(&run->scene, p->part),
                part_owner(&run->scene, p->other), p->at.x, p->at.y, p->normal.x, p->normal.y,
                p->gap_m, p->normal_impulse_n_s, p->friction_impulse_n_s);
    }
}

/* ---------------------------------------------------------------- the run */

static int count_steps(double dt, const char *what, double time_s, uint64_t *steps,
                       struct error *error)
{
    double count = time_s / dt;
    if (count > STEPS_MAX)
        return error_set(error, ERR_LIMIT, "%s of %g s: more than %g steps", what, time_s,
                         STEPS_MAX);
    *steps = (uint64_t)(count + 0.5);
    if (*steps == 0 || fabs(count - (double)*steps) > 1e-6 * count)
        return error_set(error, ERR_RANGE, "%s of %.9g s is not a whole number of steps of %.9g s",
                         what, time_s, dt);
    return 0;
}

int scene_apply_request(const struct scene_request *request, struct dynamics_settings *settings,
                        double *until_s, double *interval_s, uint64_t *steps,
                        uint64_t *steps_per_line, struct error *error)
{
    settings->solver = request->solver >= 0 ? request->solver : settings->solver;
    settings->integrator = request->integrator >= 0 ? request->integrator : settings->integrator;
    settings->dt_s = request->dt_s > 0 ? request->dt_s : settings->dt_s;
    settings->rtol = request->rtol > 0 ? request->rtol : settings->rtol;
    *until_s = request->until_s > 0 ? request->until_s : *until_s;
    *interval_s = request->interval_s > 0 ? request->interval_s : *interval_s;
    int status = count_steps(settings->dt_s, "an interval", *interval_s, steps_per_line, error);
    return status ? status : count_steps(settings->dt_s, "an end", *until_s, steps, error);
}

static int prepare(struct run *run, const struct scene_request *request, struct error *error)
{
    struct scene *scene = &run->scene;
    if (scene_read_file(scene, request->path, error) != 0)
        return error->code;
    if (scene_apply_request(request, &scene->settings, &scene->until_s, &scene->interval_s,
                            &run->steps, &run->steps_per_line, error) != 0)
        return error->code;
    return scene_start(scene, &run->arena, &run->dynamics, error);
}

/* Whether contacts hold what they should. */
static int check_contacts(struct run *run, uint64_t step, struct error *error)
{
    double dt = run->scene.settings.dt_s, miss = dynamics_law_miss(run->dynamics);
    if (!(miss <= HELD_M_S * dt))
        run->missed_m += miss;
    if (run->missed_m <= MISS_MAX_M)
        return 0;
    return error_set(
        error, ERR_RANGE,
        "contacts cannot hold what presses at %.9g s: bodies are %.3g m off; masses too "
        "different, or motions that press into something? --solver constraint may do better",
        (double)step * dt, run->missed_m);
}

static int move(void *what, FILE *trace, FILE *contacts, struct error *error)
{
    struct run *run = what;
    if (trace) {
        print_header(trace, &run->scene);
        print_line(trace, run, 0);
    }
    if (contacts)
        fputs("time_s,body,other,x_m,y_m,normal_x,normal_y,gap_m,normal_n_s,friction_n_s\n",
              contacts);
    for (uint64_t step = 1; step <= run->steps; step++) {
        int is_bad = dynamics_step(run->dynamics);
        add_impulses(run);
        if (contacts)
            print_contacts(contacts, run, step);
        if (trace && (step % run->steps_per_line == 0 || is_bad))
            print_line(trace, run, step);
        if (is_bad)
            return scene_fail_step(&run->arena, (double)step * run->scene.settings.dt_s, error);
        if (check_contacts(run, step, error) != 0)
            return error->code;
    }
    return 0;
}

static void print_summary(struct run *run)
{
    uint64_t steps, free_steps;
    dynamics_step_counts(run->dynamics, &steps, &free_steps);
    output_print(stdout, "time %g s, %llu steps of %g s, %llu of them free of contacts\n",
                 (double)run->steps * run->scene.settings.dt_s, (unsigned long long)steps,
                 run->scene.settings.dt_s, (unsigned long long)free_steps);
    scene_print_ledger(dynamics_ledger(run->dynamics));
}

void scene_print_ledger(const struct ledger *l)
{
    output_print(stdout, "energy %.9g J at the start, %.9g J now, work %.9g J\n", l->energy_start_j,
                 l->kinetic_j + l->potential_j, l->work_effector_j);
    output_print(
        stdout, "losses: friction %.6g, impact %.6g, limits %.6g, drag %.6g, damping %.6g J\n",
        l->loss_friction_j, l->loss_impact_j, l->loss_limit_j, l->loss_drag_j, l->loss_damping_j);
    output_print(stdout, "unearned: push-out %.6g, impact %.6g, limits %.6g J; residual %.3g J\n",
                 l->gain_push_out_j, l->gain_impact_j, l->gain_limit_j, l->residual_j);
}

int scene_is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

int scene_open_file(struct scene_file *file, const char *path, struct error *error)
{
    file->file = NULL;
    if (path && scene_is_standard(path))
        file->file = stdout;
    else if (path && draft_open(&file->draft, path, error) != 0)
        return error->code;
    else if (path)
        file->file = file->draft.file;
    return 0;
}

int scene_close_file(struct scene_file *file, int result, struct error *error)
{
    struct error of_file;
    if (!file->file || file->file == stdout || draft_end(&file->draft, 0, &of_file) == 0 || result)
        return result;
    *error = of_file;
    return error->code;
}

int scene_move_to_files(const struct scene_request *request,
                        int (*run)(void *what, FILE *trace, FILE *contacts, struct error *error),
                        void *what, struct error *error)
{
    struct scene_file trace, contacts = {0};
    int result = scene_open_file(&trace, request->trace_path, error);
    if (result == 0)
        result = scene_open_file(&contacts, request->contacts_path, error);
    if (result == 0)
        result = run(what, trace.file, contacts.file, error);
    result = scene_close_file(&trace, result, error);
    return scene_close_file(&contacts, result, error);
}

static int command_scene(int argc, char **argv)
{
    struct scene_request request;
    struct error error = {0};
    int exit_code = parse_request(&request, argc, argv);
    if (exit_code >= 0)
        return exit_code;
    if (file_kind_of(request.path) == FILE_SPACE_SCENE) {
        if (command_scene_in_space(&request, &error) != 0)
            return fail(EXIT_FAILED, error.message);
        return EXIT_OK;
    }
    if (request.mjcf_path || request.signals_path)
        return fail(EXIT_FAILED, "--mjcf and --signals are for scenes in three dimensions");
    struct run *run = calloc(1, sizeof *run);
    if (!run || arena_init(&run->arena, SCENE_ARENA_BYTES) != 0) {
        free(run);
        return fail(EXIT_FAILED, "out of memory");
    }
    int result = prepare(run, &request, &error);
    if (result == 0)
        result = scene_move_to_files(&request, move, run, &error);
    if (result != 0)
        exit_code = fail(EXIT_FAILED, error.message);
    else
        exit_code = EXIT_OK;
    if (result == 0 && !scene_is_standard(request.trace_path) &&
        !scene_is_standard(request.contacts_path))
        print_summary(run);
    arena_deinit(&run->arena);
    free(run);
    return exit_code;
}

#define REAL(name, argument, help, field_)                                                         \
    {                                                                                              \
        name, 0, argument, help, OPTION_READ, .field = offsetof(struct scene_request, field_),     \
                                              .read = read_positive                                \
    }
#define FILE_OF(name, argument, help, field_)                                                      \
    {                                                                                              \
        name, 0, argument, help, OPTION_TEXT, .field = offsetof(struct scene_request, field_)      \
    }

static const struct option_row options[] = {
    FILE_OF("trace", "FILE.csv", "writes the motion; - for standard output", trace_path),
    FILE_OF("contacts", "FILE.csv", "writes every point of contact in every step", contacts_path),
    FILE_OF("mjcf", "FILE.xml", "three dimensions: writes the scene for MuJoCo", mjcf_path),
    FILE_OF("signals", "FILE.csv", "and the controls of its servos, a line for each step",
            signals_path),
    {"solver", 0, SOLVER_CHOICES, "which of them moves it", OPTION_WORD,
     .field = offsetof(struct scene_request, solver)},
    {"integrator", 0, "auto|rk4|midpoint", "of the articulated solver", OPTION_WORD,
     .field = offsetof(struct scene_request, integrator)},
    REAL("dt", "S", "time step; such as 0.001 or 1/960", dt_s),
    REAL("rtol", "R", "tolerance of the constraint solver's steps", rtol),
    REAL("until", "S", "end of the motion", until_s),
    REAL("interval", "S", "time between two lines of the trace", interval_s),
    {.name = NULL}};
const struct command scene_command = {
    .program = "simulator",
    .name = "scene",
    .operands = "SCENE.json",
    .summary = "bodies, joints and a world written by hand: the physics alone",
    .about = "Moves bodies written by hand: the physics alone. docs/scenes.md describes the file. "
             "Options go before what the scene says.",
    .options = options,
    .after = "Exit code: 0, 1 failed, 2 wrong usage.",
    .run = command_scene};
