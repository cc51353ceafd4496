/* simulator scene SCENE.json: reads a scene, moves it and writes its motion as CSV; docs/scenes.md
 * lists the columns. Both dimensions have the same lines, and columns of their own. */
#include "simulator/tools/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/output.h"
#include "simulator/tools/mjcf.h"
#include "simulator/tools/scenes/scene.h"
#include "simulator/tools/trace.h"

/* Steps in a run and between two lines, at most. */
#define STEPS_MAX 1e10
/* A contact that comes off its law slower than this, m/s, counts as held; faster ones may come off
 * by so much in all, m. */
#define HELD_M_S   1e-4
#define MISS_MAX_M 1e-4
/* More energy than this share of the greatest kinetic energy and of what was turned over is not
 * wrong at the end without a word. */
#define ENERGY_SHARE_MAX 0.01
/* Of the energy there is, this share is rounding: nothing is said of it where all is at rest. */
#define ENERGY_ROUNDING 1e-12

/* ---------------------------------------------------------------- the motion as CSV */

/* Impulses of a body's contacts since the last line. */
struct scene_impulses {
    int contacts; /* in the last step */
    double normal_n_s, friction_n_s;
    double x_n_s, y_n_s; /* as a vector in the world, on the body */
};

/* Begin it with the scene, its motion and the files, which may be NULL. */
struct scene_trace {
    const struct scene *scene;
    struct dynamics *dynamics;
    FILE *motion, *contacts;
    struct scene_impulses impulses[SCENE_BODIES_MAX];
};

static void print_vector(FILE *file, struct vec3 v)
{
    fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

/* The body of a part, or what else it belongs to. */
static const char *part_owner(const struct scene *scene, int part)
{
    int body = part < 0 ? -1 : scene->part_bodies[part];
    return part == CONTACT_GROUND ? "ground" : body < 0 ? "obstacle" : scene->bodies[body].name;
}

/* ---------------------------------------------------------------- in the plane */

static void print_plane_columns(FILE *file, const struct scene *scene, int body)
{
    const char *of = scene->bodies[body].name;
    int is_linear = scene->bodies[body].joint == LINK_LINEAR;
#define X(name, linear, field) fprintf(file, ",%s_%s", of, is_linear ? #linear : #name);
    TRACE_MOTION(X)
    TRACE_JOINT(X)
#undef X
    fprintf(file, ",%s_impulse_x_n_s,%s_impulse_y_n_s", of, of);
}

static void print_plane_whole(const struct scene_trace *t)
{
    struct vec3 centre = dynamics_centre_of_mass(t->dynamics);
    fprintf(t->motion, ",%.17g,%.17g", centre.x, centre.y);
}

static void print_plane_body(const struct scene_trace *t, int i)
{
    const struct scene_impulses *sum = &t->impulses[i];
    struct trace_part row = {.joint = scene_joint_state(t->scene, t->dynamics, i),
                             .contacts = sum->contacts,
                             .normal_n_s = sum->normal_n_s,
                             .friction_n_s = sum->friction_n_s};
    scene_body_state(t->scene, t->dynamics, i, &row.state);
#define X(name, linear, field) fprintf(t->motion, ",%.17g", row.field);
    TRACE_MOTION(X)
    TRACE_JOINT(X)
#undef X
    fprintf(t->motion, ",%.17g,%.17g", sum->x_n_s, sum->y_n_s);
}

static void add_impulse(struct scene_impulses *sum, const struct contact_point *point, double sign)
{
    double normal = sign * point->normal_impulse_n_s;
    double along = sign * point->friction_impulse_n_s;
    struct vec3 n = point->normal;
    sum->contacts++;
    sum->normal_n_s += point->normal_impulse_n_s;
    sum->friction_n_s += point->friction_impulse_n_s;
    sum->x_n_s += normal * n.x + along * n.y;
    sum->y_n_s += normal * n.y - along * n.x;
}

static void add_impulses(struct scene_trace *t)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int i = 0; i < t->scene->body_count; i++)
        t->impulses[i].contacts = 0;
    for (int k = 0; k < count; k++) {
        int parts[2] = {points[k].part, points[k].other};
        for (int side = 0; side < 2; side++) {
            int body = parts[side] < 0 ? -1 : t->scene->part_bodies[parts[side]];
            if (body >= 0)
                add_impulse(&t->impulses[body], &points[k], side == 0 ? 1 : -1);
        }
    }
}

