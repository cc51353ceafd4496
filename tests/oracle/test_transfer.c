/* Creatures of boxes that walk, swim and fly in MuJoCo, by their own senses and brains: the loop
 * is closed. An evaluation goes on as ever, but from the start of the scored time on MuJoCo
 * moves the body.
 *
 * What is MuJoCo's: masses, inertias, joints, limits and which parts touch, all from the
 * exported model (simulator/tools/mjcf.h); its mass matrix, its bias forces, its law of the
 * normal forces, its steps. What is made here a second time, in other ways than ours: servos
 * with Hill's curve, explicit in steps of half a millisecond; drag, sampled at points of every
 * face, with a ray from each for what other boxes hide; Coulomb friction.
 *
 * MuJoCo's own friction is relaxed: it lifts what slides, and the walkers of docs/trace.md,
 * which also play a recording there, keep 0.1 to 1 of their way. Here contacts of MuJoCo give
 * normal forces alone (condim 1), firm and without bounce (solref of two steps, damping ratio
 * 10); friction is found in turn with them, by Gauss and Seidel, so that what sticks stands at
 * the end of the step, and what slides is held back by the coefficient times the normal force.
 *
 * Each must keep nine tenths of its way here. --table: more creatures, as a table. --record:
 * writes into their files what this version of the simulator makes of them. Needs MuJoCo
 * (libmujoco-dev on Debian) when it is built; else it says so and exits with 77. */

#ifndef HAVE_MUJOCO

#include <stdio.h>

int main(void)
{
    printf("skipped: built without MuJoCo (libmujoco-dev)\n");
    return 77;
}

#else

#include "common/creature/creature.h"
#include "common/judge/behaviour.h"
#include "common/version.h"
#include "simulator/links/spatial_state.h"
#include "simulator/tools/mjcf.h"
#include "tests/oracle/mujoco_fixture.h"
#include "simulator/body/physics.h"
#include "tests/suite.h"
#include "simulator/evaluate/evaluate.h"

enum {
    RATES_MAX = 6 + 3 * PHENOTYPE_PARTS_MAX,
    POINTS_MAX = 256,
    ROWS_MAX = 256,
    ROUNDS = 80, /* of normal forces and friction */
    SAMPLES = 8, /* of drag along each side of a face */
};
/* MuJoCo's steps, s, are parts of ours, the longest below this. */
#define STEP_MOST_S     0.00053
/* Contacts: time constant in steps, damping ratio. Limits are critically damped. */
#define CONTACT_STEPS   2
#define CONTACT_DAMPING 10
#define SHARE_KEPT      0.9

/* The body in MuJoCo; of the one evaluation under way. */
static struct peer {
    mjModel *model;
    mjData *data;
    struct body_model body;
    struct spatial_drag_law drag;
    const struct phenotype *phenotype;
    double friction, own_friction, step_s;
    int effector_mode, parts;
    double targets[RATES_MAX], target_rates[RATES_MAX]; /* per rate */
    double q[RATES_MAX + PHENOTYPE_PARTS_MAX], qd[RATES_MAX];
    struct contact_point points[POINTS_MAX];
} peer;

static struct arena arena, model_arena;

/* ---------------------------------------------------------------- axes */

static struct vec3 from_mujoco(const mjtNum *v)
{
    return (struct vec3){v[0], v[2], -v[1]};
}

static void to_mujoco(mjtNum *to, struct vec3 v)
{
    to[0] = v.x;
    to[1] = -v.z;
    to[2] = v.y;
}

static struct quaternion turn_from_mujoco(const mjtNum *q)
{
    return (struct quaternion){q[0], q[1], q[3], -q[2]};
}

