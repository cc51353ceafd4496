/* Contacts and joint limits: the impulses of single steps against the conditions that define them,
 * and motions with closed forms: sliding, rest, bounces, stops, limits beyond a turn. Comments say
 * what was measured. runs: watched */
#include "simulator/planar/contacts/contacts.h"

#include "tests/unit/stage_fixture.h"

enum { DOF = BODY_DOF_MAX };

static struct rng rng;

static void setup(void)
{
    stage_open(&stage);
    rng_init(&rng, 23, RNG_TEST, 0, 1);
}

static void use_land(double friction, double elasticity)
{
    stage.world = land_of(friction, elasticity);
}

/* A box with its lowest side at a height, moving. */
static void build_box(double width_m, double height_m, double mass_kg, double lowest_m,
                      const double qd[3])
{
    double q[DOF] = {0, lowest_m + height_m / 2, 0};
    body_init_box(&stage.body, width_m, height_m, mass_kg);
    stage_start(&stage, q, qd);
}

static double total_gain(const struct ledger *l)
{
    return l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j;
}

/* ---------------------------------------------------------------- one solution of the impulses */

struct system {
    struct tree tree;
    struct contacts contacts;
    struct dynamics dynamics;
};
static struct system sys;
/* rates at which nothing turns on within the step */
static double still[DOF];

static int create_contacts(struct arena *arena)
{
    return contacts_create(&sys.contacts, &sys.dynamics, &stage.body.phenotype, &sys.tree,
                           &stage.world, &stage.settings, arena);
}

/* A random body, a random pose with its lowest point near the ground, random rates. */
static void draw_system(int most, double *q, double *qd)
{
    arena_reset(&stage.arena);
    body_init_random(&stage.body, most, &rng);
    ck_assert_int_eq(tree_create(&sys.tree, &stage.body.phenotype, 0, &stage.arena), 0);
    ck_assert_int_eq(create_contacts(&stage.arena), 0);
    for (int i = 0; i < sys.tree.dof; i++) {
        q[i] = rng_uniform(&rng, -2, 2);
        qd[i] = rng_uniform(&rng, -2, 2);
    }
    q[1] = 0;
    tree_set_pose(&sys.tree, q);
    double lowest = HUGE_VAL;
    for (int i = 0; i < stage.body.phenotype.part_count; i++) {
        struct box box;
        contacts_place_box(&sys.contacts.own, i, &box);
        lowest = fmin(lowest, collide_lowest(&box));
    }
    q[1] = rng_uniform(&rng, -0.005, 0.005) - lowest;
    qd[1] -= 1;
    tree_set_pose(&sys.tree, q);
}

/* Only the ground: parts of random bodies overlap wildly, which no impulses can resolve. */
static void find_ground_only(double *q, double *qd, double *kick)
{
    struct contact_body *own = &sys.contacts.own;
    own->pair_count = 0;
    own->q_middle = q;
    own->kick = kick;
    for (int i = 0; i < PLANE_MOMENTS; i++)
        own->rates[i] = i == PLANE_MIDDLE ? still : qd;
    contacts_find(&sys.contacts);
}

/* Normal and tangential velocity of a contact for rates qd, from the links' motion. */
static void contact_speed(const struct contact *c, const double *qd, double *vn, double *vt)
{
    tree_set_velocity(&sys.tree, qd);
    const struct tree_link *l = c->a;
    struct motion v = l->velocity;
    double rx = c->at.x - sys.tree.root_x - l->px, ry = c->at.y - sys.tree.root_y - l->py;
    double x = v.x - v.w * ry, y = v.y + v.w * rx;
    *vn = x * c->normal.x + y * c->normal.y;
    *vt = x * c->normal.y - y * c->normal.x;
}

/* Signorini's and Coulomb's conditions. */
static void check_conditions(const double *after)
{
    double mu = stage.world.friction;
    for (int i = 0; i < sys.contacts.count; i++) {
        const struct contact *c = &sys.contacts.list[i];
        const double *impulse = sys.contacts.impulses.impulse + c->first_row;
        double bound = sys.contacts.impulses.laws[i].bound, vn, vt;
        ck_assert_int_ge(c->part, 0);
        contact_speed(c, after, &vn, &vt);
        ck_assert_double_ge(impulse[0], 0);
        ck_assert_double_le(fabs(impulse[1]), mu * impulse[0]);
        ck_assert_double_ge(vn, bound - 1e-6);
        if (impulse[0] > 1e-9)
            ck_assert_double_eq_tol(vn, bound, 1e-6);
        if (fabs(impulse[1]) < mu * impulse[0] * (1 - 1e-9))
            ck_assert_double_eq_tol(vt, 0, 1e-6);
        else if (impulse[0] > 1e-9 && fabs(vt) > 1e-6)
            ck_assert_double_le(vt * impulse[1], 0);
    }
}

