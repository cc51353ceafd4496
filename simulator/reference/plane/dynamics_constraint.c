/* The second solver behind dynamics.h: creation, settings, what can be read of a state. Its method:
 * constraint_step.c. */
#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "simulator/reference/plane/constraint.h"

/* Default of settings.contact_epsilon_m. */
#define EPSILON_M 1e-4
/* Default of settings.restitution_speed_m_s, as in simulator/plane/contacts/contacts.c. */
#define RESTITUTION_SPEED_M_S 0.2

/* ---------------------------------------------------------------- creation */

static int take_memory(struct constraint *c, struct arena *arena)
{
    size_t links = (size_t)c->links, parts = (size_t)c->parts, room = (size_t)c->touch_room;
    size_t dof = (size_t)c->dof;
    c->bodies = arena_take(arena, links, sizeof c->bodies[0]);
    c->servos = arena_take(arena, links, sizeof c->servos[0]);
    c->places = arena_take(arena, links, sizeof c->places[0]);
    c->corners = arena_take(arena, 4 * parts, sizeof c->corners[0]);
    c->faces = arena_take(arena, 4 * parts, sizeof c->faces[0]);
    c->boxes = arena_take(arena, parts, sizeof c->boxes[0]);
    c->obstacles = arena_take(arena, (size_t)c->obstacle_room, sizeof c->obstacles[0]);
    c->touches = arena_take(arena, room, sizeof c->touches[0]);
    c->found = arena_take(arena, room, sizeof c->found[0]);
    c->mark_room = 4 * c->touch_room;
    c->marks = arena_take(arena, 4 * room, sizeof c->marks[0]);
    c->points = arena_take(arena, 5 * room, sizeof c->points[0]);
    c->pierced = arena_take(arena, room, sizeof c->pierced[0]);
    c->stiff = arena_take(arena, room, sizeof c->stiff[0]);
    int is_complete = c->bodies && c->servos && c->places && c->corners && c->faces && c->boxes &&
                      c->obstacles && c->touches && c->found && c->marks && c->points &&
                      c->pierced && c->stiff;
    struct {
        double **vector;
        size_t count;
    } vectors[] = {{&c->birth_inertia, links},
                   {&c->lower, links},
                   {&c->upper, links},
                   {&c->torque, links},
                   {&c->damping_torque, links},
                   {&c->rate, links},
                   {&c->effector_work, links},
                   {&c->part_cos, parts},
                   {&c->part_sin, parts},
                   {&c->part_radius, parts},
                   {&c->force, 3 * links},
                   {&c->drag, 3 * links},
                   {&c->acceleration, 3 * links},
                   {&c->y, 6 * links},
                   {&c->y0, 6 * links},
                   {&c->q, dof},
                   {&c->qd, dof}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i].vector = arena_take(arena, vectors[i].count, sizeof(double));
        is_complete &= *vectors[i].vector != NULL;
    }
    c->rk = (struct dormand_prince){.derive = constraint_derive,
                                    .system = c,
                                    .absolute = 3 * c->links,
                                    .rtol = c->settings.rtol};
    if (!is_complete)
        return ERR_MEMORY;
    return dormand_prince_create(&c->rk, 6 * c->links, c->links + 2 + 4 * c->touch_room, arena);
}

static void init_bodies(struct constraint *c)
{
    for (int i = 0; i < c->links; i++) {
        const struct link *link = &c->phenotype->links[i];
        struct body *body = &c->bodies[i];
        *body = (struct body){.parent = link->parent,
                              .mass = link->mass_kg,
                              .inertia = link->inertia_kg_m2,
                              .inverse_mass = link->mass_kg > 0 ? 1 / link->mass_kg : 0,
                              .inverse_inertia = link->mass_kg > 0 ? 1 / link->inertia_kg_m2 : 0,
                              .is_linear = i > 0 && link->joint_kind == LINK_LINEAR,
                              .axis = link->axis,
                              .own = {-link->centre.x, -link->centre.y}};
        if (i == 0 && c->phenotype->is_root_fixed)
            body->inverse_mass = body->inverse_inertia = 0;
        c->mass_kg += link->mass_kg;
        if (i == 0)
            continue;
        body->has_joint = link->mass_kg > 0 &&
                          (link->parent == 0 || c->phenotype->links[link->parent].mass_kg > 0);
        struct vec2 centre = c->phenotype->links[link->parent].centre;
        body->parents = (struct vec2){link->joint.x - centre.x, link->joint.y - centre.y};
        c->lower[i] = link->lower;
        c->upper[i] = link->upper;
    }
}

