/* The second solver: the method of the proposal of 1995, slow and independent of the first.
 *
 * Absolute coordinates for every link; the forces that hold joints and resting contacts come from the
 * constraint-force equation (Barzel, Barr 1988) by least squares, with terms that let deviations
 * decay; Dormand and Prince's Runge-Kutta method of order 5 with an error estimate of order 4 and a
 * step size chosen by a PI rule (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * sections II.4 and II.5; Gustafsson 1991). Powers are integrated along as quadratures: the ledger.
 *
 *   step -> what went wrong within it?   nothing: go on
 *                                        something penetrates: bisect until nothing does and a pair
 *                                        of those is within epsilon; impulses on all that touches
 *                                        a contact pulls, slips or stops sliding: bisect for the
 *                                        instant; find out anew what presses, sticks and slides
 *
 * After too many events (feet that chatter, parts wedged into one another) the body takes a few small
 * steps of first order with impulses, which always succeed. dynamics_step()
 * takes as many adaptive steps as settings.dt_s needs, and never more than it.
 *
 * Expected: 10 to 30 rows, some 20 us an evaluation, 10 s of a walking creature in some seconds. */
#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "simulator/reference/plane/constraint.h"

/* Default of settings.contact_epsilon_m. */
#define EPSILON_M 1e-4
/* Default of settings.restitution_speed_m_s, as in simulator/plane/contacts/contacts.c. */
#define RESTITUTION_SPEED_M_S 0.2
/* A touch that does not press penetrates if it is deeper than this share of epsilon, and than this, m. */
#define PIERCE_SHARE 1e-3
#define PIERCE_M     1e-10
/* Instants of events are found to this, s. */
#define EVENT_S 1e-10
/* ... and instants of collisions to this, s, if nothing is within epsilon after EVENT_S. */
#define COLLISION_S 1e-16
/* Forces are errors if they are smaller than this share of all forces, or if they accelerate a touch's
 * links by less than that, m/s^2 or rad/s^2. */
#define FORCE_SHARE        1e-8
#define ACCELERATION_ERROR 1e-6
/* More events than this in one step of settings.dt_s, or so many in a row with less than CROWDED_S
 * between them, are left to steps by impulses. */
#define EVENTS_MAX  20
#define CROWD_COUNT 6
#define CROWDED_S   1e-6
/* Steps by impulses in a dt_s. */
#define IMPULSE_STEPS 16
/* Times that modes are mended before giving up. */
#define MENDS_MAX 12
/* Steps do not shrink below this, s, whatever their error. */
#define STEP_LEAST_S 1e-9
/* In a step no corner goes farther than this share of the thinnest part, or of that length, m, if the part
 * is thinner. */
#define WAY_SHARE      0.5
#define THINNEST_WAY_M 0.01
/* A gap that is reported to sensors, m. */
#define NEAR_M 1e-3

static struct constraint *constraint_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_constraint);
}

/* ---------------------------------------------------------------- creation */

/* Derivatives of the state, and powers, at y: velocities and accelerations; then the power of each
 * effector, of drag and of damping; then of each touch its two forces and their powers. */
static void derive(void *system, const double *y, double ahead, double *k)
{
    struct constraint *c = system;
    int width = 3 * c->links;
    double drag = 0, damping = 0, *power = k + 2 * width;
    system_accelerate(c, y, ahead);
    for (int i = 0; i < width; i++) {
        k[i] = y[width + i];
        k[width + i] = c->acceleration[i];
        drag -= c->drag[i] * y[width + i];
    }
    for (int i = 1; i < c->links; i++) {
        power[i] = c->torque[i] * c->rate[i];
        damping -= c->damping_torque[i] * c->rate[i];
    }
    power += c->links;
    *power++ = drag;
    *power++ = damping;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        for (int n = 0; n < 2; n++) {
            *power++ = t->force[n];
            *power++ = t->force[n] * t->rows[n].rate;
        }
    }
}

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
    c->marks = arena_take(arena, room, sizeof c->marks[0]);
    c->points = arena_take(arena, 2 * room, sizeof c->points[0]);
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
    c->rk = (struct dormand_prince){
        .derive = derive, .system = c, .absolute = 3 * c->links, .rtol = c->settings.rtol};
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