TEST(impulses_meet_signorini_and_coulomb)
{
    int contacts = 0, bodies = 0;
    for (int i = 0; i < 400; i++) {
        double q[DOF], qd[DOF], after[DOF], kick[DOF];
        use_land(rng_uniform(&rng, 0, 1.2), 0);
        draw_system(6, q, qd);
        find_ground_only(q, qd, kick);
        if (sys.contacts.count == 0)
            continue;
        contacts_prepare(&sys.contacts, 0);
        contacts_solve(&sys.contacts);
        for (int k = 0; k < sys.tree.dof; k++)
            after[k] = qd[k] + kick[k];
        check_conditions(after);
        contacts += sys.contacts.count;
        bodies++;
    }
    ck_assert_int_gt(bodies, 200);
    ck_assert_int_gt(contacts, 300);
}

/* Newton's restitution with friction can create energy; such impacts are solved again without. */
TEST(impacts_never_create_energy)
{
    int impacts = 0;
    for (int i = 0; i < 3000; i++) {
        double q[DOF], qd[DOF], kick[DOF], after[DOF];
        struct ledger *ledger = &sys.dynamics.ledger;
        *ledger = (struct ledger){.energy_start_j = 0};
        use_land(rng_uniform(&rng, 0, 2), rng_uniform(&rng, 0.3, 1));
        draw_system(3, q, qd);
        find_ground_only(q, qd, kick);
        if (sys.contacts.count == 0)
            continue;
        contacts_prepare(&sys.contacts, 1);
        int is_pushed = 0;
        for (int k = 0; k < sys.contacts.count; k++) {
            is_pushed |= sys.contacts.impulses.laws[k].is_push_out;
            impacts += sys.contacts.list[k].is_impact;
        }
        contacts_solve(&sys.contacts);
        if (contacts_need_one_instant(&sys.contacts)) {
            contacts_prepare(&sys.contacts, 0);
            contacts_solve(&sys.contacts);
        }
        contacts_book(&sys.contacts);
        tree_set_velocity(&sys.tree, qd);
        double before = tree_kinetic_energy(&sys.tree);
        for (int k = 0; k < sys.tree.dof; k++)
            after[k] = qd[k] + kick[k];
        tree_set_velocity(&sys.tree, after);
        double change = tree_kinetic_energy(&sys.tree) - before;

        /* the ledger has it all */
        double booked = total_gain(ledger) - ledger->loss_friction_j - ledger->loss_impact_j;
        ck_assert_double_eq_tol(change, booked, 1e-9 * (1 + before));
        if (!is_pushed)
            ck_assert_double_le(change, 1e-9);
    }
    ck_assert_int_gt(impacts, 1000);
}