static void put_vector(double *to, struct vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void put_turn(double *to, struct quaternion q)
{
    to[0] = q.w;
    put_vector(to + 1, (struct vec3){q.x, q.y, q.z});
}

/* MuJoCo's number of a joint. */
static int number_of(const struct model_joint *joint)
{
    const char *name = printed("joint%d", joint->rate - peer.body.root_rates);
    int number = mj_name2id(peer.model, mjOBJ_JOINT, joint->name ? joint->name : name);
    ck_assert_msg(number >= 0, "no %s", name);
    return number;
}

/* The state of a joint as struct dynamics has it. */
static void read_joint(const struct model_link *link, const struct model_joint *joint)
{
    int number = number_of(joint);
    const mjtNum *q = peer.data->qpos + peer.model->jnt_qposadr[number];
    const mjtNum *qd = peer.data->qvel + peer.model->jnt_dofadr[number];
    double *own_q = peer.q + joint->coordinate, *own_qd = peer.qd + joint->rate;
    struct mat3 frame = quaternion_matrix(link->turn);
    if (joint->kind == MODEL_FREE) {
        struct quaternion turn = turn_from_mujoco(q + 3);
        put_vector(own_q, mat3_back(&frame, vec3_sub(from_mujoco(q), link->at)));
        put_turn(own_q + 3, quaternion_product(quaternion_back(link->turn), turn));
        put_vector(own_qd, mat3_back(&frame, from_mujoco(qd)));
        put_vector(own_qd + 3, from_mujoco(qd + 3));
    } else if (joint->kind == MODEL_BALL) {
        put_turn(own_q, turn_from_mujoco(q));
        put_vector(own_qd, from_mujoco(qd));
    } else {
        *own_q = *q;
        *own_qd = *qd;
    }
}

static void read_state(void)
{
    for (int i = 0; i < peer.body.link_count; i++) {
        const struct model_link *link = &peer.body.links[i];
        for (int k = 0; k < link->joint_count; k++)
            read_joint(link, &peer.body.joints[link->first_joint + k]);
    }
}

/* ---------------------------------------------------------------- muscles */

/* (F + a)(v + b) = (F0 + a) b while it shortens at the speed v; the servo has a and 1 / b. */
static double hill_most(const struct servo *s, double shortening)
{
    if (s->hill_n_m <= 0 || shortening <= 0)
        return s->torque_max;
    double b = 1 / s->hill_s_rad;
    return fmax((s->torque_max + s->hill_n_m) * b / (shortening + b) - s->hill_n_m, 0);
}

/* The torque on a joint that turns at a rate and is `off` its angle at birth, or off a ball's
 * target. */
static double muscle_torque(const struct servo *s, double target, double target_rate, double off,
                            double qd)
{
    double wanted = peer.effector_mode == EFFECTOR_TORQUE
                        ? fmin(fmax(target, -1), 1) * s->torque_max - s->motor_kd * qd
                        : s->kp * (target - off) + s->kd * (target_rate - qd);
    double most = hill_most(s, wanted > 0 ? qd : -qd);
    return fmin(fmax(wanted, -most), most);
}

/* Torques of muscles and the damping of a joint: as many as it has rates. */
static void find_torques(const struct model_joint *joint, double *torques)
{
    const double *q = peer.q + joint->coordinate, *qd = peer.qd + joint->rate;
    const double *targets = peer.targets + joint->rate, *rates = peer.target_rates + joint->rate;
    const struct servo *servos = peer.body.servos + joint->rate;
    if (joint->kind == MODEL_BALL) {
        /* towards the target along the shortest turn, whose vector is in the child's axes */
        struct quaternion aim = quaternion_exp((struct vec3){targets[0], targets[1], targets[2]});
        struct quaternion at = {q[0], q[1], q[2], q[3]};
        double off[3];
        put_vector(off, quaternion_log(quaternion_product(quaternion_back(aim), at)));
        for (int k = 0; k < 3; k++)
            torques[k] =
                muscle_torque(&servos[k], 0, rates[k], off[k], qd[k]) - servos[k].damping * qd[k];
        return;
    }
    double target = targets[0], rate = rates[0];
    if (peer.effector_mode == EFFECTOR_POSITION &&
        (target < joint->lower || target > joint->upper)) {
        target = fmin(fmax(target, joint->lower), joint->upper);
        rate = 0;
    }
    torques[0] = muscle_torque(servos, target, rate, *q, *qd) - servos->damping * *qd;
}

static void apply_muscles(void)
{
    for (int i = 0; i < peer.body.joint_count; i++) {
        const struct model_joint *joint = &peer.body.joints[i];
        double torques[3] = {0, 0, 0};
        if (joint->kind == MODEL_FREE)
            continue;
        find_torques(joint, torques);
        mjtNum *to = peer.data->qfrc_applied + peer.model->jnt_dofadr[number_of(joint)];
        if (joint->kind == MODEL_BALL)
            to_mujoco(to, (struct vec3){torques[0], torques[1], torques[2]});
        else
            *to = torques[0];
    }
}

/* ---------------------------------------------------------------- drag */

/* Whether a ray from a place along a direction meets a box, from its first point on. */
static int meets(int geom, const mjtNum *from, const mjtNum *along)
{
    mjtNum way[3], at[3], direction[3], first = 0, last = HUGE_VAL;
    mju_sub3(way, from, peer.data->geom_xpos + 3 * geom);
    mju_rotVecMatT(at, way, peer.data->geom_xmat + 9 * geom);
    mju_rotVecMatT(direction, along, peer.data->geom_xmat + 9 * geom);
    for (int k = 0; k < 3; k++) {
        mjtNum half = peer.model->geom_size[3 * geom + k], speed = direction[k];
        if (fabs(speed) < 1e-12) {
            if (fabs(at[k]) >= half)
                return 0;
            continue;
        }
        first = fmax(first, (-copysign(half, speed) - at[k]) / speed);
        last = fmin(last, (copysign(half, speed) - at[k]) / speed);
    }
    return first < last;
}

static int is_own(int geom)
{
    return peer.model->geom_bodyid[geom] > 0 && peer.model->geom_type[geom] == mjGEOM_BOX;
}

static int is_hidden(int geom, const mjtNum *from, const mjtNum *along)
{
    for (int other = 0; other < peer.model->ngeom; other++)
        if (other != geom && is_own(other) && meets(other, from, along))
            return 1;
    return 0;
}

/* Adds the force on a piece of a face, and its moment about the body's origin. */
static void add_drag(int geom, const mjtNum *at, const mjtNum *normal, double area,
                     const mjtNum velocity[6], mjtNum force[3], mjtNum torque[3])
{
    mjtNum arm[3], v[3], piece[3], moment[3];
    mju_sub3(arm, at, peer.data->xpos + 3 * peer.model->geom_bodyid[geom]);
    mju_cross(v, velocity, arm);
    mju_addTo3(v, velocity + 3);
    double speed = mju_dot3(v, normal);
    if ((peer.drag.is_leading && speed <= 0) ||
        (peer.drag.has_exposure && is_hidden(geom, at, normal)))
        return;
    double size = peer.drag.coefficient * speed * (peer.drag.is_quadratic ? fabs(speed) : 1);
    mju_scl3(piece, normal, -size * area);
    mju_cross(moment, arm, piece);
    mju_addTo3(force, piece);
    mju_addTo3(torque, moment);
}

static void drag_face(int geom, int axis, int sign, const mjtNum velocity[6], mjtNum force[3],
                      mjtNum torque[3])
{
    const mjtNum *half = peer.model->geom_size + 3 * geom, *turn = peer.data->geom_xmat + 9 * geom;
    int s = (axis + 1) % 3, t = (axis + 2) % 3;
    mjtNum own[3] = {0, 0, 0}, normal[3];
    own[axis] = sign;
    mju_rotVecMat(normal, own, turn);
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        mjtNum at[3];
        own[axis] = sign * half[axis];
        own[s] = half[s] * ((2 * (i % SAMPLES) + 1.0) / SAMPLES - 1);
        own[t] = half[t] * ((2 * (i / SAMPLES) + 1.0) / SAMPLES - 1);
        mju_rotVecMat(at, own, turn);
        mju_addTo3(at, peer.data->geom_xpos + 3 * geom);
        add_drag(geom, at, normal, 4 * half[s] * half[t] / (SAMPLES * SAMPLES), velocity, force,
                 torque);
    }
}