/* Corners counter-clockwise from +x +y, faces in the order of enum face, in the link's frame. Of a disk
 * nothing is known but its centre; of a half-plane the top is a face without ends. */
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

/* Kinetic and potential energy of the state. */
static void set_energies(struct constraint *c)
{
    struct ledger *l = &c->ledger;
    l->kinetic_j = l->potential_j = 0;
    for (int i = 0; i < c->links; i++) {
        const struct body *b = &c->bodies[i];
        const double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i);
        l->kinetic_j += (b->mass * (v[0] * v[0] + v[1] * v[1]) + b->inertia * (v[2] * v[2])) / 2;
        l->potential_j +=
            b->mass * (c->world.gravity_m_s2 * at[1] - c->world.gravity_x_m_s2 * at[0]);
    }
}

static void constraint_reset_ledger(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    c->ledger = (struct ledger){0};
    set_energies(c);
    c->ledger.energy_start_j = c->ledger.kinetic_j + c->ledger.potential_j;
}

/* The extensions of the two linear joints of a free body, which have no mass: the way of its own joint
 * from the root's origin along each. */
static void set_free_coordinates(struct constraint *c, int i)
{
    const struct body *b = &c->bodies[i];
    const double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i);
    double sine, cosine;
    det_sincos(at[2], &sine, &cosine);
    double rx = cosine * b->own.x - sine * b->own.y, ry = sine * b->own.x + cosine * b->own.y;
    double x = at[0] + rx - c->q[0], y = at[1] + ry - c->q[1];
    double vx = v[0] - v[2] * ry, vy = v[1] + v[2] * rx;
    for (int link = b->parent; link > 0; link = c->bodies[link].parent) {
        struct vec2 axis = c->phenotype->links[link].axis;
        c->q[2 + link] = axis.x * x + axis.y * y;
        c->qd[2 + link] = axis.x * vx + axis.y * vy;
    }
}

/* Joint coordinates of the state, see dynamics.h. */
static void set_joint_coordinates(struct constraint *c)
{
    const struct body *root = &c->bodies[0];
    const double *at = c->y, *v = c->y + 3 * c->links;
    double sine, cosine;
    det_sincos(at[2], &sine, &cosine);
    double rx = cosine * root->own.x - sine * root->own.y;
    double ry = sine * root->own.x + cosine * root->own.y;
    c->q[0] = at[0] + rx;
    c->q[1] = at[1] + ry;
    c->q[2] = at[2];
    c->qd[0] = v[0] - v[2] * ry;
    c->qd[1] = v[1] + v[2] * rx;
    c->qd[2] = v[2];
    for (int i = 1; i < c->links; i++) {
        struct row row;
        touch_set_joint_row(c, i, &row);
        c->q[2 + i] = row.deviation;
        c->qd[2 + i] = row.rate;
    }
    for (int i = 1; i < c->links; i++)
        if (!c->bodies[i].has_joint && c->bodies[i].mass > 0)
            set_free_coordinates(c, i);
}

static void forget_touches(struct constraint *c)
{
    c->touch_count = c->point_count = c->mark_count = 0;
    c->penetration_m = 0;
    c->stiff_count = 0;
    c->is_stale = 1;
    c->h_s = c->settings.dt_s;
    c->last_error = 1;
    for (int i = 0; i < c->joints_max; i++)
        c->reference[i] = 0;
}