TEST(examination_sees_what_touches_and_what_may)
{
    double q[DOF] = {0, 1, 0, 0}, qd[DOF] = {0};
    const struct body_part parts[] = {
        {ROOT(0.4, 0.2, 1)},
        {PART(0, 0.5, 0, 0.4, 0.1, 1), ANCHOR(0.25, 0), .lower_rad = -1, .upper_rad = 1}};
    use_land(0.8, 0);
    body_init(&stage.body, parts, 2);
    tree_create(&sys.tree, &stage.body.phenotype, 0, &stage.arena);
    create_contacts(&stage.arena);
    struct {
        double y, vy, angle, rate;
        int may_touch, is_violated;
    } cases[] = {
        {1, 0, 0, 0, 0, 0},      {1, -1, 0, 0, 0, 0},     {0.102, 0, 0, 0, 0, 0},
        {0.102, -1, 0, 0, 1, 0}, {0.1005, 0, 0, 0, 1, 0}, {0.0999, 0, 0, 0, 1, 1},
        {1, 0, 0.99, 0, 0, 0},   {1, 0, 0.99, 5, 1, 0},   {1, 0, 1.001, 0, 1, 1},
        {1, 0, -1.001, 0, 1, 1}, {1, 0, -0.99, -5, 1, 0}, {1, -300, 0, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        q[1] = cases[i].y;
        qd[1] = cases[i].vy;
        q[3] = cases[i].angle;
        qd[3] = cases[i].rate;
        tree_set_pose(&sys.tree, q);
        tree_set_velocity(&sys.tree, qd);
        struct clearance c = contacts_examine(&sys.contacts.own, q, qd);
        ck_assert_msg(!c.may_touch == !cases[i].may_touch, "case %zu: may_touch %d", i,
                      c.may_touch);
        ck_assert_msg(!c.is_violated == !cases[i].is_violated, "case %zu: is_violated", i);
    }
}

TEST(overlap_counts_all_but_parents_and_children)
{
    /* three boxes in a row, 0.1 m into one another, and a rigid one on the last's back */
    double q[DOF] = {0}, qd[DOF] = {0};
    body_init_chain(&stage.body, 3, 0.5, 0.2, 1);
    stage_build(&stage);
    ck_assert_double_eq(dynamics_overlap(stage.dynamics), 0);
    q[3] = BODY_PI / 2;
    q[4] = BODY_PI / 2;
    stage_set(&stage, q, qd);
    ck_assert_double_eq(dynamics_overlap(stage.dynamics), 0);

    /* folded twice: the third lies in the first, but for the rise of the second */
    q[3] = BODY_PI - 0.1;
    q[4] = BODY_PI + 0.1;
    stage_set(&stage, q, qd);
    ck_assert_double_eq_tol(dynamics_overlap(stage.dynamics), 0.2 - 0.5 * sin(0.1), 1e-9);

    const struct body_part rigid[] = {{ROOT(0.4, 0.2, 1)},
                                      {PART(0, 0.4, 0, 0.4, 0.2, 1), .is_rigid = 1},
                                      {PART(1, 0.15, 0, 0.2, 0.1, 1), .is_rigid = 1}};
    body_init(&stage.body, rigid, 3);
    stage_build(&stage);
    ck_assert_double_eq_tol(dynamics_overlap(stage.dynamics), 0.15, 1e-12);
}

/* ---------------------------------------------------------------- blocks on the ground */

/* A block does not sink, slide or turn in 10 s, and the step stays the contact's one. */
TEST(a_block_at_rest_stays_at_rest)
{
    static const double qd[3] = {0};
    use_land(0.8, 0.3);
    build_box(0.6, 0.2, 1, 0, qd);
    stage_run(&stage, 10);
    struct part_state state = stage_part(&stage, 0);
    ck_assert_double_eq_tol(state.at_m.y, 0.1, 1e-6);
    ck_assert_double_eq_tol(state.at_m.x, 0, 1e-9);
    ck_assert_double_eq_tol(state.angle_rad, 0, 1e-9);
    ck_assert_double_lt(stage.dynamics->touches.penetration_m, 1e-3);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_lt(fabs(l->residual_j), 1e-6);
    ck_assert_double_lt(total_gain(l), 1e-6);

    /* both corners carry half the weight */
    const struct contact_point *points;
    ck_assert_int_eq(dynamics_contacts(stage.dynamics, &points), 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(points[i].part, 0);
        ck_assert_int_eq(points[i].other, -1);
        ck_assert_double_eq_tol(points[i].normal_impulse_n_s * 240, BODY_GRAVITY / 2, 1e-3);
        ck_assert_double_eq_tol(points[i].friction_impulse_n_s * 240, 0, 1e-6);
        ck_assert_double_eq(points[i].normal.y, 1);
    }
}

/* A pile of links at rest needs hardly a sweep once the impulses of the last step are known. */
TEST(warm_starts_carry_a_resting_body_with_one_sweep)
{
    double q[DOF] = {0, 0.05}, qd[DOF] = {0};
    use_land(0.8, 0);
    stage.settings.contact_sweeps = 1;
    body_init_chain(&stage.body, 5, 0.4, 0.1, 0.5);
    stage_start(&stage, q, qd);
    stage_run(&stage, 2);
    double sum = 0;
    const struct contact_point *points;
    int count = dynamics_contacts(stage.dynamics, &points);
    for (int i = 0; i < count; i++)
        sum += points[i].normal_impulse_n_s * 240;
    ck_assert_double_eq_tol(sum, 2.5 * BODY_GRAVITY, 0.05);
    ck_assert_double_lt(stage.dynamics->touches.penetration_m, 1e-3);
    for (int i = 2; i < 7; i++)
        ck_assert_double_eq_tol(stage.dynamics->q[i], 0, 0.01);
}

/* A deep block is pushed out no faster than 5 cm/s, to within the slop; the energy is booked. */
TEST(penetration_is_pushed_out_slowly)
{
    static const double qd[3] = {0};
    double fastest = 0;
    use_land(0.8, 0);
    build_box(0.6, 0.2, 1, -0.02, qd);
    for (int i = 0; i < 480; i++) {
        stage_run(&stage, stage.settings.dt_s);
        fastest = fmax(fastest, stage_part(&stage, 0).velocity_m_s.y);
    }
    double depth = 0.1 - stage_part(&stage, 0).at_m.y;
    ck_assert_double_le(fastest, 0.05 + 1e-6);
    ck_assert_double_ge(fastest, 0.04);
    ck_assert_double_le(depth, 1.2e-3);
    ck_assert_double_ge(depth, 0);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->gain_push_out_j, BODY_GRAVITY * 0.019, 0.01);
    ck_assert_double_lt(fabs(l->residual_j), 1e-4);

    /* while pushing parts apart the speed is another */
    build_box(0.6, 0.2, 1, -0.02, qd);
    dynamics_set_push_out(stage.dynamics, 0.5);
    stage_run(&stage, 1);
    ck_assert_double_eq_tol(stage_part(&stage, 0).at_m.y, 0.1, 1e-3);
}