static void apply_drag(void)
{
    for (int geom = 0; geom < peer.model->ngeom && peer.drag.coefficient > 0; geom++) {
        mjtNum velocity[6], force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
        int body = peer.model->geom_bodyid[geom];
        if (!is_own(geom))
            continue;
        mj_objectVelocity(peer.model, peer.data, mjOBJ_XBODY, body, velocity, 0);
        for (int face = 0; face < 6; face++)
            drag_face(geom, face / 2, face % 2 ? 1 : -1, velocity, force, torque);
        mj_applyFT(peer.model, peer.data, force, torque, peer.data->xpos + 3 * body, body,
                   peer.data->qfrc_applied);
    }
}

/* ---------------------------------------------------------------- friction */

/* A row of the constraints: how a force along it turns rates, and how rates move along it. */
struct row {
    mjtNum along[RATES_MAX], effect[RATES_MAX]; /* J; M^-1 J' */
    double diagonal, softness, aim;             /* acceleration that is wanted */
    double force;
};

/* The two rows of friction of a contact stand behind all normal ones. */
struct solve {
    struct row rows[ROWS_MAX];
    int count, contacts, normals[POINTS_MAX];
    double friction[POINTS_MAX];
    mjtNum acceleration[RATES_MAX];
};
static struct solve solve;

