/* simulator scene SCENE.json, where the scene has three dimensions. */
#include "common/system/output.h"
#include "simulator/tools/command_scene.h"

#include <stdlib.h>

#include "simulator/tools/space_mjcf.h"
#include "simulator/tools/scenes/space_run.h"
#include "simulator/tools/trace.h"

struct run {
    struct space_scene scene;
    struct arena arena;
    struct space_run motion;
    uint64_t steps, steps_per_line;
};

/* ---------------------------------------------------------------- the trace */

static void print_header(FILE *file, struct run *run)
{
    static const char *const columns[] = {"x_m",      "y_m",      "z_m",     "qw",     "qx",
                                          "qy",       "qz",       "vx_m_s",  "vy_m_s", "vz_m_s",
                                          "wx_rad_s", "wy_rad_s", "wz_rad_s"};
    const struct space_tree *tree = space_run_tree(&run->motion);
    fputs("time_s,com_x_m,com_y_m,com_z_m,px_n_s,py_n_s,pz_n_s,lx_n_m_s,ly_n_m_s,lz_n_m_s", file);
#define X(field) fputs("," #field, file);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < tree->count; i++) {
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
            fprintf(file, ",%s_%s", run->scene.names[i], columns[k]);
        for (int k = 0; k < space_joint_coordinates(tree->links[i].joint); k++)
            fprintf(file, ",%s_q%d", run->scene.names[i], k);
        for (int k = 0; k < tree->links[i].rates; k++)
            fprintf(file, ",%s_qd%d", run->scene.names[i], k);
        for (int k = 0; k < tree->links[i].rates; k++)
            fprintf(file, ",%s_effort%d", run->scene.names[i], k);
    }
    fputc('\n', file);
}