/* All links from joint coordinates. */
static void set_links(struct constraint *c, const double *q, const double *qd)
{
    for (int i = 0; i < c->links; i++) {
        const struct body *b = &c->bodies[i];
        double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i), sine, cosine;
        double x = q[0], y = q[1], vx = qd[0], vy = qd[1];
        struct vec2 slide = {0, 0};
        at[2] = q[2 + i];
        v[2] = qd[2 + i];
        if (i > 0) {
            /* the joint moves with the parent, and along it */
            const double *p = c->y + 3 * b->parent, *u = c->y + 3 * (c->links + b->parent);
            det_sincos(p[2], &sine, &cosine);
            double rx = cosine * b->parents.x - sine * b->parents.y;
            double ry = sine * b->parents.x + cosine * b->parents.y;
            if (b->is_linear) {
                double ex = cosine * b->axis.x - sine * b->axis.y;
                double ey = sine * b->axis.x + cosine * b->axis.y;
                rx += q[2 + i] * ex;
                ry += q[2 + i] * ey;
                slide.x = qd[2 + i] * ex;
                slide.y = qd[2 + i] * ey;
                at[2] = v[2] = 0;
            }
            at[2] += p[2];
            v[2] += u[2];
            x = p[0] + rx;
            y = p[1] + ry;
            vx = u[0] - u[2] * ry + slide.x;
            vy = u[1] + u[2] * rx + slide.y;
        }
        det_sincos(at[2], &sine, &cosine);
        double sx = -(cosine * b->own.x - sine * b->own.y);
        double sy = -(sine * b->own.x + cosine * b->own.y);
        at[0] = x + sx;
        at[1] = y + sy;
        v[0] = vx - v[2] * sy;
        v[1] = vy + v[2] * sx;
    }
    /* without mass nothing moves by itself */
    for (int i = 3 * c->links; i < 6 * c->links; i++)
        if (c->bodies[i / 3 - c->links].mass <= 0)
            c->y[i] = 0;
    touch_place(c, c->y);
}

static void constraint_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct constraint *c = constraint_of(dynamics);
    set_links(c, q, qd);
    forget_touches(c);
    for (int i = 0; i < c->dof; i++) {
        c->q[i] = q[i];
        c->qd[i] = qd[i];
    }
    if (c->phenotype->closure_count > 0 || c->has_motions) {
        system_close(c);
        set_joint_coordinates(c);
    }
    system_forgive_rounding(c);
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
    int points = 2 * parts * (parts + 1) + 8 * parts * world->obstacles.count;
    *c = (struct constraint){.base = {.solver = &dynamics_constraint},
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
    set_joint_coordinates(c);
    forget_touches(c);
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
    set_energies(c);
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

/* The state moves on by the step just tried. */
static void accept_step(struct constraint *c, double h)
{
    int at = 6 * c->links, kept = 0;
    for (int i = 1; i < c->links; i++)
        c->effector_work[i] += dormand_prince_integral(&c->rk, at + i, h);
    at += c->links;
    c->ledger.loss_drag_j += dormand_prince_integral(&c->rk, at++, h);
    c->ledger.loss_damping_j += dormand_prince_integral(&c->rk, at++, h);
    for (int i = 0; i < c->touch_count; i++, at += 4) {
        double impulse[2] = {dormand_prince_integral(&c->rk, at, h),
                             dormand_prince_integral(&c->rk, at + 2, h)};
        double work[2] = {dormand_prince_integral(&c->rk, at + 1, h),
                          dormand_prince_integral(&c->rk, at + 3, h)};
        system_book_touch(c, &c->touches[i], impulse, work, 0);
    }
    system_keep_forces(c);
    for (int i = 0; i < c->touch_count; i++)
        if (touch_is_on_face(c, &c->touches[i]))
            c->touches[kept++] = c->touches[i];
    c->is_stale |= kept < c->touch_count;
    c->touch_count = kept;
    dormand_prince_accept(&c->rk, &c->y);
}

/* ---------------------------------------------------------------- events */

/* 1 if a touch does what it may not: pull, stick beyond the cone, slide backwards. */
static int is_touch_wrong(const struct constraint *c, const struct touch *t, double error)
{
    error += ACCELERATION_ERROR * system_row_mass(c, &t->rows[0]);
    if (t->force[0] < -error)
        return 1;
    if (t->part < 0 || touch_friction(c, t) == 0)
        return 0;
    if (t->mode == TOUCH_SLIDES)
        return t->rows[1].rate * t->direction < t->floor;
    return fabs(t->force[1]) > touch_friction(c, t) * t->force[0] + error;
}

static double force_error(const struct constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->touch_count; i++)
        sum += fabs(c->touches[i].force[0]) + fabs(c->touches[i].force[1]);
    return FORCE_SHARE * sum;
}