static struct row *add_row(const mjtNum *along, double softness, double aim)
{
    int rates = peer.model->nv;
    ck_assert_int_lt(solve.count, ROWS_MAX);
    struct row *row = &solve.rows[solve.count++];
    *row = (struct row){.softness = softness, .aim = aim};
    mju_copy(row->along, along, rates);
    mj_solveM(peer.model, peer.data, row->effect, along, 1);
    row->diagonal = mju_dot(row->along, row->effect, rates) + softness;
    return row;
}

static double friction_of(const mjContact *contact)
{
    return is_own(contact->geom1) && is_own(contact->geom2) ? peer.own_friction : peer.friction;
}

/* The row of a tangent: its velocity vanishes at the end of the step. */
static void add_tangent(const mjContact *contact, const mjtNum *tangent)
{
    mjtNum one[3 * RATES_MAX], two[3 * RATES_MAX], along[RATES_MAX];
    int rates = peer.model->nv;
    mj_jac(peer.model, peer.data, one, NULL, contact->pos, peer.model->geom_bodyid[contact->geom1]);
    mj_jac(peer.model, peer.data, two, NULL, contact->pos, peer.model->geom_bodyid[contact->geom2]);
    mju_subFrom(two, one, 3 * rates);
    mju_mulMatTVec(along, two, tangent, 3, rates);
    add_row(along, 0, -mju_dot(along, peer.data->qvel, rates) / peer.model->opt.timestep);
}

static void make_rows(void)
{
    const mjData *d = peer.data;
    mjtNum smooth[RATES_MAX];
    int rates = peer.model->nv;
    solve.count = solve.contacts = 0;
    mju_sub(smooth, d->qfrc_applied, d->qfrc_bias, rates);
    mju_addTo(smooth, d->qfrc_passive, rates);
    mj_solveM(peer.model, peer.data, solve.acceleration, smooth, 1);
    for (int i = 0; i < d->nefc; i++)
        add_row(d->efc_J + i * rates, d->efc_R[i], d->efc_aref[i]);
    for (int i = 0; i < d->ncon; i++) {
        const mjContact *contact = &d->contact[i];
        if (contact->efc_address < 0)
            continue;
        ck_assert_int_lt(solve.contacts, POINTS_MAX);
        solve.normals[solve.contacts] = contact->efc_address;
        solve.friction[solve.contacts++] = friction_of(contact);
        add_tangent(contact, contact->frame + 3);
        add_tangent(contact, contact->frame + 6);
    }
}