/* Corners counter-clockwise from +x +y, faces in the order of enum face, in the link's frame. Of a
 * disk nothing is known but its centre; of a half-plane the top is a face without ends. */
static void init_part(struct constraint *c, int i)
{
    static const double sign_x[4] = {1, -1, -1, 1}, sign_y[4] = {1, 1, -1, -1};
    static const double face_x[4] = {1, 0, -1, 0}, face_y[4] = {0, 1, 0, -1};
    const struct part *part = &c->phenotype->parts[i];
    double a = part->width_m / 2, b = part->height_m / 2, sine, cosine;
    int is_round = part->shape == PART_DISK, is_plane = part->shape == PART_PLANE;
    struct vec2 centre = c->phenotype->links[part->link].centre;
    double x = part->local.x - centre.x, y = part->local.y - centre.y;
    det_sincos(part->local_angle_rad, &sine, &cosine);
    c->part_cos[i] = cosine;
    c->part_sin[i] = sine;
    c->part_radius[i] = is_plane ? COLLIDE_PLANE_RADIUS_M : is_round ? a : sqrt(a * a + b * b);
    if (!is_plane)
        c->thinnest_m = fmin(c->thinnest_m, 2 * fmin(a, b));
    if (is_round || is_plane)
        a = b = 0;
    for (int k = 0; k < 4; k++) {
        double u = sign_x[k] * a, v = sign_y[k] * b, nx = face_x[k], ny = face_y[k];
        double reach = nx != 0 ? a : b;
        struct edge *face = &c->faces[4 * i + k];
        c->corners[4 * i + k] =
            (struct vec2){x + (cosine * u - sine * v), y + (sine * u + cosine * v)};
        face->normal = (struct vec2){cosine * nx - sine * ny, sine * nx + cosine * ny};
        face->middle = (struct vec2){x + reach * face->normal.x, y + reach * face->normal.y};
        face->half_length = is_plane ? COLLIDE_PLANE_RADIUS_M : nx != 0 ? b : a;
    }
}

static void constraint_reset_ledger(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    c->ledger = (struct ledger){0};
    constraint_set_energies(c);
    c->ledger.energy_start_j = c->ledger.kinetic_j + c->ledger.potential_j;
}

static struct dynamics *constraint_create(const struct phenotype *phenotype,
                                          const struct world *world,
                                          const struct dynamics_settings *settings,
                                          struct arena *arena)
{
    struct constraint *c = arena_take(arena, 1, sizeof *c);
    if (!c)
        return NULL;
    int parts = phenotype->part_count;
    int points =
        2 * parts * (parts + 1) + RELIEF_POINTS_MAX * parts + 8 * parts * world->obstacles.count;
    *c = (struct constraint){.base = {.solver = &dynamics_constraint},
                             .arena = arena,
                             .phenotype = phenotype,
                             .settings = *settings,
                             .world = *world,
                             .obstacle_room = world->obstacles.count,
                             .links = phenotype->link_count,
                             .parts = parts,
                             .dof = 2 + phenotype->link_count,
                             .joints_max =
                                 3 * (phenotype->link_count - 1 + phenotype->closure_count),
                             .thinnest_m = HUGE_VAL,
                             .damping_rate = settings->joint_damping_1_s};
    if (c->settings.constraint_tau_s <= 0)
        c->settings.constraint_tau_s = settings->dt_s;
    c->epsilon_m = settings->contact_epsilon_m > 0 ? settings->contact_epsilon_m : EPSILON_M;
    c->restitution_speed_m_s = settings->restitution_speed_m_s > 0 ? settings->restitution_speed_m_s
                                                                   : RESTITUTION_SPEED_M_S;
    c->turn_speed_m_s = fmin(TOUCH_TURN_SPEED, 100 * settings->rtol);
    c->touch_room = (points < TOUCHES_MAX ? points : TOUCHES_MAX) + c->links;
    c->pusher = dynamics_articulated.create(phenotype, world, settings, arena);
    if (!c->pusher || take_memory(c, arena) != 0 || system_create(c, arena) != 0 ||
        drag_create(&c->viscosity, phenotype, world, arena) != 0)
        return NULL;
    init_bodies(c);
    system_count_joints(c);
    for (int i = 0; i < c->parts; i++)
        init_part(c, i);
    for (int i = 0; i < world->obstacles.count; i++) {
        const struct obstacle *obstacle = &world->obstacles.list[i];
        collide_place_obstacle(obstacle, &c->obstacles[i]);
        c->thinnest_m = fmin(c->thinnest_m, fmin(obstacle->width_m, obstacle->height_m));
    }
    constraint_set_state(&c->base, c->q, c->qd);
    for (int i = 1; i < c->links; i++) {
        if (c->bodies[i].mass <= 0)
            continue;
        c->birth_inertia[i] = system_joint_inertia(c, i);
        servo_init(&c->servos[i], &phenotype->links[i], c->birth_inertia[i], settings,
                   c->damping_rate);
    }
    constraint_reset_ledger(&c->base);
    return &c->base;
}