static void print_plane_contacts(const struct scene_trace *t, double time_s)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int k = 0; k < count; k++) {
        const struct contact_point *p = &points[k];
        fprintf(t->contacts, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", time_s,
                part_owner(t->scene, p->part), part_owner(t->scene, p->other), p->at.x, p->at.y,
                p->normal.x, p->normal.y, p->gap_m, p->normal_impulse_n_s, p->friction_impulse_n_s);
    }
}

/* ---------------------------------------------------------------- in space */

static const struct joint_kind *joint_of(const struct scene *scene, int body)
{
    return &joint_kinds[scene->links[body].kind];
}

static void print_space_columns(FILE *file, const struct scene *scene, int body)
{
    static const char *const columns[] = {"x_m",      "y_m",      "z_m",     "qw",     "qx",
                                          "qy",       "qz",       "vx_m_s",  "vy_m_s", "vz_m_s",
                                          "wx_rad_s", "wy_rad_s", "wz_rad_s"};
    const char *name = scene->bodies[body].name;
    int rates = joint_rates(joint_of(scene, body));
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        fprintf(file, ",%s_%s", name, columns[k]);
    for (int k = 0; k < joint_coordinates(joint_of(scene, body)); k++)
        fprintf(file, ",%s_q%d", name, k);
    for (int k = 0; k < rates; k++)
        fprintf(file, ",%s_qd%d", name, k);
    for (int k = 0; k < rates; k++)
        fprintf(file, ",%s_effort%d", name, k);
}

static void print_space_whole(const struct scene_trace *t)
{
    struct vec3 linear, angular;
    dynamics_momentum(t->dynamics, &linear, &angular);
    print_vector(t->motion, dynamics_centre_of_mass(t->dynamics));
    print_vector(t->motion, linear);
    print_vector(t->motion, angular);
}

static void print_space_body(const struct scene_trace *t, int body)
{
    const double *q = t->dynamics->q, *qd = t->dynamics->qd;
    struct quaternion turn = dynamics_link_turn(t->dynamics, body);
    int rates = joint_rates(joint_of(t->scene, body)), first = 0;
    struct part_state s;
    for (int i = 0; i < body; i++) {
        q += joint_coordinates(joint_of(t->scene, i));
        first += joint_rates(joint_of(t->scene, i));
    }
    dynamics_link_state(t->dynamics, body, &s);
    print_vector(t->motion, s.at_m);
    fprintf(t->motion, ",%.17g,%.17g,%.17g,%.17g", turn.w, turn.x, turn.y, turn.z);
    print_vector(t->motion, s.velocity_m_s);
    print_vector(t->motion, s.spin_rad_s);
    for (int k = 0; k < joint_coordinates(joint_of(t->scene, body)); k++)
        fprintf(t->motion, ",%.17g", q[k]);
    for (int k = 0; k < rates; k++)
        fprintf(t->motion, ",%.17g", qd[first + k]);
    for (int k = 0; k < rates; k++) {
        struct drive_state drive;
        dynamics_drive_state(t->dynamics, first + k, &drive);
        fprintf(t->motion, ",%.17g", drive.effort);
    }
}

/* A line for each two that touch: how a face shares its load among its corners is not determined,
 * so only sums are. Points of two boxes follow one another. */
static void print_space_contacts(const struct scene_trace *t, double time_s)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int i = 0; i < count;) {
        const struct contact_point *first = &points[i];
        double gap = first->gap_m, normal = 0, friction = 0;
        int from = i;
        for (; i < count && points[i].part == first->part && points[i].other == first->other; i++) {
            gap = points[i].gap_m < gap ? points[i].gap_m : gap;
            normal += points[i].normal_impulse_n_s;
            friction += points[i].friction_impulse_n_s;
        }
        fprintf(t->contacts, "%.17g,%s,%s,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", time_s,
                part_owner(t->scene, first->part), part_owner(t->scene, first->other), i - from,
                first->normal.x, first->normal.y, first->normal.z, gap, normal, friction);
    }
}

