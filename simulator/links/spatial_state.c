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