/* ---------------------------------------------------------------- settings and state */

static void constraint_set_target(struct dynamics *dynamics, int link, double target, double rate)
{
    struct constraint *c = constraint_of(dynamics);
    c->servos[link].target = target;
    c->servos[link].rate = rate;
}

static void constraint_set_servo(struct dynamics *dynamics, int link, const struct servo *servo)
{
    struct constraint *c = constraint_of(dynamics);
    c->servos[link] = *servo;
    system_count_joints(c);
    system_forgive_rounding(c);
}

static void constraint_set_effectors(struct dynamics *dynamics, enum effector_state state)
{
    constraint_of(dynamics)->effectors = state;
}

static void constraint_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct constraint *c = constraint_of(dynamics);
    ENSURE(world->obstacles.count <= c->obstacle_room, "%d obstacles in a world made for %d",
           world->obstacles.count, c->obstacle_room);
    c->world = *world;
    drag_set_world(&c->viscosity, world);
    c->touch_count = 0;
    c->is_stale = 1;
}

static void constraint_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    struct constraint *c = constraint_of(dynamics);
    c->damping_rate = rate_1_s;
    for (int i = 1; i < c->links; i++)
        c->servos[i].damping = rate_1_s * 2 * c->birth_inertia[i];
}

static void constraint_set_push_out(struct dynamics *dynamics, double speed_m_s)
{
    struct constraint *c = constraint_of(dynamics);
    const struct dynamics_solver *solver = c->pusher->solver;
    c->is_pushing = speed_m_s > 0;
    solver->set_world(c->pusher, &c->world);
    solver->set_effectors(c->pusher, c->effectors);
    solver->set_joint_damping(c->pusher, c->damping_rate);
    solver->set_push_out(c->pusher, speed_m_s);
    solver->set_state(c->pusher, c->q, c->qd);
}

static int constraint_dof(const struct dynamics *dynamics)
{
    return constraint_of(dynamics)->dof;
}

static const double *constraint_q(const struct dynamics *dynamics)
{
    return constraint_of(dynamics)->q;
}

static const double *constraint_qd(const struct dynamics *dynamics)
{
    return constraint_of(dynamics)->qd;
}

static const double *constraint_drive_rates(const struct dynamics *dynamics)
{
    return constraint_qd(dynamics) + 2;
}

static void constraint_shift(struct dynamics *dynamics, struct vec3 by_m)
{
    struct constraint *c = constraint_of(dynamics);
    c->q[0] += by_m.x;
    c->q[1] += by_m.y;
    constraint_set_state(dynamics, c->q, c->qd);
}

static void constraint_stop(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    for (int i = 0; i < 3 * c->links; i++)
        c->y[3 * c->links + i] = 0;
    touch_place(c, c->y);
    constraint_set_coordinates(c);
    constraint_forget_touches(c);
    constraint_reset_ledger(&c->base);
    if (c->is_pushing)
        c->pusher->solver->stop(c->pusher);
}

static void constraint_part_state(const struct dynamics *dynamics, int part,
                                  struct part_state *state)
{
    const struct constraint *c = constraint_of(dynamics);
    const struct part *p = &c->phenotype->parts[part];
    const struct place *l = &c->places[p->link];
    struct box box;
    touch_place_box(c, part, &box);
    *state = (struct part_state){.x_m = box.x,
                                 .y_m = box.y,
                                 .angle_rad = l->angle + p->local_angle_rad,
                                 .vx_m_s = l->vx - l->w * (box.y - l->y),
                                 .vy_m_s = l->vy + l->w * (box.x - l->x),
                                 .omega_rad_s = l->w};
}

static void constraint_link_state(const struct dynamics *dynamics, int link,
                                  struct part_state *state)
{
    const struct constraint *c = constraint_of(dynamics);
    const double *at = c->y + 3 * link, *v = c->y + 3 * (c->links + link);
    *state = (struct part_state){.x_m = at[0],
                                 .y_m = at[1],
                                 .angle_rad = at[2],
                                 .vx_m_s = v[0],
                                 .vy_m_s = v[1],
                                 .omega_rad_s = v[2]};
}

