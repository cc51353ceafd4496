/* See spatial_state.h. */
#include "simulator/links/spatial_state.h"

#include "common/error.h"

int spatial_state_init(struct spatial_state *s, const struct dynamics_solver *solver,
                       spatial_tree_finder *find_tree, const struct spatial_tree *form,
                       const struct dynamics_settings *settings, struct arena *arena)
{
    size_t rates = (size_t)form->rates;
    ENSURE(settings->dt_s > 0, "steps of %g s", settings->dt_s);
    s->dynamics.solver = solver;
    s->find_tree = find_tree;
    s->settings = *settings;
    s->form = form;
    s->q = arena_take(arena, (size_t)form->coordinates, sizeof s->q[0]);
    s->qd = arena_take(arena, rates, sizeof s->qd[0]);
    s->dynamics.still = arena_take(arena, rates, sizeof(double));
    s->link_of = arena_take(arena, rates, sizeof s->link_of[0]);
    s->servos = arena_take(arena, rates, sizeof s->servos[0]);
    s->torque = arena_take(arena, rates, sizeof s->torque[0]);
    s->birth_inertia = arena_take(arena, rates, sizeof s->birth_inertia[0]);
    if (arena->is_exhausted)
        return ERR_MEMORY;
    s->dynamics.substeps = 1;
    s->dynamics.dof = form->rates;
    s->dynamics.root_slides = 3;
    s->dynamics.q = s->q;
    s->dynamics.qd = s->qd;
    for (int i = 0; i < form->count; i++)
        for (int k = 0; k < form->links[i].rates; k++)
            s->link_of[form->links[i].rate + k] = i;
    spatial_tree_birth(form, s->q);
    return 0;
}

static const struct spatial_tree_link *link_of(const struct spatial_state *s, int rate)
{
    ENSURE(rate >= 0 && rate < s->form->rates, "rate %d of %d", rate, s->form->rates);
    return &s->form->links[s->link_of[rate]];
}

void spatial_state_set_servo(struct spatial_state *s, int rate, const struct servo *servo)
{
    ENSURE(rate >= 0 && rate < s->form->rates, "a servo of rate %d of %d", rate, s->form->rates);
    ENSURE(servo->law >= SERVO_EFFECTOR && servo->law <= SERVO_MOTION, "a servo of law %d",
           servo->law);
    s->servos[rate] = *servo;
    dynamics_heed_servos(&s->dynamics);
}

void spatial_state_set_effector(struct spatial_state *s, int rate, double strength)
{
    const struct spatial_tree_link *l = link_of(s, rate);
    struct muscle muscle = {1, rate - l->rate < l->slides, strength};
    struct servo servo = {.law = SERVO_EFFECTOR};
    servo_init(&servo, &muscle, s->birth_inertia[rate], &s->settings,
               s->settings.joint_damping_1_s);
    spatial_state_set_servo(s, rate, &servo);
}

void spatial_state_find_ways(const struct spatial_state *s, const struct spatial_tree_link *l,
                             const struct body_link *link, const double *q, double ahead,
                             double way[JOINT_RATES_MAX], double change[JOINT_RATES_MAX])
{
    int plain = spatial_tree_plain(l);
    double target[JOINT_RATES_MAX];
    for (int k = 0; k < l->rates; k++) {
        int is_plain = k < plain;
        servo_target(&s->servos[l->rate + k], s->dynamics.effectors,
                     is_plain ? link->lower[k] : -HUGE_VAL, is_plain ? link->upper[k] : HUGE_VAL,
                     ahead, &target[k], &change[k]);
        if (is_plain)
            way[k] = target[k] - q[l->coordinate + k];
    }
    if (!l->joint->has_ball)
        return;
    const double *to = target + plain;
    struct quaternion ball = quaternion_read(q + l->coordinate + plain);
    struct quaternion aim = quaternion_exp((struct vec3){to[0], to[1], to[2]});
    struct vec3 off = quaternion_log(quaternion_product(quaternion_back(aim), ball));
    way[plain] = -off.x;
    way[plain + 1] = -off.y;
    way[plain + 2] = -off.z;
}