static int has_wrong_touch(const struct constraint *c)
{
    double error = force_error(c);
    for (int i = 0; i < c->touch_count; i++)
        if (is_touch_wrong(c, &c->touches[i], error))
            return 1;
    return 0;
}

/* 1 if something that rests without pressing should press, at the placed state. Fills found[]. */
static int has_new_touch(struct constraint *c)
{
    touch_find(c, c->epsilon_m);
    for (int i = 0; i < c->found_count; i++)
        if (!touch_pressing(c, c->found[i].key) && !system_is_stiff(c, c->found[i].key) &&
            system_wants_to_press(c, &c->found[i]))
            return 1;
    return 0;
}

/* Lists what penetrates at the placed state, among found[], and does not press: the proposal's I. */
static int find_pierced(struct constraint *c)
{
    double depth = fmax(PIERCE_SHARE * c->epsilon_m, PIERCE_M);
    int count = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct row *row = &c->found[i].rows[0];
        if (row->deviation < -depth && row->rate < -TOUCH_REST_SPEED &&
            !touch_pressing(c, c->found[i].key) && !system_is_stiff(c, c->found[i].key))
            c->found[count++].key = c->found[i].key;
    }
    return count;
}

static void keep_pierced(struct constraint *c, int count)
{
    c->pierced_count = count;
    for (int i = 0; i < count; i++)
        c->pierced[i] = c->found[i].key;
}

/* 1 if one of the pairs that penetrate later is within epsilon at the placed state. */
static int is_pierced_near(struct constraint *c)
{
    touch_find(c, c->epsilon_m);
    for (int i = 0; i < c->found_count; i++)
        for (int j = 0; j < c->pierced_count; j++)
            if (c->found[i].key == c->pierced[j])
                return 1;
    return 0;
}

enum step_end { STEP_FREE, STEP_COLLIDES, STEP_CHANGES };

/* What is wrong at the end of the step just tried. */
static enum step_end judge_step(struct constraint *c)
{
    int is_changed = has_new_touch(c) || has_wrong_touch(c);
    int count = find_pierced(c);
    if (!is_changed && count == 0)
        return STEP_FREE;
    keep_pierced(c, count);
    return is_changed ? STEP_CHANGES : STEP_COLLIDES;
}

/* The step just tried, of h, ends badly: bisects for the first instant at which it does, and takes the
 * step to there. Returns its length; 0 if there is none. */
static double step_to_event(struct constraint *c, double ahead, double h, enum step_end *end)
{
    double low = 0, high = h, tried = h;
    while (high - low > (*end == STEP_COLLIDES ? COLLISION_S : EVENT_S)) {
        tried = (low + high) / 2;
        dormand_prince_try(&c->rk, c->y, ahead, tried);
        enum step_end found = judge_step(c);
        if (found != STEP_FREE) {
            high = tried;
            *end = found;
            continue;
        }
        low = tried;
        if (*end == STEP_COLLIDES && is_pierced_near(c))
            break;
    }
    double to = *end == STEP_COLLIDES ? low : high;
    if (to == 0)
        return 0;
    if (to != tried)
        dormand_prince_try(&c->rk, c->y, ahead, to);
    accept_step(c, to);
    return to;
}

