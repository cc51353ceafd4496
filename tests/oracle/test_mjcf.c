/* What `simulator export` writes for MuJoCo: model and table have what the creature has; and where
 * MuJoCo is there (libmujoco-dev), it loads them, and a creature that plays its table there moves
 * as here, until something touches. In empty space that is a test of every mass, place, gain and
 * sign; what is left is that a control stands still for a step. */
#include "common/creature/creature.h"
#include "simulator/tools/mjcf.h"
#include "tests/counts.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/plain_fixture.h"
#include "tests/random_genome.h"

#ifdef HAVE_MUJOCO
#include "tests/oracle/mujoco_fixture.h"
#endif

enum { TICKS_MAX = 700, TICK_STEPS = 16, KINDS = 2 };
static const int kinds[KINDS] = {BODY_RECTANGLES, BODY_BOXES};

struct pose {
    struct vec3 at;
    struct quaternion turn;
};

/* A creature with both files in memory, and its motion here. */
struct exported {
    struct genome genome;
    struct params params;
    char *model, *signals;
    size_t model_size, signals_size;
    int effector_count, link_count, part_count;
    int dof, ticks;
    int free_ticks;       /* until a contact or a limit makes a step other than RK4 */
    uint64_t other_steps; /* before the start */
    struct pose poses[TICKS_MAX][PHENOTYPE_PARTS_MAX];
    struct vec3 from, to; /* centre of mass at the start and at the end */
};

static void watch(struct exported *exported, const struct evaluate_view *view)
{
    const struct phenotype *p = view->phenotype;
    uint64_t other_steps = view->dynamics->steps - view->dynamics->rk4_steps;
    if (exported->ticks == 0)
        exported->other_steps = other_steps;
    exported->dof = view->dynamics->dof;
    exported->effector_count = p->effector_count;
    exported->link_count = p->body ? p->body->link_count : 0; /* in the plane */
    exported->part_count = p->part_count;
    ck_assert_int_lt(exported->ticks, TICKS_MAX);
    exported->to = dynamics_centre_of_mass(view->dynamics);
    if (exported->ticks == 0)
        exported->from = exported->to;
    for (int i = 0; i < p->part_count; i++) {
        struct part_state s;
        dynamics_part_state(view->dynamics, i, &s);
        exported->poses[exported->ticks][i] =
            (struct pose){{s.at_m.x, s.at_m.y, s.at_m.z}, dynamics_part_turn(view->dynamics, i)};
    }
    if (other_steps == exported->other_steps && exported->free_ticks == exported->ticks)
        exported->free_ticks++;
    exported->ticks++;
}

struct both {
    struct mjcf mjcf;
    struct exported *exported;
};

static int observe(void *context, const struct evaluate_view *view)
{
    struct both *both = context;
    if (view->phase == PHASE_SCORE)
        watch(both->exported, view);
    return mjcf_observe(&both->mjcf, view);
}

/* 1 if it began to move. */
static int export_genome(struct exported *exported, const char *name)
{
    struct evaluation evaluation;
    struct both both = {.mjcf = {.params = &exported->params, .name = name}, .exported = exported};
    both.mjcf.model = open_memstream(&exported->model, &exported->model_size);
    both.mjcf.signals = open_memstream(&exported->signals, &exported->signals_size);
    ck_assert(both.mjcf.model && both.mjcf.signals);
    evaluate(&exported->genome, &exported->params, 1, &arena, observe, &both, &evaluation);
    ck_assert_int_eq(fclose(both.mjcf.model) | fclose(both.mjcf.signals), 0);
    arena_deinit(&both.mjcf.arena);
    return both.mjcf.has_begun;
}

/* After a change of its parameters. */
static void export_again(struct exported *exported)
{
    free(exported->model);
    free(exported->signals);
    exported->ticks = exported->free_ticks = 0;
    ck_assert(export_genome(exported, ""));
}

static void forget(struct exported *exported)
{
    genome_deinit(&exported->genome);
    free(exported->model);
    free(exported->signals);
    free(exported);
}