/* ---------------------------------------------------------------- the files */

/* By whether the scene is in space. */
static const struct trace_form {
    const char *motion_columns, *contacts_columns;
    void (*print_columns)(FILE *file, const struct scene *scene, int body);
    void (*print_whole)(const struct scene_trace *t);
    void (*print_body)(const struct scene_trace *t, int body);
    void (*print_contacts)(const struct scene_trace *t, double time_s);
} forms[] = {{"time_s,com_x_m,com_y_m",
              "time_s,body,other,x_m,y_m,normal_x,normal_y,gap_m,normal_n_s,friction_n_s\n",
              print_plane_columns, print_plane_whole, print_plane_body, print_plane_contacts},
             {"time_s,com_x_m,com_y_m,com_z_m,px_n_s,py_n_s,pz_n_s,lx_n_m_s,ly_n_m_s,lz_n_m_s",
              "time_s,body,other,points,normal_x,normal_y,normal_z,gap_m,normal_n_s,friction_n_s\n",
              print_space_columns, print_space_whole, print_space_body, print_space_contacts}};

static const struct trace_form *form_of(const struct scene_trace *t)
{
    return &forms[scene_is_in_space(t->scene)];
}

static void print_header(const struct scene_trace *t)
{
    fputs(form_of(t)->motion_columns, t->motion);
#define X(field) fputs("," #field, t->motion);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < t->scene->body_count; i++)
        form_of(t)->print_columns(t->motion, t->scene, i);
    fputc('\n', t->motion);
}

static void print_line(struct scene_trace *t, double time_s)
{
    const struct ledger *ledger = dynamics_ledger(t->dynamics);
    fprintf(t->motion, "%.17g", time_s);
    form_of(t)->print_whole(t);
#define X(field) fprintf(t->motion, ",%.17g", ledger->field);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < t->scene->body_count; i++)
        form_of(t)->print_body(t, i);
    fputc('\n', t->motion);
    memset(t->impulses, 0, sizeof t->impulses);
}

/* The headers, and the line of the start. */
static void begin_trace(struct scene_trace *t)
{
    if (t->contacts)
        fputs(form_of(t)->contacts_columns, t->contacts);
    if (!t->motion)
        return;
    print_header(t);
    print_line(t, 0);
}

/* After each step, which ended at time_s: its contacts, and where asked for a line of the motion.
 * Impulses are summed from line to line, so that none is lost between them. */
static void trace_step(struct scene_trace *t, double time_s, int has_line)
{
    add_impulses(t);
    if (t->contacts)
        form_of(t)->print_contacts(t, time_s);
    if (t->motion && has_line)
        print_line(t, time_s);
}

/* ---------------------------------------------------------------- the command */

struct request {
    const char *trace_path, *contacts_path;
    const char *mjcf_path, *signals_path;   /* of scenes in three dimensions */
    int solver, integrator;                 /* -1: as the scene says */
    double dt_s, rtol, until_s, interval_s; /* 0: as the scene says */
};

struct run {
    const char *path;
    struct scene scene;
    struct arena arena;
    struct dynamics *dynamics;
    uint64_t steps, steps_per_line;
    double missed_m;       /* by contacts that could not be held */
    double kinetic_most_j; /* after any step */
    struct scene_trace trace;
};

/* ---------------------------------------------------------------- the request */

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

/* ---------------------------------------------------------------- the files */

static int is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Calls with both files open, NULL where there is no path. Returns what went wrong first; the lines
 * before it are kept. */
