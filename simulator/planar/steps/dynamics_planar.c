/* The default solver: joint coordinates, articulated-body algorithm, RK4 in free motion and a
 * Moreau midpoint step where something may touch.
 *
 * A step is RK4 unless a contact, a joint limit or a pair of own parts could act within it, which
 * the state alone decides.
 *
 * Expected sizes: 2 to 16 links, 2400 steps for an evaluation of 10 s, a few contacts at a time. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>

#include "common/error.h"

/* Steps in which drag acts faster than this are taken by the implicit scheme: h x rate. */
#define DRAG_STIFF 0.5

/* Operations of a step for each link, pair of parts, and part and obstacle. */
enum { LINK_WORK = 800, PAIR_WORK = 8, OBSTACLE_WORK = 8 };

/* ---------------------------------------------------------------- drag */

/* The sides that stretching parts have at the tree's pose. */
static __attribute__((noinline)) void take_sides(struct planar_step *d)
{
    for (int i = 0; i < d->parts; i++) {
        const struct tree_link *l = &d->tree.links[d->drag.parts[i].link];
        if (!d->drag.parts[i].is_stretching)
            continue;
        struct tree_sides sides = tree_sides(l);
        drag_set_sides(&d->drag, i, &sides);
    }
}

/* The exposed pieces in this step, at the tree's pose. */
static void expose_drag(struct planar_step *d)
{
    for (int i = 0; i < d->parts; i++) {
        const struct drag_part *part = &d->drag.parts[i];
        const struct tree_link *l = &d->tree.links[part->link];
        struct box *box = &d->boxes[i];
        box->x = l->px + (l->cos * part->local.x - l->sin * part->local.y);
        box->y = l->py + (l->sin * part->local.x + l->cos * part->local.y);
        box->cos = l->cos * part->cos - l->sin * part->sin;
        box->sin = l->sin * part->cos + l->cos * part->sin;
    }
    drag_expose(&d->drag, d->boxes);
}

/* Tensors of the links for the tree's velocities, which drag wants about the links' origins and in
 * their frames. */
void planar_step_set_drag(struct planar_step *d)
{
    for (int i = 0; i < d->links && d->drag.kind == DRAG_MOVING; i++) {
        const struct tree_link *l = &d->tree.links[i];
        struct motion v = l->velocity;
        d->drag.velocity[i] =
            (struct motion){v.w, l->cos * v.x + l->sin * v.y, l->cos * v.y - l->sin * v.x};
        d->drag.rates[i] = l->stretch ? l->rate : 0;
    }
    if (d->drag.has_stretch)
        take_sides(d);
    drag_update(&d->drag);
    for (int i = 0; i < d->links; i++)
        d->tree.links[i].drag = d->drag.tensors[i];
    for (int i = 0; i < d->links && d->drag.has_stretch; i++)
        if (d->tree.links[i].stretch)
            d->tree.links[i].stretch->drag = d->drag.columns[i];
}

/* Before a step: 1 if drag is too fast for an explicit one. */
static int begin_drag(struct planar_step *d)
{
    if (d->drag.kind >= DRAG_EXPOSED) {
        if (d->drag.has_stretch)
            take_sides(d);
        if (d->drag.has_exposure)
            expose_drag(d);
        planar_step_set_drag(d);
        d->drag_rate_1_s = drag_rate(&d->drag);
    }
    return d->settings.dt_s * d->drag_rate_1_s > DRAG_STIFF;
}

/* The tree's own tensors, of whole parts, are those of the plain law. */
static void init_drag(struct planar_step *d)
{
    int is_plain = d->drag.kind == DRAG_PLAIN;
    tree_set_viscosity(&d->tree, d->phenotype, is_plain ? d->drag.coefficient : 0);
    d->tree.has_drag = d->drag.kind != DRAG_NONE;
    if (is_plain)
        drag_update(&d->drag);
    d->drag_rate_1_s = is_plain ? drag_rate(&d->drag) : 0;
}