/* Dropped flat with e = 0 a box stays down; nothing sinks in at any speed of impact. */
TEST_LOOP(a_box_dropped_without_elasticity_stays_down, 0, 4)
{
    static const double speeds[] = {0, 1, 5, 25};
    double qd[3] = {0, -speeds[_i], 0}, deepest = 0, highest_after = 0;
    use_land(0.8, 0);
    build_box(0.4, 0.2, 1, 0.5, qd);
    for (int step = 0; step < 480; step++) {
        stage_run(&stage, stage.settings.dt_s);
        deepest = fmax(deepest, stage.dynamics->touches.penetration_m);
        if (step > 120)
            highest_after = fmax(highest_after, stage_part(&stage, 0).at_m.y);
    }
    ck_assert_double_lt(deepest, 1e-3);
    ck_assert_double_le(highest_after, 0.1 + 1e-6);

    /* all the energy went into the impact */
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    double energy = 0.5 * speeds[_i] * speeds[_i] + BODY_GRAVITY * 0.5;
    ck_assert_double_eq_tol(l->loss_impact_j, energy, 0.01 * energy);
    ck_assert_double_lt(fabs(l->residual_j), 1e-4 * energy);
}

/* How far part 0 rises above a height at most in a second, after it has begun to rise. */
static double rebound(double rest_m)
{
    double highest = 0;
    int has_hit = 0;
    for (double time_s = 0; time_s < 1 - 1e-9; time_s += stage.settings.dt_s) {
        stage_run(&stage, stage.settings.dt_s);
        has_hit |= stage_part(&stage, 0).velocity_m_s.y > 0;
        if (has_hit)
            highest = fmax(highest, stage_part(&stage, 0).at_m.y - rest_m);
    }
    return highest;
}

/* Contacts only take energy: chains thrown on the ground. One contact of several that act at once
 * may do positive work at the cost of the others, which the ledger counts as unearned: measured up
 * to 5 % of the energy, in a chain folded upon itself, but below 1 % in 38 of 40. */
TEST(contacts_only_take_energy)
{
    double most = 0;
    int gaining = 0;
    for (int i = 0; i < 40; i++) {
        double q[DOF] = {0}, qd[DOF] = {0};
        use_land(rng_uniform(&rng, 0, 1.5), i % 2 ? 0.5 : 0);
        body_init_chain(&stage.body, 2 + i % 4, 0.4, 0.12, 0.2);
        stage_build(&stage);
        int dof = stage.dynamics->dof;
        for (int k = 3; k < dof; k++)
            q[k] = rng_uniform(&rng, -0.6, 0.6);
        q[1] = 1.5;
        qd[0] = rng_uniform(&rng, -3, 3);
        qd[2] = rng_uniform(&rng, -3, 3);
        stage_set(&stage, q, qd);
        double start = stage_energy(&stage);
        for (int tick = 0; tick < 200; tick++) {
            stage_run(&stage, 4 * stage.settings.dt_s);
            const struct ledger *l = dynamics_ledger(stage.dynamics);
            most = fmax(most, (l->kinetic_j + l->potential_j - start) / start);
            ck_assert_double_ge(l->loss_friction_j, 0);
            ck_assert_double_ge(l->loss_impact_j, 0);
        }
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        ck_assert_double_gt(l->loss_friction_j + l->loss_impact_j, 0.1 * start);
        ck_assert_double_lt(fabs(l->residual_j), 0.02 * start);
        ck_assert_double_lt(total_gain(l), 0.1 * start);
        gaining += total_gain(l) > 0.01 * start;
    }
    ck_assert_double_lt(most, 1e-5);
    ck_assert_int_le(gaining, 4);
}

/* ---------------------------------------------------------------- own parts */

/* A trunk with two arms on its top that swing towards one another. */
static void build_arms(double gap_m, double rate, double friction)
{
    const struct body_part parts[] = {
        {ROOT(1, 0.2, 5)},
        {PART(0, -gap_m / 2, 0.4, 0.1, 0.6, 0.5), ANCHOR(-gap_m / 2, 0.1)},
        {PART(0, gap_m / 2, 0.4, 0.1, 0.6, 0.5), ANCHOR(gap_m / 2, 0.1)}};
    double q[DOF] = {0, 5}, qd[DOF] = {0, 0, 0, -rate, rate};
    stage.world = (struct world){.own_friction = friction};
    body_init(&stage.body, parts, 3);
    stage_start(&stage, q, qd);
}