static int write_two(const char *first_path, const char *second_path, struct run *run,
                     int (*write)(struct run *run, FILE *first, FILE *second, struct error *error),
                     struct error *error)
{
    struct tool_file files[] = {{.path = first_path, .is_standard = is_standard(first_path)},
                                {.path = second_path, .is_standard = is_standard(second_path)}};
    int result = tool_open_files(files, 2, error);
    if (result == 0)
        result = write(run, files[0].file, files[1].file, error);
    return tool_close_files(files, 2, result, 1, error);
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

/* Puts what the request says in the place of what the scene says, and counts the times in steps.
 * ERR_RANGE if a time is not a whole number of steps, at least one. */
static int apply_request(struct run *run, const struct request *request, struct error *error)
{
    struct scene *scene = &run->scene;
    struct dynamics_settings *settings = &scene->settings;
    settings->solver = request->solver >= 0 ? request->solver : settings->solver;
    settings->integrator = request->integrator >= 0 ? request->integrator : settings->integrator;
    settings->dt_s = request->dt_s > 0 ? request->dt_s : settings->dt_s;
    settings->rtol = request->rtol > 0 ? request->rtol : settings->rtol;
    scene->until_s = request->until_s > 0 ? request->until_s : scene->until_s;
    scene->interval_s = request->interval_s > 0 ? request->interval_s : scene->interval_s;
    int status =
        count_steps(settings->dt_s, "an interval", scene->interval_s, &run->steps_per_line, error);
    return status ? status
                  : count_steps(settings->dt_s, "an end", scene->until_s, &run->steps, error);
}

static int prepare(struct run *run, const struct request *request, struct error *error)
{
    struct scene *scene = &run->scene;
    if (scene_read_file(scene, run->path, error) != 0)
        return error->code;
    if ((request->mjcf_path || request->signals_path) && !scene_is_in_space(scene))
        return error_set(error, ERR_UNAVAILABLE,
                         "--mjcf and --signals are for scenes in three dimensions");
    if (apply_request(run, request, error) != 0)
        return error->code;
    run->trace.scene = scene;
    return scene_start(scene, &run->arena, &run->dynamics, error);
}

/* Whether contacts hold what they should. */
static int check_contacts(struct run *run, uint64_t step, struct error *error)
{
    double dt = run->scene.settings.dt_s, miss = run->dynamics->touches.law_miss_m;
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

static int move(struct run *run, FILE *motion, FILE *contacts, struct error *error)
{
    run->trace.dynamics = run->dynamics;
    run->trace.motion = motion;
    run->trace.contacts = contacts;
    begin_trace(&run->trace);
    for (uint64_t step = 1; step <= run->steps; step++) {
        int result = dynamics_step(run->dynamics);
        double time_s = (double)step * run->scene.settings.dt_s;
        trace_step(&run->trace, time_s, step % run->steps_per_line == 0 || result);
        if (result)
            return scene_fail_step(&run->scene, run->dynamics, result, &run->arena, time_s, error);
        if (check_contacts(run, step, error) != 0)
            return error->code;
        run->kinetic_most_j =
            det_max(run->kinetic_most_j, dynamics_ledger(run->dynamics)->kinetic_j);
    }
    return 0;
}

static int export_scene(struct run *run, FILE *model, FILE *signals, struct error *error)
{
    int status = mjcf_write_scene(&run->scene, run->path, model, signals, run->steps, &run->arena);
    return status ? error_set(error, status, "out of memory") : 0;
}

static void print_summary(struct run *run)
{
    const struct ledger *l = dynamics_ledger(run->dynamics);
    output_print(stdout, "time %g s, %llu steps of %g s: %llu taken, %llu of them by Runge-Kutta\n",
                 (double)run->steps * run->scene.settings.dt_s, (unsigned long long)run->steps,
                 run->scene.settings.dt_s, (unsigned long long)run->dynamics->steps,
                 (unsigned long long)run->dynamics->rk4_steps);
    output_print(stdout, "energy %.9g J at the start, %.9g J now, work %.9g J\n", l->energy_start_j,
                 l->kinetic_j + l->potential_j, l->work_effector_j);
    output_print(
        stdout, "losses: friction %.6g, impact %.6g, limits %.6g, drag %.6g, damping %.6g J\n",
        l->loss_friction_j, l->loss_impact_j, l->loss_limit_j, l->loss_drag_j, l->loss_damping_j);
    output_print(stdout, "unearned: push-out %.6g, impact %.6g, limits %.6g J; residual %.3g J\n",
                 l->gain_push_out_j, l->gain_impact_j, l->gain_limit_j, l->residual_j);
}

/* Says so if the ledger does not balance at the end of the motion. */
static void tell_energy(struct run *run)
{
    const struct ledger *l = dynamics_ledger(run->dynamics);
    double off_j = fabs(l->residual_j) + l->mended_j;
    double size_j = run->kinetic_most_j + l->work_effector_positive_j + l->loss_friction_j +
                    l->loss_impact_j + l->loss_limit_j + l->loss_drag_j + l->loss_damping_j;
    double rounding_j = ENERGY_ROUNDING * (fabs(l->energy_start_j) + fabs(l->potential_j));
    if (off_j > ENERGY_SHARE_MAX * size_j + rounding_j)
        output_print(stderr,
                     "simulator scene: energy is off by %.3g J, where %.3g J moved or were turned "
                     "over; masses too different, or steps too long? A shorter --dt or --solver "
                     "constraint may do better\n",
                     off_j, size_j);
}

static int run_request(struct run *run, const struct request *request, struct error *error)
{
    int result = prepare(run, request, error);
    if (result == 0 && (request->mjcf_path || request->signals_path))
        result = write_two(request->mjcf_path, request->signals_path, run, export_scene, error);
    if (result == 0)
        result = write_two(request->trace_path, request->contacts_path, run, move, error);
    if (result == 0 && !is_standard(request->trace_path) && !is_standard(request->contacts_path))
        print_summary(run);
    if (result == 0)
        tell_energy(run);
    return result;
}

static int run_scene(void *request, char **operands, struct error *error)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run || arena_init(&run->arena, SCENE_ARENA_BYTES) != 0) {
        free(run);
        return error_memory(error);
    }
    run->path = operands[0];
    int status = run_request(run, request, error);
    arena_deinit(&run->arena);
    free(run);
    return status;
}