/* Frees touches that pull; those that hold too much slide. */
static void mend_modes(struct constraint *c)
{
    double error = force_error(c);
    int kept = 0;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        if (is_touch_wrong(c, t, error)) {
            if (t->force[0] < 0)
                continue;
            t->direction = t->mode == TOUCH_SLIDES ? -t->direction : t->force[1] > 0 ? -1 : 1;
            t->floor = fmin(0, t->rows[1].rate * t->direction) - c->turn_speed_m_s;
            t->mode = TOUCH_SLIDES;
        }
        c->touches[kept++] = *t;
    }
    c->touch_count = kept;
}

/* Makes the first stage, with touches that do what they may. Returns 0, or 1 if that fails. */
static int start_step(struct constraint *c, double ahead)
{
    int is_chosen = 0;
    for (int i = 0; i < MENDS_MAX; i++) {
        if (c->is_stale) {
            if (system_choose_modes(c, ahead) != 0)
                return 1;
            c->is_stale = 0;
            is_chosen = 1;
        }
        derive(c, c->y, ahead, c->rk.k[0]);
        if (!has_wrong_touch(c) && !has_new_touch(c))
            return 0;
        if (is_chosen)
            mend_modes(c);
        else
            c->is_stale = 1;
    }
    c->is_stale = 1;
    return 1;
}

/* ---------------------------------------------------------------- steps */

/* The next step's length from the error of one of length h. */
static double next_length(struct constraint *c, double h, double error)
{
    error = error > 1e-10 ? error : 1e-10;
    double factor = 0.9 * det_pow(error, -0.14) * det_pow(c->last_error, 0.08);
    c->last_error = error > 1e-4 ? error : 1e-4;
    factor = factor > 5 ? 5 : factor < 0.2 ? 0.2 : factor;
    return h * factor;
}

/* The longest step that may be tried. */
static double longest_step(const struct constraint *c, double remaining)
{
    double longest = c->h_s, top = touch_top_speed(c);
    double way = WAY_SHARE * fmax(c->thinnest_m, THINNEST_WAY_M);
    if (c->settings.integrator != INTEGRATOR_RK4 && top * longest > way)
        longest = way / top;
    if (longest < STEP_LEAST_S)
        longest = STEP_LEAST_S;
    /* no tiny last step */
    return remaining < 1.01 * longest ? remaining : longest;
}

/* Moves on by at most `remaining`, the first stage being made; returns how far. *is_event: ended by
 * one. */
static double advance(struct constraint *c, double ahead, double remaining, int *is_event)
{
    *is_event = 0;
    for (;;) {
        double h = longest_step(c, remaining), error = dormand_prince_try(&c->rk, c->y, ahead, h);
        if (!(error <= 1) && h > STEP_LEAST_S) {
            double factor = isfinite(error) ? 0.9 * det_pow(error, -0.2) : 0.1;
            c->h_s = h * (factor > 0.1 ? factor : 0.1);
            continue;
        }
        if (!isfinite(error)) {
            /* nothing to be done: the caller sees a state that is not finite */
            accept_step(c, h);
            return remaining;
        }
        enum step_end end = judge_step(c);
        if (end == STEP_FREE) {
            double next = next_length(c, h, error);
            if (h == remaining && next < c->h_s)
                next = error > 0.5 ? next : c->h_s;
            c->h_s = next < c->settings.dt_s ? next : c->settings.dt_s;
            accept_step(c, h);
            return h;
        }
        *is_event = 1;
        h = step_to_event(c, ahead, h, &end);
        if (end == STEP_COLLIDES)
            system_collide(c);
        c->is_stale = 1;
        return h;
    }
}