/* Measured: 5.2 mm deep at most for a step, at tip speeds of 6 to 24 m/s. */
TEST_LOOP(limbs_that_close_on_each_other_stop, 0, 4)
{
    static const double rates[] = {0.5, 5, 20, 40};
    double deepest = 0;
    build_arms(0.4, rates[_i], 0.8);
    double before[3], after[3];
    read_momentum(stage.dynamics, before);
    int touched = 0;
    for (int step = 0; step < 480; step++) {
        stage_run(&stage, stage.settings.dt_s);
        deepest = fmax(deepest, stage.dynamics->touches.penetration_m);
        const struct contact_point *points;
        int count = dynamics_contacts(stage.dynamics, &points);
        for (int k = 0; k < count; k++) {
            ck_assert_int_eq(points[k].part, 1);
            ck_assert_int_eq(points[k].other, 2);
            touched = 1;
        }
    }
    ck_assert(touched);
    ck_assert_double_lt(deepest, 6e-3);
    ck_assert_double_lt(dynamics_overlap(stage.dynamics), 2e-3);

    /* impulses between own parts are equal and opposite */
    read_momentum(stage.dynamics, after);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(after[k], before[k], 5e-4 * rates[_i]);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_gt(l->loss_impact_j, 0.5 * l->energy_start_j);
    ck_assert_double_lt(fabs(l->residual_j), 1e-3 * l->energy_start_j);
    ck_assert_double_lt(total_gain(l), 1e-3 * l->energy_start_j);
}

/* Falls at 1 m/s, tilted, from a height that divides a step in sixteenths. Returns how deep
 * anything gets in 0.1 s. */
static double land(const struct body_part *parts, int count, int sixteenth, double target)
{
    double q[DOF] = {0, 0.1 + sixteenth / 16.0 / 240, 0.02}, qd[DOF] = {0, -1, 0}, deepest_m = 0;
    use_land(0.6, 0);
    stage.settings.effector_mode = EFFECTOR_TORQUE;
    body_init(&stage.body, parts, count);
    stage_start(&stage, q, qd);
    dynamics_set_effectors(stage.dynamics, EFFECTORS_ON);
    dynamics_set_target(stage.dynamics, 1, target, 0);
    for (int step = 0; step < 24; step++) {
        stage_run(&stage, stage.settings.dt_s);
        deepest_m = fmax(deepest_m, stage.dynamics->touches.penetration_m);
    }
    return deepest_m;
}

/* Two plates, one on the other, slide upright on a small hub. Measured: the upper one sinks 1.3 um
 * into the lower one; where it answered the ground's impacts in the middle of the step, 2.1 mm. */
TEST_LOOP(what_lies_on_a_part_lands_with_it, 0, 16)
{
    const struct body_part stack[] = {
        {ROOT(0.1, 0.1, 0.1)},
        {PART(0, 0, -0.05, 0.6, 0.05, 0.5), .is_linear = 1, .axis_rad = BODY_PI / 2},
        {PART(0, 0, 0, 0.6, 0.05, 0.5), .is_linear = 1, .axis_rad = BODY_PI / 2}};
    double deepest_m = land(stack, 3, _i, 0);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_gt(l->loss_impact_j, 0.5);
    ck_assert_double_lt(deepest_m, 1e-4);
    ck_assert_double_lt(total_gain(l), 1e-5);
}

/* A trunk whose muscle presses a foot down. What stops the foot acts at the instant of the impact,
 * what holds it against the muscle in the rest of the step, and the muscle's work counts the way by
 * which the pose is shifted. Measured: residual 0.084 mJ of 0.6 J, 0.51 mm deep at most; with all at the
 * instant and without that work 2.4 mJ, 0.69 mm. */
TEST_LOOP(a_foot_that_is_pressed_down_stays_down, 0, 16)
{
    const struct body_part stilt[] = {{ROOT(0.3, 0.1, 1)},
                                      {PART(0, 0, -0.06, 0.3, 0.04, 0.2), .is_linear = 1,
                                       .axis_rad = BODY_PI / 2, .torque_max_n_m = 20}};
    ck_assert_double_lt(land(stilt, 2, _i, -1), 6e-4);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_lt(fabs(l->residual_j), 2e-4);
    ck_assert_double_lt(total_gain(l), 1e-3);
}

TEST(parent_and_child_pass_through_one_another)
{
    double q[DOF] = {0}, qd[DOF] = {0, 0, -1.5, 3};
    body_init_chain(&stage.body, 2, 0.4, 0.2, 1);
    stage_start(&stage, q, qd);
    stage_run(&stage, 4);
    ck_assert_double_gt(stage.dynamics->q[3], 2 * BODY_PI);
    ck_assert(stage_is_all_rk4(&stage));
}