/* ---------------------------------------------------------------- creation */

/* Vectors of dof numbers, made even. */
static void take_vectors(struct planar_step *d, double ***vectors, size_t count,
                         struct arena *arena)
{
    for (size_t i = 0; i < count; i++)
        *vectors[i] = arena_take(arena, (size_t)(d->dof + 1) & ~(size_t)1, sizeof(double));
}

static int take_scratch(struct planar_step *d, struct arena *arena)
{
    double **motion[] = {&d->q,       &d->qd,      &d->q0,      &d->qd0,    &d->qm,     &d->vm,
                         &d->vs,      &d->v1,      &d->qdd,     &d->k_q,    &d->k_v,    &d->kick,
                         &d->rates,   &d->still,   &d->low,     &d->high,   &d->tau,    &d->extra,
                         &d->work,    &d->from_q,  &d->from_qd, &d->answer, &d->torque, &d->mended,
                         &d->coupled, &d->carried, &d->clamped, &d->birth_d};
    double **others[] = {&d->qdd_last,       &d->last_kick,    &d->vm_before,  &d->vs_before,
                         &d->kick_before,    &d->part_work,    &d->bound_rate, &d->effector_tau,
                         &d->effector_extra, &d->effector_work};
    struct joint_laws *l = &d->laws;
    double **laws[] = {&d->aim,  &l->hill_n_m, &l->hill_s_rad, &l->kp,
                       &l->kd,   &l->damping,  &l->most,       &l->target,
                       &l->rate, &l->is_plain, &l->extra,      &l->birth_share};
    take_vectors(d, motion, sizeof motion / sizeof motion[0], arena);
    take_vectors(d, others, sizeof others / sizeof others[0], arena);
    take_vectors(d, laws, sizeof laws / sizeof laws[0], arena);
    d->servos = arena_take(arena, (size_t)d->links, sizeof d->servos[0]);
    d->boxes = arena_take(arena, (size_t)d->parts, sizeof d->boxes[0]);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

/* Velocity products do not depend on how fast the body as a whole moves along: not on the root's
 * velocity, nor on linear joints below which nothing can turn. */
static void find_coupled_rates(struct planar_step *d)
{
    d->coupled[2] = !d->tree.is_root_fixed;
    for (int i = 1; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        d->coupled[2 + i] = !l->is_linear ? 1 : d->coupled[2 + l->parent];
    }
}

static void forget_contacts(struct planar_step *d)
{
    contacts_forget(&d->contacts);
    tree_forget_turns(&d->tree);
    for (int i = 0; i < d->dof; i++)
        d->last_kick[i] = d->kick_before[i] = 0;
    d->is_examined = d->is_pressing = d->has_accelerations = 0;
    d->is_bulk_known = d->is_balance_known = 0;
}

static struct dynamics *planar_step_create(const struct phenotype *phenotype,
                                           const struct world *world,
                                           const struct dynamics_settings *settings,
                                           struct arena *arena)
{
    struct planar_step *d = arena_take(arena, 1, sizeof *d);
    if (!d || tree_create(&d->tree, phenotype, world->viscosity_pa_s, arena) != 0)
        return NULL;
    d->base.solver = &dynamics_articulated;
    d->phenotype = phenotype;
    d->settings = *settings;
    d->world = *world;
    d->tree.gravity_x = world->gravity_x_m_s2;
    d->dof = d->tree.dof;
    d->links = phenotype->body->link_count;
    d->parts = phenotype->part_count;
    d->damping_rate = settings->joint_damping_1_s;
    if (take_scratch(d, arena) != 0 || drag_create(&d->drag, phenotype, world, arena) != 0 ||
        contacts_create(&d->contacts, &d->base, phenotype, &d->tree, &d->world, settings, arena) !=
            0)
        return NULL;
    d->base.substeps = 1;
    d->base.dof = d->dof;
    d->base.root_slides = 2;
    d->base.q = d->q;
    d->base.qd = d->qd;
    d->base.drive_rates = d->qd + PLANE_ROOT_RATES;
    d->base.still = d->still;
    struct contact_body *own = &d->contacts.own;
    own->q_middle = d->qm;
    own->q_end = d->q;
    own->rates[PLANE_START] = d->qd0;
    own->rates[PLANE_FREE] = d->vs;
    own->rates[PLANE_WORKING] = d->rates;
    d->self = d;
    d->alone = (struct group){.all = &d->self, .count = 1, .contacts = &d->contacts};
    d->step_work = (uint64_t)(LINK_WORK * d->links + PAIR_WORK * d->contacts.own.pair_count +
                              OBSTACLE_WORK * d->parts * world->obstacles.count);
    init_drag(d);
    planar_step_set_pose(d);
    find_coupled_rates(d);
    torques_init(d);
    dynamics_reset_ledger(&d->base);
    return &d->base;
}

/* ---------------------------------------------------------------- settings and state */

static void planar_step_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    struct planar_step *d = planar_step_of(dynamics);
    d->laws.target[2 + drive] = target;
    d->laws.rate[2 + drive] = rate;
}