static void print_vector(FILE *file, struct vec3 v)
{
    fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

static void print_body(FILE *file, const struct run *run, const struct space_tree_link *l)
{
    const double *q = space_run_q(&run->motion), *qd = space_run_qd(&run->motion);
    struct quaternion turn = quaternion_of(&l->turned);
    print_vector(file, space_tree_centre(l));
    fprintf(file, ",%.17g,%.17g,%.17g,%.17g", turn.w, turn.x, turn.y, turn.z);
    print_vector(file, space_tree_centre_velocity(l));
    print_vector(file, l->velocity.w);
    for (int k = 0; k < space_joint_coordinates(l->joint); k++)
        fprintf(file, ",%.17g", q[l->coordinate + k]);
    for (int k = 0; k < l->rates; k++)
        fprintf(file, ",%.17g", qd[l->rate + k]);
    for (int k = 0; k < l->rates; k++)
        fprintf(file, ",%.17g", space_run_effort(&run->motion, l->rate + k));
}

static void print_line(FILE *file, struct run *run, uint64_t step)
{
    const struct ledger *ledger = space_run_ledger(&run->motion);
    const struct space_tree *tree = space_run_tree(&run->motion);
    struct vec3 linear, angular;
    space_tree_momentum(tree, &linear, &angular);
    fprintf(file, "%.17g", (double)step * run->scene.settings.dt_s);
    print_vector(file, space_tree_centre_of_mass(tree));
    print_vector(file, linear);
    print_vector(file, angular);
#define X(field) fprintf(file, ",%.17g", ledger->field);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < tree->count; i++)
        print_body(file, run, &tree->links[i]);
    fputc('\n', file);
}

/* The body of a box, or what else touches. */
static const char *owner(const struct space_scene *scene, int box)
{
    return box == CONTACT_GROUND ? "ground"
           : box < 0             ? "obstacle"
                                 : scene->names[scene->boxes[box].link];
}

/* A line for each two that touch: how a face shares its load among its corners is not determined,
 * so only sums are. Points of two boxes follow one another. */
static void print_contacts(FILE *file, const struct run *run, uint64_t step)
{
    const struct contact_point *points;
    int count = space_run_contacts(&run->motion, &points);
    for (int i = 0; i < count;) {
        const struct contact_point *first = &points[i];
        double gap = first->gap_m, normal = 0, friction = 0;
        int from = i;
        for (; i < count && points[i].part == first->part && points[i].other == first->other; i++) {
            gap = points[i].gap_m < gap ? points[i].gap_m : gap;
            normal += points[i].normal_impulse_n_s;
            friction += points[i].friction_impulse_n_s;
        }
        fprintf(file, "%.17g,%s,%s,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                (double)step * run->scene.settings.dt_s, owner(&run->scene, first->part),
                owner(&run->scene, first->other), i - from, first->normal.x, first->normal.y,
                first->normal.z, gap, normal, friction);
    }
}

/* ---------------------------------------------------------------- the run */

static int prepare(struct run *run, const struct scene_request *request, struct error *error)
{
    struct space_scene *scene = &run->scene;
    if (space_scene_read_file(scene, request->path, error) != 0)
        return error->code;
    if (scene_apply_request(request, &scene->settings, &scene->until_s, &scene->interval_s,
                            &run->steps, &run->steps_per_line, error) != 0)
        return error->code;
    return space_run_start(&run->motion, scene, &run->arena, error);
}

static int move(void *what, FILE *trace, FILE *contacts, struct error *error)
{
    struct run *run = what;
    if (contacts)
        fputs("time_s,body,other,points,normal_x,normal_y,normal_z,gap_m,normal_n_s,friction_n_s\n",
              contacts);
    if (trace) {
        print_header(trace, run);
        print_line(trace, run, 0);
    }
    for (uint64_t step = 1; step <= run->steps; step++) {
        int is_bad = space_run_step(&run->motion);
        if (contacts)
            print_contacts(contacts, run, step);
        if (trace && (step % run->steps_per_line == 0 || is_bad))
            print_line(trace, run, step);
        if (is_bad)
            return space_run_fail(&run->motion, is_bad, &run->arena,
                                  (double)step * run->scene.settings.dt_s, error);
    }
    return 0;
}

/* What the request names of the scene for MuJoCo. */
static int export_scene(struct run *run, const struct scene_request *request, struct error *error)
{
    struct scene_file model, signals = {0};
    int result = scene_open_file(&model, request->mjcf_path, error);
    if (result == 0)
        result = scene_open_file(&signals, request->signals_path, error);
    if (result == 0 && space_mjcf_write(&run->scene, request->path, model.file, signals.file,
                                        run->steps, &run->arena) != 0)
        result = error_set(error, ERR_MEMORY, "out of memory");
    result = scene_close_file(&model, result, error);
    return scene_close_file(&signals, result, error);
}

static void print_summary(struct run *run)
{
    uint64_t steps, rk_steps;
    space_run_step_counts(&run->motion, &steps, &rk_steps);
    output_print(stdout, "time %g s, %llu steps of %g s: %llu taken, %llu of them by Runge-Kutta\n",
                 (double)run->steps * run->scene.settings.dt_s, (unsigned long long)run->steps,
                 run->scene.settings.dt_s, (unsigned long long)steps, (unsigned long long)rk_steps);
    scene_print_ledger(space_run_ledger(&run->motion));
}

int command_scene_in_space(const struct scene_request *request, struct error *error)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run || arena_init(&run->arena, SCENE_ARENA_BYTES) != 0) {
        free(run);
        return error_set(error, ERR_MEMORY, "out of memory");
    }
    int result = prepare(run, request, error);
    if (result == 0)
        result = export_scene(run, request, error);
    if (result == 0)
        result = scene_move_to_files(request, move, run, error);
    if (result == 0 && !scene_is_standard(request->trace_path) &&
        !scene_is_standard(request->contacts_path))
        print_summary(run);
    arena_deinit(&run->arena);
    free(run);
    return result;
}