static struct exported *make_exported(void)
{
    struct exported *exported = calloc(1, sizeof *exported);
    ck_assert_ptr_nonnull(exported);
    genome_init(&exported->genome);
    params_set_defaults(&exported->params);
    exported->params.creature_hill_curvature = 0; /* not in these files */
    if (!arena.base)
        ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    return exported;
}

/* A random creature in empty space. */
static struct exported *export_random(int kind, uint64_t id, double duration_s, int effector_mode)
{
    struct exported *exported = make_exported();
    exported->params.creature_body = kind;
    exported->params.world_ground = 0;
    exported->params.world_gravity_m_s2 = 0;
    exported->params.simulation_duration_s = duration_s;
    exported->params.creature_effector_mode = effector_mode;
    exported->params.creature_joint_damping_1_s = id % 3 ? 0 : 0.5;
    random_genome(&exported->genome, &exported->params, RNG_RANDOM_GENOME, 1, id);
    if (export_genome(exported, "random"))
        return exported;
    forget(exported);
    return NULL;
}

/* A creature in the world of an example, on waves. */
static struct exported *export_creature(const char *creature_path, const char *parameters,
                                        double relief_m)
{
    struct creature creature;
    struct exported *exported = make_exported();
    ck_ok(creature_read(&creature, creature_path, &error));
    ck_ok(params_read_file(&exported->params, printed("examples/%s.ini", parameters), &error));
    exported->params.world_relief_m = relief_m;
    exported->params.settle_required = relief_m == 0;
    exported->params.creature_parts_min = 2; // of some that evolved before walkers had five
    exported->genome = creature.genome;
    genome_init(&creature.genome);
    creature_deinit(&creature);
    ck_assert(export_genome(exported, "<an> --example"));
    return exported;
}

static struct exported *export_example(const char *name, const char *parameters)
{
    return export_creature(printed("examples/creatures/%s.json", name), parameters, 0);
}

/* ---- the files ---- */

TEST(files_have_what_the_creature_has)
{
    struct exported *e = export_example("biped", "walk");
    ck_assert_int_eq(count_text(e->model, "<body "), e->link_count);
    ck_assert_int_eq(count_text(e->model, "</body>"), e->link_count);
    ck_assert_int_eq(count_text(e->model, "<joint "), e->link_count + 2);
    ck_assert_int_eq(count_text(e->model, "name='part"), e->part_count);
    ck_assert_int_eq(count_text(e->model, "<general "), e->effector_count);
    ck_assert_int_eq(count_text(e->model, "name='ground'"), 1);
    ck_assert_int_eq(count_text(e->model, "model='_an_ __example'"), 1);
    /* a line for each step of the model, 960 in a second, and the header */
    ck_assert_int_eq(count_text(e->signals, "\n"), 1 + 9600);
    ck_assert_int_eq(count_text(e->signals, ","), e->effector_count * 9601);
    ck_assert_int_eq(strncmp(e->signals, "time_s,muscle1,", 15), 0);
    ck_assert_ptr_null(strstr(e->signals, "nan"));
    forget(e);

    e = export_example("fish", "swim");
    ck_assert_int_eq(count_text(e->model, "name='ground'"), 0);
    ck_assert_int_eq(count_text(e->model, "viscosity is not in this file"), 1);
    forget(e);
}

/* The field of heights, row by row from the least z on, is the ground here. */
TEST_LOOP(relief_is_where_it_is_here, 0, 2)
{
    static const char *const names[] = {"biped", "biped3d"}, *const examples[] = {"walk", "walk3d"};
    struct world world;
    double size[4];
    int rows, columns;
    const char *path = printed("examples/creatures/%s.json", names[_i]);
    struct exported *e = export_creature(path, examples[_i], 0.06);
    world_init(&world, &e->params, _i ? BODY_BOXES : BODY_RECTANGLES);
    const char *at = strstr(e->model, "<hfield");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at,
                            "<hfield name='relief' nrow='%d' ncol='%d' "
                            "size='%lf %lf %lf %lf' elevation='",
                            &rows, &columns, &size[0], &size[1], &size[2], &size[3]),
                     6);
    ck_assert_int_eq(rows, _i ? columns : 2);
    double lowest_m = strtod(strstr(strstr(e->model, "hfield='relief' pos="), "0 0 ") + 4, NULL);
    char *number = strstr(at, "elevation='") + strlen("elevation='");
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double height = lowest_m + size[2] * strtod(number, &number);
            double x = size[0] * (2.0 * j / (columns - 1) - 1);
            double z = size[1] * (2.0 * i / (rows - 1) - 1);
            ck_assert_double_eq_tol(height, relief_height(&world.relief, x, z), 1e-6);
        }
    ck_assert_int_eq(*number, '\'');
    forget(e);
}