/* ---------------------------------------------------------------- joint limits */

/* A joint that moves at a rate towards its limits and gives the whole no momentum: two wheels on one
 * axle, or a pair that slides. */
static void build_limited(int is_linear, double lower, double upper, double at, double rate)
{
    const struct body_part pair[] = {{ROOT(1, 0.2, 4)},
                                     {PART(0, 0, 0, 0.3, 0.3, 1), .is_linear = 1, .axis_rad = 0.6,
                                      .lower_rad = lower, .upper_rad = upper,
                                      .torque_max_n_m = 20}};
    double q[DOF] = {0, 0, 0, at}, qd[DOF] = {0, 0, -0.2 * rate, rate};
    if (is_linear) {
        qd[0] = -0.2 * rate * cos(0.6);
        qd[1] = -0.2 * rate * sin(0.6);
        qd[2] = 0;
        body_init(&stage.body, pair, 2);
    } else {
        body_init_wheels(&stage.body, 0.5, lower, upper);
    }
    stage_start(&stage, q, qd);
    dynamics_set_effectors(stage.dynamics, EFFECTORS_SLACK);
}

/* Limits anywhere from a small angle to several turns, and one in metres, from both sides: reached,
 * held, not wrapped. */
TEST(limits_hold_at_any_number_of_turns)
{
    static const double degrees[] = {10, 90, 179, 181, 200, 350, 360, 500, 720, 0};
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
        for (int side = -1; side <= 1; side += 2) {
            int is_linear = degrees[i] == 0;
            double limit = is_linear ? 0.4 : degrees[i] * BODY_DEGREE, furthest = 0;
            build_limited(is_linear, side > 0 ? -0.5 : -limit, side > 0 ? limit : 0.5, 0,
                          side * (is_linear ? 3 : 8));
            double start = dynamics_ledger(stage.dynamics)->kinetic_j;
            for (int step = 0; step < 720; step++) {
                stage_run(&stage, stage.settings.dt_s);
                furthest = fmax(furthest, side * stage.dynamics->q[3]);
            }
            ck_assert_double_le(furthest, limit + 1e-3);
            ck_assert_double_eq_tol(side * stage.dynamics->q[3], limit, is_linear ? 1e-3 : 2e-3);
            ck_assert_double_eq_tol(stage.dynamics->qd[3], 0, 1e-9);

            /* what the stop took is booked under its own name */
            const struct ledger *l = dynamics_ledger(stage.dynamics);
            ck_assert_double_eq_tol(l->loss_limit_j, start, 1e-9);
            ck_assert_double_eq_tol(l->kinetic_j, 0, 1e-9);
            ck_assert_double_eq(l->loss_impact_j, 0);
        }
}

/* A torque or force that presses on is borne without drift and without work. */
TEST_LOOP(a_limit_bears_what_presses_on, 0, 2)
{
    double limit = _i ? 0.4 : 200 * BODY_DEGREE, at = _i ? 0.2 : 3, most = _i ? 20 : 0.5;
    double slack = _i ? 1.1e-3 : 2.1e-3;
    stage.settings.effector_mode = EFFECTOR_TORQUE;
    build_limited(_i, -0.5, limit, at, 0);
    dynamics_set_effectors(stage.dynamics, EFFECTORS_ON);
    dynamics_set_target(stage.dynamics, 1, 1, 0);
    stage_run(&stage, 10);
    ck_assert_double_eq_tol(stage.dynamics->q[3], limit, slack);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->work_effector_j, most * (limit - at), most * slack);
    ck_assert_double_lt(l->gain_limit_j, 1e-6);
    ck_assert_double_lt(fabs(l->residual_j), 1e-6);

    /* and lets go when it turns round */
    dynamics_set_target(stage.dynamics, 1, -1, 0);
    stage_run(&stage, 0.25);
    ck_assert_double_lt(stage.dynamics->q[3], limit - 0.5);
}

/* Beyond a limit (an impossible start) a joint is pushed back slowly, no faster than 0.5 rad/s or 5
 * cm/s; the work is unearned. */
TEST_LOOP(a_joint_beyond_its_limit_is_pushed_back, 0, 2)
{
    double limit = _i ? 0.1 : 0.5, at = 1.2 * limit, speed = _i ? 0.05 : 0.5, way_s = 0.1;
    build_limited(_i, -limit, limit, at, 0);
    stage_run(&stage, way_s);
    ck_assert_double_le(fabs(stage.dynamics->qd[3]), speed + 1e-9);
    ck_assert_double_eq_tol(stage.dynamics->q[3], at - speed * way_s, 0.05 * speed);
    stage_run(&stage, 0.9);
    ck_assert_double_le(stage.dynamics->q[3], limit + (_i ? 1.1e-3 : 3e-3));
    ck_assert_double_gt(dynamics_ledger(stage.dynamics)->gain_limit_j, 0);
    ck_assert_double_lt(fabs(dynamics_ledger(stage.dynamics)->residual_j), 1e-9);
}