static struct vec3 constraint_centre_of_mass(const struct dynamics *dynamics)
{
    const struct constraint *c = constraint_of(dynamics);
    double x = 0, y = 0;
    for (int i = 0; i < c->links; i++) {
        x += c->bodies[i].mass * c->y[3 * i];
        y += c->bodies[i].mass * c->y[3 * i + 1];
    }
    return (struct vec3){x / c->mass_kg, y / c->mass_kg, 0};
}

static void constraint_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                                struct vec3 *angular)
{
    const struct constraint *c = constraint_of(dynamics);
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < c->links; i++) {
        const struct body *b = &c->bodies[i];
        const double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i);
        linear->x += b->mass * v[0];
        linear->y += b->mass * v[1];
        angular->z += b->inertia * v[2] + b->mass * (at[0] * v[1] - at[1] * v[0]);
    }
}

static void constraint_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct constraint *c = constraint_of(dynamics);
    *low = *high = (struct vec3){0, 0, 0};
    for (int i = 0; i < c->parts; i++) {
        struct box b;
        touch_place_box(c, i, &b);
        double rx = fabs(b.cos) * b.half_width + fabs(b.sin) * b.half_height;
        double ry = fabs(b.sin) * b.half_width + fabs(b.cos) * b.half_height;
        low->x = i ? fmin(low->x, b.x - rx) : b.x - rx;
        low->y = i ? fmin(low->y, b.y - ry) : b.y - ry;
        high->x = i ? fmax(high->x, b.x + rx) : b.x + rx;
        high->y = i ? fmax(high->y, b.y + ry) : b.y + ry;
    }
}

static double constraint_overlap(const struct dynamics *dynamics)
{
    const struct constraint *c = constraint_of(dynamics);
    const struct part *parts = c->phenotype->parts;
    double deepest = 0;
    for (int i = 0; i < c->parts; i++)
        for (int j = 0; j < i; j++) {
            if (parts[i].parent == j || parts[j].parent == i)
                continue;
            struct box a, b;
            touch_place_box(c, i, &a);
            touch_place_box(c, j, &b);
            deepest = fmax(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

static const struct ledger *constraint_ledger(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    struct ledger *l = &c->ledger;
    constraint_set_energies(c);
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j +
                    l->loss_friction_j + l->loss_impact_j + l->loss_limit_j + l->loss_drag_j +
                    l->loss_damping_j - l->gain_push_out_j - l->gain_impact_j - l->gain_limit_j;
    return l;
}

static int constraint_contacts(const struct dynamics *dynamics,
                               const struct contact_point **contacts)
{
    const struct constraint *c = constraint_of(dynamics);
    *contacts = c->points;
    return c->point_count;
}

static double constraint_penetration(const struct dynamics *dynamics)
{
    return constraint_of(dynamics)->penetration_m;
}

static void constraint_drive_state(const struct dynamics *dynamics, int link,
                                   struct drive_state *state)
{
    const struct constraint *c = constraint_of(dynamics);
    *state = (struct drive_state){c->q[2 + link], c->qd[2 + link], c->torque[link]};
}

static void constraint_step_counts(const struct dynamics *dynamics, uint64_t *steps,
                                   uint64_t *rk4_steps)
{
    const struct constraint *c = constraint_of(dynamics);
    *steps = c->steps;
    *rk4_steps = c->free_steps;
}

const struct dynamics_solver dynamics_constraint = {
    .create = constraint_create,
    .step = constraint_step,
    .set_target = constraint_set_target,
    .set_servo = constraint_set_servo,
    .set_effectors = constraint_set_effectors,
    .set_world = constraint_set_world,
    .set_joint_damping = constraint_set_joint_damping,
    .set_push_out = constraint_set_push_out,
    .dof = constraint_dof,
    .q = constraint_q,
    .qd = constraint_qd,
    .set_state = constraint_set_state,
    .shift = constraint_shift,
    .stop = constraint_stop,
    .part_state = constraint_part_state,
    .link_state = constraint_link_state,
    .drive_state = constraint_drive_state,
    .drive_rates = constraint_drive_rates,
    .centre_of_mass = constraint_centre_of_mass,
    .momentum = constraint_momentum,
    .bounds = constraint_bounds,
    .hash_part = dynamics_hash_flat_part,
    .overlap = constraint_overlap,
    .reset_ledger = constraint_reset_ledger,
    .ledger = constraint_ledger,
    .contacts = constraint_contacts,
    .penetration = constraint_penetration,
    .step_counts = constraint_step_counts,
};