static void planar_step_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo)
{
    struct planar_step *d = planar_step_of(dynamics);
    d->servos[drive] = *servo;
    d->laws.target[2 + drive] = servo->target;
    d->laws.rate[2 + drive] = servo->rate;
    d->has_signals |= servo->signal || servo->push;
    tree_set_driven(&d->tree, drive, servo->law == SERVO_MOTION);
    d->has_drives |= servo->law == SERVO_MOTION;
    if (d->has_drives)
        d->contacts.own.rates[PLANE_BEFORE] = d->v1;
    torques_set_laws(d);
}

static const struct servo *planar_step_servo(const struct dynamics *dynamics, int drive)
{
    return &planar_step_of(dynamics)->servos[drive];
}

static void planar_step_heed_servos(struct dynamics *dynamics)
{
    torques_set_laws(planar_step_of(dynamics));
}

static void planar_step_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct planar_step *d = planar_step_of(dynamics);
    d->world = *world;
    d->tree.gravity_x = world->gravity_x_m_s2;
    drag_set_world(&d->drag, world);
    init_drag(d);
    d->contacts.own.near_count = 0;
    d->is_examined = d->is_balance_known = 0;
}

static void planar_step_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    struct planar_step *d = planar_step_of(dynamics);
    d->damping_rate = rate_1_s;
    for (int i = 1; i < d->links; i++)
        d->servos[i].damping = rate_1_s * 2 * d->birth_d[i];
    torques_set_laws(d);
}

static void planar_step_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct planar_step *d = planar_step_of(dynamics);
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = q[i];
        d->qd[i] = qd[i];
    }
    d->is_posed = 0;
    forget_contacts(d);
}

/* ---------------------------------------------------------------- steps */

/* Whether something could act in this step. Contacts that pressed in the last one could. */
static int may_touch(struct planar_step *d)
{
    if (d->is_examined)
        return d->clearance.may_touch;
    if (d->is_pressing)
        return 1;
    planar_step_set_pose(d);
    return contacts_may_touch(&d->contacts.own, d->q, d->qd);
}

/* 1 if drag or muscles are too stiff for RK4. */
ALWAYS_INLINE static inline int begin_step(struct planar_step *d)
{
    const double *q = d->q, *qd = d->qd;
    double *q0 = d->q0, *qd0 = d->qd0;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        PAIR(q0, i) = PAIR(q, i);
        PAIR(qd0, i) = PAIR(qd, i);
    }
    if (d->drag.kind >= DRAG_EXPOSED)
        planar_step_set_pose(d);
    d->base.steps++;
    d->was_parted = 0;
    d->gone = d->weighed = (struct vec2){0, 0};
    d->dragged = (struct impulse_sum){.size = 0};
    return begin_drag(d) | d->has_stiff_muscles;
}