TEST(worlds_have_their_obstacles)
{
    struct exported *e = export_example("biped", "walk");
    ck_ok(params_set(&e->params, "world.obstacles", "4 0.1 1 0.2 0.5 * 3 1 0", &error));
    export_again(e);
    ck_assert_int_eq(count_text(e->model, "name='obstacle"), 3);
    ck_assert_int_eq(count_text(e->model, "quat='0.96891242171064"), 3);
    forget(e);
}

/* Random creatures have joints of all kinds, and each has its like: two axes are two hinges, a cone
 * is a tendon. */
TEST(all_joints_are_written)
{
    static const char *const types[] = {"'free'", "'hinge'", "'slide'", "'ball'", "<spatial "};
    int counts[5] = {0}, creatures = 0, drives = 0;
    for (uint64_t id = 1; id <= 120; id++) {
        struct exported *e = export_random(BODY_BOXES, id, 0.1, EFFECTOR_POSITION);
        if (!e)
            continue;
        for (int i = 0; i < 5; i++)
            counts[i] += count_text(e->model, types[i]);
        ck_assert_int_eq(count_text(e->model, "name='part"), e->part_count);
        ck_assert_int_eq(count_text(e->model, "<general "), e->effector_count);
        ck_assert_int_eq(count_text(e->signals, ","), e->effector_count * (6 * TICK_STEPS + 1));
        ck_assert_ptr_null(strstr(e->model, "nan"));
        ck_assert_ptr_null(strstr(e->model, "inf"));
        ck_assert_ptr_null(strstr(e->signals, "nan"));
        creatures++;
        drives += e->dof - 6;
        forget(e);
    }
    ck_assert_int_eq(counts[0], creatures);
    ck_assert_int_eq(counts[1] + counts[2] + 3 * counts[3], drives);
    ck_assert_int_eq(counts[3], counts[4]);
    for (int i = 0; i < 5; i++)
        ck_assert_int_ge(counts[i], 10);
}

/* Quadratic drag is a medium of some density; linear drag is named as missing. */
TEST(water_is_written)
{
    struct exported *e = export_example("ray", "swim3d");
    ck_assert_int_eq(count_text(e->model, "density='0'"), 1);
    ck_assert_int_eq(count_text(e->model, "viscosity is not in this file"), 1);
    ck_assert_int_eq(params_set(&e->params, "world.drag_law", "quadratic", &error), 0);
    ck_assert_int_eq(params_set(&e->params, "world.quadratic_drag_kg_m3", "250", &error), 0);
    ck_assert_int_eq(params_set(&e->params, "world.drag_faces", "all", &error), 0);
    export_again(e);
    ck_assert_int_eq(count_text(e->model, "density='1000'"), 1);
    ck_assert_int_eq(count_text(e->model, "viscosity is not in this file"), 0);
    forget(e);
}

/* ---- in MuJoCo ---- */

#ifdef HAVE_MUJOCO

/* One line of the table into the controls; behind the line, or NULL at the end. */
static const char *read_controls(const char *line, const mjModel *model, mjData *data)
{
    char *end;
    if (!*line)
        return NULL;
    double time_s = strtod(line, &end);
    ck_assert_double_eq_tol(time_s, data->time, 1e-9);
    for (int i = 0; i < model->nu; i++) {
        ck_assert_int_eq(*end, ',');
        data->ctrl[i] = strtod(end + 1, &end);
    }
    ck_assert_int_eq(*end, '\n');
    return end + 1;
}