static void change_force(struct row *row, double force)
{
    mju_addToScl(solve.acceleration, row->effect, force - row->force, peer.model->nv);
    row->force = force;
}

/* The force that would do what the row wants, if the others stayed as they are. */
static double wanted_force(const struct row *row, double diagonal)
{
    double now = mju_dot(row->along, solve.acceleration, peer.model->nv);
    return row->force + (row->aim - now - row->softness * row->force) / diagonal;
}

/* Both tangents at once, so that friction has no direction of its own. */
static void rub(int contact)
{
    struct row *a = &solve.rows[peer.data->nefc + 2 * contact], *b = a + 1;
    double most = solve.friction[contact] * solve.rows[solve.normals[contact]].force;
    double diagonal = a->diagonal + b->diagonal;
    double x = wanted_force(a, diagonal), y = wanted_force(b, diagonal), size = hypot(x, y);
    double share = size > most ? most / size : 1;
    change_force(a, x * share);
    change_force(b, y * share);
}

static void apply_friction(void)
{
    make_rows();
    for (int round = 0; round < ROUNDS && solve.contacts > 0; round++) {
        for (int i = 0; i < peer.data->nefc; i++)
            change_force(&solve.rows[i],
                         fmax(wanted_force(&solve.rows[i], solve.rows[i].diagonal), 0));
        for (int i = 0; i < solve.contacts; i++)
            rub(i);
    }
    for (int i = peer.data->nefc; i < solve.count; i++)
        mju_addToScl(peer.data->qfrc_applied, solve.rows[i].along, solve.rows[i].force,
                     peer.model->nv);
}

/* ---------------------------------------------------------------- the solver */

static int part_of(int geom)
{
    int part = -1;
    const char *name = mj_id2name(peer.model, mjOBJ_GEOM, geom);
    return name && sscanf(name, "part%d", &part) == 1 ? part : CONTACT_GROUND;
}

/* What touches, for the senses. MuJoCo's normal leads from the first to the second. */
static void read_contacts(struct dynamics *dynamics)
{
    dynamics->touches = (struct touches){.points = peer.points, .room = POINTS_MAX};
    for (int i = 0; i < peer.data->ncon && i < POINTS_MAX; i++) {
        const mjContact *c = &peer.data->contact[i];
        int one = part_of(c->geom1), two = part_of(c->geom2), is_first = two < 0;
        struct vec3 normal = from_mujoco(c->frame);
        if (c->dist > 0 || (one < 0 && two < 0))
            continue;
        int other = is_first ? two : one;
        peer.points[dynamics->touches.count++] =
            (struct contact_point){.creature = dynamics->creature,
                                   .part = is_first ? one : two,
                                   .other_creature = other < 0 ? -1 : dynamics->creature,
                                   .other = other,
                                   .at = from_mujoco(c->pos),
                                   .normal = is_first ? vec3_negated(normal) : normal,
                                   .gap_m = c->dist};
    }
}

static int peer_step(struct dynamics *dynamics)
{
    double h = peer.step_s;
    for (int part = 0; part < peer.parts; part++) {
        mj_step1(peer.model, peer.data);
        read_state();
        mju_zero(peer.data->qfrc_applied, peer.model->nv);
        apply_muscles();
        apply_drag();
        apply_friction();
        mj_step2(peer.model, peer.data);
        for (int i = 0; i < peer.body.rate_count; i++)
            peer.targets[i] += peer.target_rates[i] * h;
    }
    mj_forward(peer.model, peer.data);
    read_state();
    dynamics_set_state(dynamics, peer.q, peer.qd);
    read_contacts(dynamics);
    return !isfinite(peer.q[0] + peer.q[1] + peer.q[2]);
}

static void peer_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    (void)dynamics;
    peer.targets[peer.body.root_rates + drive] = target;
    peer.target_rates[peer.body.root_rates + drive] = rate;
}

/* ---------------------------------------------------------------- the model */