double spatial_state_value(const struct spatial_state *s, int rate)
{
    const struct spatial_tree_link *l = link_of(s, rate);
    int k = rate - l->rate, plain = spatial_tree_plain(l);
    const double *at = s->q + l->coordinate;
    if (k < plain)
        return at[k];
    struct vec3 v = quaternion_log(quaternion_read(at + plain));
    return k == plain ? v.x : k == plain + 1 ? v.y : v.z;
}

/* ---------------------------------------------------------------- surroundings */

static void place_obstacle(struct solid *solid, const struct obstacle *obstacle, double half_depth)
{
    struct mat3 turn =
        quaternion_matrix(quaternion_about((struct vec3){0, 0, 1}, obstacle->angle_rad));
    struct vec3 half = {obstacle->width_m / 2, obstacle->height_m / 2, half_depth};
    solids_place(solid, (struct vec3){obstacle->x_m, obstacle->y_m, 0}, &turn, half);
}

void spatial_world_set(struct spatial_world *to, const struct world *world)
{
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    to->gravity_m_s2 = world_gravity(world);
    to->drag = (struct spatial_drag_law){.coefficient = is_quadratic ? world->quadratic_drag_kg_m3
                                                                     : world->viscosity_pa_s_m,
                                         .is_quadratic = is_quadratic,
                                         .is_leading = world->drag_faces == DRAG_FACES_LEADING,
                                         .has_exposure = world->drag_exposure};
    to->surfaces.has_ground = world->has_ground;
    to->surfaces.relief = world->relief;
    to->surfaces.friction = world->friction;
    to->surfaces.elasticity = world->elasticity;
    to->surfaces.own_friction = world->own_friction;
    to->surfaces.own_elasticity = world->own_elasticity;
    to->surfaces.fixed_count = world->obstacles.count + world->solid_count;
}

int spatial_world_create(struct spatial_world *to, const unsigned char *meetings,
                         const struct world *world, struct arena *arena)
{
    int count = world->obstacles.count;
    struct solid *fixed = arena_take(arena, (size_t)(count + world->solid_count), sizeof fixed[0]);
    if (!fixed)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++)
        place_obstacle(&fixed[i], &world->obstacles.list[i], world->half_depth_m);
    for (int i = 0; i < world->solid_count; i++)
        fixed[count + i] = world->solids[i];
    *to = (struct spatial_world){.surfaces = {.fixed = fixed, .meetings = meetings}};
    spatial_world_set(to, world);
    return 0;
}

static int may_collide(const struct spatial_tree_link *one, const struct spatial_tree_link *two,
                       unsigned char meeting)
{
    int are_joined = one->up == two || two->up == one;
    return spatial_tree_piece(one) != spatial_tree_piece(two) && meeting != PAIR_PASS &&
           (meeting != PAIR_USUAL || !are_joined);
}

void spatial_surfaces_list(const struct spatial_surfaces *s, const struct spatial_tree *tree,
                           const struct body_box *boxes, int box_count,
                           void (*add)(void *to, int a, int b), void *to)
{
    for (int a = 0; a < box_count; a++) {
        const struct spatial_tree_link *own = spatial_surfaces_link(tree, &boxes[a]);
        int is_moving = spatial_tree_piece(own)->up != NULL;
        if (is_moving && s->has_ground)
            add(to, a, CONTACT_GROUND);
        for (int k = 0; k < s->fixed_count && is_moving; k++)
            add(to, a, CONTACT_OBSTACLE - k);
        for (int b = a + 1; b < box_count; b++)
            if (may_collide(own, spatial_surfaces_link(tree, &boxes[b]),
                            pair_meeting(s->meetings, box_count, a, b)))
                add(to, a, b);
    }
}