/* 1 if the state is not finite, or memory is out. */
ALWAYS_INLINE static inline int end_step(struct planar_step *d, uint64_t work)
{
    const double *q = d->q, *qd = d->qd;
    d->base.work += work;
    /* 0 times what is not finite is not a number */
    pair sum = {0, 0};
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        sum += 0.0 * PAIR(q, i) + 0.0 * PAIR(qd, i);
    return sum[0] + sum[1] == 0 ? d->contacts.arena->is_exhausted : 1;
}

static int planar_step_step(struct dynamics *dynamics)
{
    struct planar_step *d = planar_step_of(dynamics);
    int is_stiff = begin_step(d), is_free = d->settings.integrator == INTEGRATOR_RK4;
    if (d->settings.integrator == INTEGRATOR_AUTO)
        is_free = !is_stiff && !may_touch(d);
    if (is_free && rk4_try(d))
        torques_advance(d);
    else
        midpoint_step(&d->alone);
    uint64_t work = d->contacts.impulses.work;
    d->contacts.impulses.work = 0;
    return end_step(d, work);
}

/* ---------------------------------------------------------------- several bodies */

struct meeting {
    struct contacts contacts;
    struct group group; /* of the step that is taken */
};

static struct meeting *planar_step_create_meeting(struct dynamics *const *all, int count,
                                                  struct arena *arena)
{
    size_t room = (size_t)count;
    struct meeting *m = arena_take(arena, 1, sizeof *m);
    struct contacts **contacts = arena_take(arena, room, sizeof contacts[0]);
    struct planar_step **some = arena_take(arena, room, sizeof some[0]);
    if (!m || !contacts || !some)
        return NULL;
    for (int k = 0; k < count; k++)
        contacts[k] = &planar_step_of(all[k])->contacts;
    m->group = (struct group){.all = some, .contacts = &m->contacts};
    int status = contacts_create_shared(&m->contacts, contacts, count,
                                        &planar_step_of(all[0])->settings, arena);
    return status == 0 ? m : NULL;
}

static void planar_step_begin_meeting(struct meeting *meeting)
{
    meeting->contacts.tick++;
}

/* With RK4 alone there are no contacts. */
static void planar_step_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    struct planar_step *d = planar_step_of(dynamics);
    if (d->settings.integrator == INTEGRATOR_RK4)
        return;
    planar_step_set_pose(d);
    contacts_sweep(&d->contacts.own, low, high);
}

static void planar_step_step_together(struct meeting *meeting, struct dynamics *const *some,
                                      int count, int *is_broken)
{
    struct group *g = &meeting->group;
    meeting->contacts.body_count = 0;
    meeting->contacts.mass = 0;
    g->count = count;
    for (int k = 0; k < count; k++) {
        struct planar_step *d = g->all[k] = planar_step_of(some[k]);
        ENSURE(!d->has_drives, "driven joints in a body that meets others");
        contacts_gather(&meeting->contacts, &d->contacts);
        is_broken[k] = DYNAMICS_BROKEN;
        begin_step(d);
    }
    if (contacts_end_gathering(&meeting->contacts) != 0)
        return;
    midpoint_step(g);
    for (int k = 0; k < count; k++)
        is_broken[k] = end_step(g->all[k], meeting->contacts.impulses.work / (uint64_t)count);
    meeting->contacts.impulses.work = 0;
}

const struct dynamics_solver dynamics_articulated = {
    .create = planar_step_create,
    .set_target = planar_step_set_target,
    .set_servo = planar_step_set_servo,
    .servo = planar_step_servo,
    .heed_servos = planar_step_heed_servos,
    .set_world = planar_step_set_world,
    .set_joint_damping = planar_step_set_joint_damping,
    .step = planar_step_step,
    .create_meeting = planar_step_create_meeting,
    .begin_meeting = planar_step_begin_meeting,
    .sweep = planar_step_sweep,
    .step_together = planar_step_step_together,
    .set_state = planar_step_set_state,
    .read = &planar_step_reader,
    .energy = planar_step_energy,
};