/* Normal forces only, firm ones; no muscles, damping and medium of MuJoCo. */
static void change_model(mjModel *model)
{
    const mjtNum firm[] = {0.95, 0.99, 0.001, 0.5, 2};
    double h = peer.step_s;
    model->opt.timestep = h;
    model->opt.density = 0;
    model->opt.disableflags |= mjDSBL_ACTUATION;
    model->opt.jacobian = mjJAC_DENSE;
    mju_zero(model->dof_damping, model->nv);
    for (int i = 0; i < model->ngeom; i++) {
        model->geom_condim[i] = 1;
        mju_copy(model->geom_solref + mjNREF * i, (mjtNum[]){CONTACT_STEPS * h, CONTACT_DAMPING},
                 2);
        mju_copy(model->geom_solimp + mjNIMP * i, firm, 5);
    }
    for (int i = 0; i < model->njnt; i++) {
        mju_copy(model->jnt_solref + mjNREF * i, (mjtNum[]){CONTACT_STEPS * h, 1}, 2);
        mju_copy(model->jnt_solimp + mjNIMP * i, firm, 5);
    }
    for (int i = 0; i < model->ntendon; i++) {
        mju_copy(model->tendon_solref_lim + mjNREF * i, (mjtNum[]){CONTACT_STEPS * h, 1}, 2);
        mju_copy(model->tendon_solimp_lim + mjNIMP * i, firm, 5);
    }
}

/* What MuJoCo does not know of the creature. */
static void take_settings(const struct params *p, const struct phenotype *phenotype)
{
    double steps = ceil(1 / p->simulation_brain_hz / p->simulation_dt_s - 1e-6);
    const struct dynamics_settings settings = {.dt_s = 1 / (p->simulation_brain_hz * steps),
                                               .servo_rad_s = p->creature_servo_rad_s,
                                               .joint_speed_rad_s = p->creature_joint_speed_rad_s,
                                               .joint_speed_m_s = p->creature_joint_speed_m_s,
                                               .hill_curvature = p->creature_hill_curvature,
                                               .effector_mode = p->creature_effector_mode,
                                               .joint_damping_1_s = p->creature_joint_damping_1_s};
    struct world world;
    struct spatial_world surroundings;
    world_init(&world, p, phenotype->kind);
    arena_reset(&model_arena);
    ck_assert_int_eq(spatial_world_create(&surroundings, phenotype->meetings, &world, &model_arena),
                     0);
    ck_assert_int_eq(
        physics_of(phenotype)->model(phenotype, &world, &settings, &peer.body, &model_arena), 0);
    ck_assert_int_le(peer.body.rate_count, RATES_MAX);
    peer.drag = surroundings.drag;
    peer.friction = world.friction;
    peer.own_friction = world.own_friction;
    peer.effector_mode = p->creature_effector_mode;
    peer.parts = (int)ceil(settings.dt_s / STEP_MOST_S);
    peer.step_s = settings.dt_s / peer.parts;
}

static void begin(const struct params *params, const struct evaluate_view *view)
{
    char *text;
    size_t size;
    struct mjcf mjcf = {.params = params, .name = "creature"};
    mjcf.model = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(mjcf.model);
    ck_assert_int_eq(mjcf_observe(&mjcf, view), 0);
    ck_assert_int_eq(fclose(mjcf.model), 0);
    arena_deinit(&mjcf.arena);
    peer = (struct peer){.phenotype = view->phenotype};
    take_settings(params, view->phenotype);
    peer.model = mujoco_load(text, size);
    free(text);
    change_model(peer.model);
    peer.data = mj_makeData(peer.model);
    ck_assert_ptr_nonnull(peer.data);
    mj_resetDataKeyframe(peer.model, peer.data, 0);
    ck_assert_int_eq(peer.model->nv, peer.body.rate_count);
    read_state();
}

/* From the start of the scored time on MuJoCo takes the steps. */
static int hand_over(void *context, const struct evaluate_view *view)
{
    static struct dynamics_solver solver;
    static struct dynamics_reader reader;
    if (view->phase != PHASE_SCORE || peer.model)
        return 0;
    begin(context, view);
    solver = dynamics_boxes;
    solver.step = peer_step;
    solver.set_target = peer_set_target;
    reader = *solver.read;
    reader.impulses = NULL;
    solver.read = &reader;
    ((struct dynamics *)view->dynamics)->solver = &solver;
    return 0;
}