/* Thrown on the ground, a chain that hangs on the world by massless links moves as one that is
 * free, whose momentum alone is mended; of a single link nothing has to be. */
TEST_LOOP(a_body_hung_on_the_world_lands_as_a_free_one, 1, 4)
{
    int links = _i;
    double q[DOF] = {0, 0.8, 0.3, 0.2, -0.3}, qd[DOF] = {2, -1, 3, -2, 1}, hung[2][DOF] = {{0}};
    struct part_state parts[3];
    double apart = links == 1 ? 1e-6 : 5e-2;
    use_land(0.6, 0.3);
    body_init_chain(&stage.body, links, 0.4, 0.15, 0.5);
    stage_start(&stage, q, qd);
    stage_run(&stage, 0.6);
    stage_read_parts(&stage, parts, links);
    struct ledger before = *dynamics_ledger(stage.dynamics);
    ck_assert_double_gt(before.loss_impact_j, 0.1);
    ck_assert_double_gt(before.loss_friction_j, 0.01);

    memcpy(hung[0] + 3, q, 5 * sizeof q[0]);
    memcpy(hung[1] + 3, qd, 5 * sizeof q[0]);
    body_hang_free(&stage.body);
    stage_start(&stage, hung[0], hung[1]);
    stage_run(&stage, 0.6);
    stage_check_parts(&stage, parts, links, apart);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_eq_tol(l->loss_impact_j, before.loss_impact_j, apart);
    ck_assert_double_eq_tol(l->loss_friction_j, before.loss_friction_j, apart);
    ck_assert_double_eq_tol(l->residual_j, before.residual_j, apart);
}

/* Two boxes of 1 and 3 kg, each hung on the world by x, y and a hinge, head-on at 2 m/s. */
static void build_two_boxes(double elasticity)
{
    struct test_body *b = &stage.body;
    const struct body_part box = {ROOT(0.4, 0.4, 1)};
    body_init(b, &box, 1);
    body_hang_free(b);
    for (int i = 1; i < 4; i++) {
        b->links[3 + i] = b->links[i];
        b->links[3 + i].parent = i == 1 ? 0 : 2 + i;
    }
    b->links[6].mass_kg *= 3;
    b->links[6].inertia.zz *= 3;
    b->parts[1] = b->parts[0];
    b->parts[1].mass_kg = 3;
    b->parts[1].link = 6;
    b->phenotype.part_count = 2;
    b->phenotype.body->link_count = 7;
    b->phenotype.mass_kg = 4;
    double q[DOF] = {0, 0, 0, -1, 2, 0, 1, 2, 0}, qd[DOF] = {0, 0, 0, 1, 0, 0, -1, 0, 0};
    stage.world = (struct world){.own_elasticity = elasticity};
    stage_start(&stage, q, qd);
}

/* A box that falls on a corner, e = 1, comes down on two corners in one step after 1.9 s: it lost
 * all there. What is left are impacts below the speed that bounces. */
TEST(a_box_on_two_corners_bounces)
{
    double q[DOF] = {0, 0.15948382484821, 0.1}, zero[DOF] = {0};
    stage.world = (struct world){.gravity_m_s2 = BODY_GRAVITY, .has_ground = 1, .elasticity = 1};
    body_init_box(&stage.body, 0.2, 0.2, 1);
    stage_start(&stage, q, zero);
    stage_run(&stage, 2);
    const struct ledger *l = dynamics_ledger(stage.dynamics);
    ck_assert_double_lt(l->loss_impact_j, 0.01 * l->energy_start_j);
}

/* Housner's block: tilted about one corner and let go, it falls on the other, which leaves it (1 -
 * 3/2 sin^2)^2 of its energy. Measured: 0.0013 off at most, without bias. */
TEST(a_rocking_block_loses_what_it_must_at_an_impact)
{
    const double width = 0.25, height = 1, alpha = atan2(width, height);
    double kept = 1 - 1.5 * sin(alpha) * sin(alpha), bias = 0;
    for (int k = 0; k < 8; k++) {
        double tilt = (0.3 + 0.05 * k) * alpha, s = sin(tilt), c = cos(tilt), rate = 1;
        double q[3] = {-(width * c - height * s) / 2, (width * s + height * c) / 2, -tilt};
        const double qd[3] = {0};
        use_land(5, 0);
        body_init_box(&stage.body, width, height, 1);
        stage_start(&stage, q, qd);
        double least = BODY_GRAVITY * height / 2, before = stage_energy(&stage) - least;
        for (int i = 0; i < 720 && (rate > 0 || stage.dynamics->q[2] < 0); i++) {
            stage_run(&stage, stage.settings.dt_s);
            rate = stage.dynamics->qd[2];
        }
        double off = (stage_energy(&stage) - least) / before - kept * kept;
        ck_assert_double_eq_tol(off, 0, 0.003);
        bias += off / 8;
    }
    ck_assert_double_eq_tol(bias, 0, 0.001);
}