/* How far a part is from where it is there, m, or turned against it, rad. */
static double pose_difference(const struct pose *pose, const mjModel *model, const mjData *data,
                              int part)
{
    mjtNum turn[4];
    const char *name = printed("part%d", part);
    int geom = mj_name2id(model, mjOBJ_GEOM, name);
    ck_assert_msg(geom >= 0, "no geom %s", name);
    const mjtNum *at = data->geom_xpos + 3 * geom;
    mju_mat2Quat(turn, data->geom_xmat + 9 * geom);
    /* MuJoCo's z is our y, and its y our -z */
    struct vec3 way = vec3_sub((struct vec3){at[0], at[2], -at[1]}, pose->at);
    struct quaternion there = {turn[0], turn[1], turn[3], -turn[2]};
    struct vec3 turned = quaternion_log(quaternion_product(quaternion_back(there), pose->turn));
    return fmax(vec3_length(way), vec3_length(turned));
}

/* The greatest difference of poses at a tick. What is not a number counts as infinite. */
static double difference_at(const struct exported *exported, int tick, const mjModel *model,
                            const mjData *data)
{
    double largest = 0;
    for (int i = 0; i < exported->part_count; i++) {
        double difference = pose_difference(&exported->poses[tick][i], model, data, i);
        largest = difference <= largest      ? largest
                  : difference == difference ? difference
                                             : INFINITY;
    }
    return largest;
}

/* How far the parts have come since the start, m, or turned, rad. */
static double moved_at(const struct exported *exported, int tick)
{
    double largest = 0;
    for (int i = 0; i < exported->part_count; i++) {
        const struct pose *from = &exported->poses[0][i], *to = &exported->poses[tick][i];
        struct vec3 turned =
            quaternion_log(quaternion_product(quaternion_back(from->turn), to->turn));
        largest = fmax(largest, vec3_length(vec3_sub(to->at, from->at)));
        largest = fmax(largest, vec3_length(turned));
    }
    return largest;
}

/* Plays the table from the start; the greatest difference until nothing is free any more. The gains
 * and the mass of the root are those of the file times these factors. */