/* ---------------------------------------------------------------- creatures */

/* In the suite: some of each kind. */
static const struct {
    const char *name;
    int is_in_suite;
} creatures[] = {{"walk3d-sims-1", 1},    {"walk3d-sims-3", 0},    {"walk3d-sims-4", 0},
                 {"walk3d-archive-4", 0}, {"walk3d-archive-5", 0}, {"swim3d-sims-2", 1},
                 {"swim3d-sims-3", 0},    {"swim3d-sims-4", 0},    {"fly3d-sims-2", 1}};

static void read_creature(struct creature *creature, const char *name)
{
    struct error error;
    ck_ok(creature_read(creature, printed("tests/oracle/creatures/%s.creature", name), &error));
    ck_assert(creature->has_evaluation);
}

static void record(const char *name)
{
    struct error error;
    SCOPED(creature) c;
    struct evaluation result;
    read_creature(&c, name);
    evaluate(&c.genome, &c.params, c.seed, &arena, NULL, NULL, &result);
    c.verdict = result.verdict;
    c.measures = result.measures;
    c.digest = result.digest;
    c.fitness = behaviour_fitness(c.verdict, &c.measures, &c.params);
    c.simulator_version = SIMULATOR_VERSION;
    ck_ok(creature_write(&c, printed("tests/oracle/creatures/%s.creature", name), 0, &error));
}

/* Ways in metres, here and there. */
static void travel(const char *name, double ways[2])
{
    SCOPED(creature) creature;
    struct evaluation result;
    read_creature(&creature, name);
    /* the guards look at the books of our steps */
    creature.params.guard_energy_share = creature.params.guard_momentum_share = 0;
    for (int i = 0; i < 2; i++) {
        evaluate(&creature.genome, &creature.params, creature.seed, &arena, i ? hand_over : NULL,
                 &creature.params, &result);
        ck_assert_msg(result.verdict == VERDICT_OK || result.verdict == VERDICT_LANDED, "%s: %s",
                      name, verdict_name(result.verdict));
        ways[i] = result.measures.displacement_m;
    }
    mj_deleteData(peer.data);
    mj_deleteModel(peer.model);
    peer.model = NULL;
}

TEST(creatures_keep_their_way)
{
    if (prints_table)
        printf(
            "| with MuJoCo %s, the loop closed | way here, m | there | kept |\n|---|---|---|---|\n",
            mj_versionString());
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    ck_assert_int_eq(arena_init(&model_arena, EVALUATE_ARENA_BYTES), 0);
    for (size_t i = 0; i < sizeof creatures / sizeof creatures[0]; i++) {
        double ways[2];
        if (!prints_table && !creatures[i].is_in_suite)
            continue;
        travel(creatures[i].name, ways);
        if (prints_table)
            printf("| %s | %.2f | %.2f | %.2f |\n", creatures[i].name, ways[0], ways[1],
                   ways[1] / ways[0]);
        ck_assert_double_gt(ways[0], 1);
        ck_assert_msg(prints_table || ways[1] >= SHARE_KEPT * ways[0], "%s: %.2f of %.2f m",
                      creatures[i].name, ways[1], ways[0]);
    }
    arena_deinit(&arena);
    arena_deinit(&model_arena);
}

START_TEST(record_all)
{
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    for (size_t i = 0; i < sizeof creatures / sizeof creatures[0]; i++)
        record(creatures[i].name);
    arena_deinit(&arena);
}

int main(int argc, char **argv)
{
    prints_table = argc > 1 && strcmp(argv[1], "--table") == 0;
    if (argc > 1 && strcmp(argv[1], "--record") == 0)
        return run_only(record_all, 600);
    return run_tests_or_table("transfer", 600, NULL, NULL, prints_table);
}

#endif