/* Contacts of the step, and things that are near, for sensors and traces. */
static void report_touches(struct constraint *c)
{
    touch_place(c, c->y);
    touch_find(c, NEAR_M);
    c->point_count = 0;
    c->penetration_m = 0;
    for (int i = 0; i < c->mark_count; i++)
        if (c->marks[i].point.normal_impulse_n_s > 0)
            c->points[c->point_count++] = c->marks[i].point;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        int at = 0;
        if (t->part < 0)
            continue;
        c->penetration_m = fmax(c->penetration_m, -t->rows[0].deviation);
        while (at < c->mark_count &&
               (c->marks[at].key != t->key || c->marks[at].point.normal_impulse_n_s <= 0))
            at++;
        if (at == c->mark_count)
            c->points[c->point_count++] =
                (struct contact_point){.part = t->part,
                                       .other_creature = t->other < 0 ? -1 : 0,
                                       .other = t->other,
                                       .at = vec3_of_plane(t->at),
                                       .normal = vec3_of_plane(t->normal),
                                       .gap_m = t->rows[0].deviation};
    }
}

static void book_effectors(struct constraint *c)
{
    for (int i = 1; i < c->links; i++) {
        c->ledger.work_effector_j += c->effector_work[i];
        if (c->effector_work[i] > 0)
            c->ledger.work_effector_positive_j += c->effector_work[i];
        c->effector_work[i] = 0;
    }
}

static int is_spent(const struct constraint *c)
{
    return c->settings.work_max > 0 && c->base.work > c->settings.work_max;
}

/* All of one dt_s; returns the number of steps by impulses that it took. */
static int advance_all(struct constraint *c)
{
    double dt = c->settings.dt_s, done = 0, short_step = dt / IMPULSE_STEPS;
    int events = 0, crowd = 0, impulse_steps = 0;
    while (done < dt && !is_spent(c)) {
        double remaining = dt - done;
        if (events > EVENTS_MAX || crowd > CROWD_COUNT || start_step(c, done) != 0) {
            double h = remaining < 1.01 * short_step ? remaining : short_step;
            system_step_by_impulses(c, done, h);
            done = h == remaining ? dt : done + h;
            crowd = 0;
            impulse_steps++;
            continue;
        }
        int is_event;
        double h = advance(c, done, remaining, &is_event);
        done = h == remaining ? dt : done + h;
        events += is_event;
        crowd = is_event && h < CROWDED_S ? crowd + 1 : 0;
    }
    return impulse_steps;
}

/* Pushing parts apart at birth is no motion of the creature but part of its making. It is left to the
 * other solver, so that both start from the same pose. */
static int push_apart(struct constraint *c)
{
    const struct dynamics_solver *solver = c->pusher->solver;
    uint64_t before = c->pusher->work;
    int status = solver->step(c->pusher);
    c->base.work += c->pusher->work - before;
    if (status != 0)
        return 1;
    constraint_set_state(&c->base, solver->q(c->pusher), solver->qd(c->pusher));
    report_touches(c);
    return 0;
}

/* Finds what is exposed to drag until the next dt_s, as in the other solver. */
static void expose_drag(struct constraint *c)
{
    touch_place(c, c->y);
    for (int i = 0; i < c->parts; i++)
        touch_place_box(c, i, &c->boxes[i]);
    drag_expose(&c->viscosity, c->boxes);
}

static int constraint_step(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    if (c->is_pushing)
        return push_apart(c);
    if (c->viscosity.kind >= DRAG_EXPOSED && c->viscosity.has_exposure)
        expose_drag(c);
    c->mark_count = 0;
    c->steps++;
    c->free_steps += advance_all(c) == 0;
    book_effectors(c);
    touch_place(c, c->y);
    set_joint_coordinates(c);
    report_touches(c);
    for (int i = 1; i < c->links; i++)
        servo_advance(&c->servos[i], c->settings.dt_s);
    double sum = 0;
    for (int i = 0; i < 6 * c->links; i++)
        sum += fabs(c->y[i]);
    return isfinite(sum) ? 0 : 1;
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