/* A disk of 4 cm at 30 m/s, 12 cm a step, at a wall of 2 cm, from many starts. */
TEST(fast_disks_that_bounce_do_not_pass_thin_walls)
{
    static const struct obstacle wall = {0, 2, 0.02, 2, 0};
    for (int k = 0; k < 48; k++) {
        double q[3] = {-1 - k * 0.125 / 24, 2, 0}, qd[3] = {30, 0, 0};
        stage.world = (struct world){.elasticity = k % 2 ? 0.8 : 0.4};
        stage.world.obstacles.list[0] = wall;
        stage.world.obstacles.count = 1;
        body_init_box(&stage.body, 0.04, 0.04, 1);
        stage.body.parts[0].shape = PART_DISK;
        stage_start(&stage, q, qd);
        stage_run(&stage, 0.2);
        struct part_state part = stage_part(&stage, 0);
        ck_assert_double_lt(part.at_m.x, 0);
        ck_assert_double_eq_tol(part.velocity_m_s.x, k % 2 ? -24 : -12, 1e-6);
    }
}

/* What happens far away is no reason to stay down: a box that is pushed out of the ground, another
 * that bounces. */
TEST(impacts_are_judged_for_what_they_touch)
{
    build_two_boxes(0);
    use_land(0, 1);
    stage_build(&stage);
    double q[DOF] = {0, 0, 0, 0, 0.5, 0, 50, 0.1, 0}, qd[DOF] = {0};
    stage_set(&stage, q, qd);
    ck_assert_double_eq_tol(rebound(0.2), 0.3, 0.005);
    ck_assert_double_gt(dynamics_ledger(stage.dynamics)->gain_push_out_j, 0.1);
}

/* ---------------------------------------------------------------- choice of the integrator */

TEST(steps_are_rk4_until_something_may_touch)
{
    static const double qd[3] = {0};
    use_land(0.8, 0);
    build_box(0.4, 0.2, 1, 1, qd);
    stage_run(&stage, 0.4);
    ck_assert(stage_is_all_rk4(&stage));
    ck_assert_double_eq_tol(stage_part(&stage, 0).at_m.y, 1.1 - BODY_GRAVITY * 0.08, 1e-12);
    stage_run(&stage, 0.4);
    ck_assert_uint_eq(stage.dynamics->steps, 192);
    ck_assert_uint_gt(stage.dynamics->rk4_steps, 105);
    ck_assert_uint_lt(stage.dynamics->rk4_steps, 112);
}

/* Spinning chains whose tips come down at up to 20 m/s, 8 cm a step. Measured: 18 mm deep, for a
 * step. */
TEST(fast_tips_land_without_sinking_in)
{
    double deepest = 0, residual = 0, excess = -1;
    int landed = 0;
    for (int i = 0; i < 40; i++) {
        double q[DOF] = {0, 1.5 + 0.02 * i, 0.2}, qd[DOF] = {0, 0, -12, -20};
        use_land(0.5, 0);
        body_init_chain(&stage.body, 2, 0.5, 0.05, 0.2);
        stage_start(&stage, q, qd);
        double energy = stage_energy(&stage);
        for (int step = 0; step < 120; step++) {
            stage_run(&stage, stage.settings.dt_s);
            deepest = fmax(deepest, stage.dynamics->touches.penetration_m);
        }
        const struct ledger *l = dynamics_ledger(stage.dynamics);
        residual = fmax(residual, fabs(l->residual_j) / energy);
        excess = fmax(excess, (l->kinetic_j + l->potential_j) / energy - 1);
        landed += !stage_is_all_rk4(&stage);
    }
    ck_assert_int_gt(landed, 30);
    ck_assert_double_lt(deepest, 0.03);
    ck_assert_double_lt(residual, 0.02);
    ck_assert_double_lt(excess, 1e-5);
}

TEST(a_full_arena_is_an_error)
{
    int failures = 0;
    body_init_random(&stage.body, 8, &rng);
    ck_assert_int_eq(tree_create(&sys.tree, &stage.body.phenotype, 0, &stage.arena), 0);
    for (size_t size = 16; size < 1u << 18; size += size / 4) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        failures += create_contacts(&small) == ERR_MEMORY;
    }
    ck_assert_int_gt(failures, 5);
}

SUITE("contacts", 60, setup, NULL)