#define REAL(name, argument, help, field_)                                                         \
    {                                                                                              \
        name, 0, argument, help, OPTION_AT(READ, request, field_), .read = read_positive           \
    }

static const struct option_row options[] = {
    {"trace", 0, "FILE.csv", "writes the motion; - for standard output",
     OPTION_AT(TEXT, request, trace_path)},
    {"contacts", 0, "FILE.csv", "writes every point of contact in every step",
     OPTION_AT(TEXT, request, contacts_path)},
    {"mjcf", 0, "FILE.xml", "three dimensions: writes the scene for MuJoCo",
     OPTION_AT(TEXT, request, mjcf_path)},
    {"signals", 0, "FILE.csv", "and the controls of its servos, a line for each step",
     OPTION_AT(TEXT, request, signals_path)},
    {"solver", 0, SOLVER_CHOICES, "which of them moves it", OPTION_AT(WORD, request, solver)},
    {"integrator", 0, "auto|rk4|midpoint", "of the articulated solver",
     OPTION_AT(WORD, request, integrator)},
    REAL("dt", "S", "time step; such as 0.001 or 1/960", dt_s),
    REAL("rtol", "R", "tolerance of the constraint solver's steps", rtol),
    REAL("until", "S", "end of the motion", until_s),
    REAL("interval", "S", "time between two lines of the trace", interval_s),
    {.name = NULL}};
const struct tool scene_tool = {
    .command =
        {TOOL(scene), .operands = "SCENE.json",
         .summary = "bodies, joints and a world written by hand: the physics alone",
         .about =
             "Moves bodies written by hand: the physics alone. docs/scenes.md describes the file. "
             "Options go before what the scene says.",
         .after = "Exit code: 0, 1 failed, 2 wrong usage."},
    .counts = {1, 1},
    .expected = "one scene",
    .run = run_scene,
    TOOL_REQUEST(.solver = -1, .integrator = -1)};