static double play(const struct exported *exported, double gain, double mass, double *moved)
{
    mjModel *model = mujoco_load(exported->model, exported->model_size);
    mjData *data = mj_makeData(model);
    const char *line = strchr(exported->signals, '\n') + 1;
    double largest = 0;
    model->opt.integrator = mjINT_RK4;
    model->body_mass[1] *= mass;
    for (int i = 0; i < model->nu; i++)
        model->actuator_gainprm[i * mjNGAIN] *= gain;
    ck_assert_int_eq(model->nu, exported->effector_count);
    ck_assert_int_eq(model->nv, exported->dof);
    mj_resetDataKeyframe(model, data, mj_name2id(model, mjOBJ_KEY, "start"));
    mj_kinematics(model, data);
    ck_assert_double_lt(difference_at(exported, 0, model, data), 1e-12);
    *moved = 0;
    for (int step = 0; step < TICK_STEPS * (exported->free_ticks - 1); step++) {
        line = read_controls(line, model, data);
        ck_assert_ptr_nonnull(line);
        mj_step(model, data);
        if (step % TICK_STEPS < TICK_STEPS - 1)
            continue;
        int tick = step / TICK_STEPS + 1;
        mj_kinematics(model, data);
        largest = fmax(largest, difference_at(exported, tick, model, data));
        *moved = fmax(*moved, moved_at(exported, tick));
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return largest;
}

enum { CREATURES = CHECKS_ARE_DEAR ? 40 : 120 };

/* Those that differ by more than a rounding of their motion, of so many random creatures, of which
 * `count` move. */
static int count_different(int kind, int creatures, int effector_mode, double gain, double mass,
                           int *count)
{
    int different = 0;
    *count = 0;
    for (int id = 1; id <= creatures; id++) {
        struct exported *exported = export_random(kind, (uint64_t)id, 0.5, effector_mode);
        double moved;
        if (!exported)
            continue;
        if (exported->effector_count > 0 && exported->free_ticks > 6) {
            double difference = play(exported, gain, mass, &moved);
            *count += moved > 0.1;
            different += moved > 0.1 && !(difference < 0.002 * moved);
        }
        forget(exported);
    }
    return different;
}

/* Muscles move many joints far, and all agree to two thousandths of that. */
TEST_LOOP(creatures_move_alike, 0, 2 * KINDS)
{
    int count;
    int mode = _i % 2 ? EFFECTOR_TORQUE : EFFECTOR_POSITION;
    ck_assert_int_eq(count_different(kinds[_i / 2], CREATURES, mode, 1, 1, &count), 0);
    ck_assert_int_ge(count, CREATURES / 8);
}

/* Gains that are a fiftieth off show in nearly all, a mass that is a fifth off in most. */
TEST_LOOP(faults_are_noticed, 0, KINDS)
{
    int count, some = CREATURES / 3;
    int different = count_different(kinds[_i], some, EFFECTOR_POSITION, 1.02, 1, &count);
    ck_assert_int_gt(different, count * 3 / 4);
    different = count_different(kinds[_i], some, EFFECTOR_POSITION, 1, 1.2, &count);
    ck_assert_int_gt(different, count / 2);
}

/* A box in place of the creature's body, on its ground and with its contacts. */
static void put_box(struct exported *exported)
{
    static const char box[] =
        "<body pos='0 0 0.05'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
        "<joint type='hinge' axis='0 -1 0'/>"
        "<inertial pos='0 0 0' mass='0.6' diaginertia='0.02 0.02 0.02'/>"
        "<geom type='box' size='0.3 0.05 0.05'/></body></worldbody></mujoco>";
    const char *body = strstr(exported->model, "<body ");
    ck_assert_ptr_nonnull(body);
    size_t ahead = (size_t)(body - exported->model);
    char *model = malloc(ahead + sizeof box);
    ck_assert_ptr_nonnull(model);
    memcpy(model, exported->model, ahead);
    memcpy(model + ahead, box, sizeof box);
    free(exported->model);
    exported->model = model;
    exported->model_size = ahead + sizeof box - 1;
}

/* It slides as far as Coulomb says, v^2 / (2 mu g), and stays down: with MuJoCo's own contacts it
 * hops as high as 53 mm. */
TEST_LOOP(sliding_boxes_stay_down, 0, 3)
{
    struct exported *exported = export_example("biped", "walk");
    double friction = exported->params.world_friction, speed = 2 + 1.5 * _i, highest = 0;
    put_box(exported);
    mjModel *model = mujoco_load(exported->model, exported->model_size);
    mjData *data = mj_makeData(model);
    data->qvel[0] = speed;
    while (data->time < 3) {
        mj_step(model, data);
        highest = fmax(highest, data->qpos[1]);
    }
    double far = speed * speed / (2 * friction * exported->params.world_gravity_m_s2);
    ck_assert_double_lt(highest, 0.001);
    ck_assert_double_eq_tol(data->qpos[0], far, 0.03 * far);
    mj_deleteData(data);
    mj_deleteModel(model);
    forget(exported);
}

/* Creatures that walk, and their parameters; those of rectangles first. The last two evolved: short
 * runs of walk3d. */
static const struct walker {
    const char *name, *path, *parameters;
} walkers[] = {{"biped", "examples/creatures/biped.json", "walk"},
               {"inchworm", "examples/creatures/inchworm.json", "walk"},
               {"pusher", "examples/creatures/pusher.json", "walk"},
               {"tail", "examples/creatures/tail.json", "walk"},
               {"quadruped", "examples/creatures/quadruped.json", "walk3d"},
               {"biped3d", "examples/creatures/biped3d.json", "walk3d"},
               {"evolved, two boxes", "tests/oracle/creatures/walk3d-1.creature", "walk3d"},
               {"evolved, three boxes", "tests/oracle/creatures/walk3d-2.creature", "walk3d"}};
enum { WALKERS = sizeof walkers / sizeof walkers[0], FLAT_WALKERS = 4 };

/* On land it plays to the end: no state is lost, and nothing sinks into the ground. */
TEST_LOOP(walkers_play_to_the_end, 0, CHECKS_ARE_DEAR ? 1 : WALKERS)
{
    struct exported *exported = export_creature(walkers[_i].path, walkers[_i].parameters, 0);
    mjModel *model = mujoco_load(exported->model, exported->model_size);
    mjData *data = mj_makeData(model);
    const char *line = strchr(exported->signals, '\n') + 1, *next;
    mj_resetDataKeyframe(model, data, 0);
    for (; (next = read_controls(line, model, data)) != NULL; line = next)
        mj_step(model, data);
    ck_assert_double_eq_tol(data->time, (exported->ticks - 1) / 60.0, 1e-6);
    ck_assert_int_eq(data->warning[mjWARN_BADQACC].number + data->warning[mjWARN_BADQPOS].number,
                     0);
    for (int i = 1; i < model->nbody; i++)
        ck_assert_double_gt(data->xipos[3 * i + 2], 0);
    ck_assert(_i >= FLAT_WALKERS || fabs(data->xipos[3 + 1]) < 1e-9);
    mj_deleteData(data);
    mj_deleteModel(model);
    forget(exported);
}

/* ---- how far walkers get there, for docs/trace.md ---- */

/* Contacts of the model: as exported, and what else there is to choose. */
static const struct contacts {
    const char *name;
    int is_elliptic, has_defaults;
} contacts[] = {{"as exported", 0, 0},
                {"elliptic cone", 1, 0},
                {"MuJoCo's own", 0, 1},
                {"its own, elliptic", 1, 1}};
enum { CONTACTS = sizeof contacts / sizeof contacts[0] };

static double horizontal(struct vec3 from, struct vec3 to)
{
    return hypot(to.x - from.x, to.z - from.z);
}

/* The way of the centre of mass. */
static double walk_in_mujoco(const struct exported *exported, const struct contacts *how)
{
    static const mjtNum own[mjNIMP] = {0.9, 0.95, 0.001, 0.5, 2};
    mjModel *model = mujoco_load(exported->model, exported->model_size);
    mjData *data = mj_makeData(model);
    const char *line = strchr(exported->signals, '\n') + 1, *next;
    model->opt.cone = how->is_elliptic ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    for (int i = 0; how->has_defaults && i < model->ngeom; i++) {
        model->geom_solref[i * mjNREF] = 0.02;
        memcpy(model->geom_solimp + i * mjNIMP, own, sizeof own);
    }
    mj_resetDataKeyframe(model, data, 0);
    for (; (next = read_controls(line, model, data)) != NULL; line = next)
        mj_step(model, data);
    mj_kinematics(model, data);
    mj_comPos(model, data);
    const mjtNum *centre = data->subtree_com + 3;
    double way = horizontal(exported->from, (struct vec3){centre[0], centre[2], -centre[1]});
    mj_deleteData(data);
    mj_deleteModel(model);
    return way;
}

/* The way here with half the step. */
static double walk_finer(const struct exported *exported)
{
    struct exported *finer = calloc(1, sizeof *finer);
    ck_assert_ptr_nonnull(finer);
    finer->params = exported->params;
    finer->genome = exported->genome; /* stays its own */
    finer->params.simulation_dt_s /= 2;
    ck_assert(export_genome(finer, ""));
    double way = horizontal(finer->from, finer->to);
    genome_init(&finer->genome);
    forget(finer);
    return way;
}

START_TEST(print_walkers)
{
    printf("| way in 10 s, m | here | here, half the step |");
    for (int i = 0; i < CONTACTS; i++)
        printf(" MuJoCo, %s |", contacts[i].name);
    printf("\n|---|---|---|");
    for (int i = 0; i < CONTACTS; i++)
        printf("---|");
    for (int i = FLAT_WALKERS; i < WALKERS; i++) {
        struct exported *exported = export_creature(walkers[i].path, walkers[i].parameters, 0);
        printf("\n| %s | %.2f |", walkers[i].name, horizontal(exported->from, exported->to));
        printf(" %.2f |", walk_finer(exported));
        for (int k = 0; k < CONTACTS; k++)
            printf(" %.2f |", walk_in_mujoco(exported, &contacts[k]));
        fflush(stdout);
        forget(exported);
    }
    printf("\n");
}

#endif

int main(int argc, char **argv)
{
#ifdef HAVE_MUJOCO
    if (argc > 1 && strcmp(argv[1], "--table") == 0)
        return run_only(print_walkers, 120);
#endif
    return run_defined_tests("mjcf", 120, NULL, NULL);
}
