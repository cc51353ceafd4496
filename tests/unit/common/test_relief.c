/* Ground with relief: where boxes touch it, against dense samples; what rests, slides and falls on
 * it by both solvers, in the plane and in space; what is refused. */
#include "common/genome/body_kind.h"
#include "common/math/relief.h"
#include "simulator/tools/scenes/scene.h"
#include "tests/plain_fixture.h"

static struct scene scene;

static void setup(void)
{
    arena_open(SCENE_ARENA_BYTES);
}

/* ---------------------------------------------------------------- geometry */

static struct solid random_box(struct rng *rng, double low, double high)
{
    struct solid box;
    struct quaternion turn = {1, 0, 0, 0};
    struct vec3 axis = {rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1)};
    /* every other one is nearly level: its edges and faces meet crests */
    turn = quaternion_exp(vec3_scale(axis, rng_chance(rng, 0.5) ? 3 : 0.2));
    struct mat3 matrix = quaternion_matrix(turn);
    struct vec3 half = {rng_uniform(rng, 0.02, 0.5), rng_uniform(rng, 0.005, 0.1),
                        rng_uniform(rng, 0.02, 0.5)};
    struct vec3 at = {rng_uniform(rng, -3, 3), 0, rng_uniform(rng, -3, 3)};
    solids_place(&box, at, &matrix, half);
    box.centre.y = solids_reach(&box, (struct vec3){0, 1, 0}) + rng_uniform(rng, low, high);
    return box;
}

/* The least height of the surface of a box over the ground, by samples that are this many in a
 * row. */
static double sampled_height(const struct relief *relief, const struct solid *box, int count)
{
    double least = HUGE_VAL;
    for (int face = 0; face < 6; face++) {
        int k = face / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        struct vec3 middle =
            vec3_along(box->centre, box->axes[k], face % 2 ? box->half[k] : -box->half[k]);
        for (int i = 0; i <= count; i++)
            for (int j = 0; j <= count; j++) {
                struct vec3 at =
                    vec3_along(middle, box->axes[k1], box->half[k1] * (2.0 * i / count - 1));
                at = vec3_along(at, box->axes[k2], box->half[k2] * (2.0 * j / count - 1));
                least = fmin(least, at.y - relief_height(relief, at.x, at.z));
            }
    }
    return least;
}

TEST(test_lowest_points_are_those_of_samples)
{
    int edges = 0, faces = 0;
    struct rng rng = test_rng(1, 0, 0);
    for (int n = 0; n < 400; n++) {
        struct relief relief;
        struct relief_points points;
        relief_init(&relief, 0.06, 0.4, (uint64_t)n, 0);
        struct solid box = random_box(&rng, -0.05, 0);
        double sampled = sampled_height(&relief, &box, 24), least = HUGE_VAL;
        relief_meet(&relief, &box, HUGE_VAL, &points);
        int lowest = 0;
        for (int i = 0; i < points.count; i++) {
            const struct relief_point *p = &points.list[i];
            double height = p->at.y - relief_height(&relief, p->at.x, p->at.z);
            ck_assert_double_eq_tol(p->gap, height * p->normal.y, 1e-12);
            lowest = height < least ? p->name % RELIEF_NAMES : lowest;
            least = fmin(least, height);
        }
        edges += lowest >= 8 && lowest < 20;
        faces += lowest >= 20;
        /* samples are up to 0.04 m apart */
        /* the deepest along normals are listed, which need not be the lowest, where there are
         * more */
        ck_assert_double_le(least, sampled + (points.count < RELIEF_POINTS_MAX ? 1e-9 : 1e-4));
        ck_assert_double_ge(least, sampled - 1.5e-3);
        /* a gap is the height times the cosine of the slope */
        double margin = fmax(least, 0.8 * least) + 1e-3;
        ck_assert(relief_may_touch(&relief, &box, margin));
        relief_meet(&relief, &box, margin, &points);
        ck_assert_int_gt(points.count, 0);
        ck_assert_double_le(relief_least_gap(&points), margin - 1e-3);
    }
    ck_assert_int_ge(edges, 20);
    ck_assert_int_ge(faces, 20);
}

TEST(test_shape)
{
    struct relief one, other, flat;
    struct rng rng = test_rng(2, 0, 0);
    relief_init(&one, 0.08, 0.5, 7, 0);
    relief_init(&other, 0.08, 0.5, 8, 0);
    relief_init(&flat, 0.08, 0.5, 7, 1);
    double low = 0, high = -1, apart = 0, e = 1e-6;
    for (int n = 0; n < 2000; n++) {
        double x = rng_uniform(&rng, -50, 50), z = rng_uniform(&rng, -50, 50);
        struct relief_shape at, ahead;
        relief_shape_at(&one, x, z, &at);
        relief_shape_at(&one, x + e, z, &ahead);
        ck_assert_double_eq_tol(at.height, relief_height(&one, x, z), 1e-15);
        ck_assert_double_eq_tol(at.slope_x, (ahead.height - at.height) / e, 1e-5);
        ck_assert_double_eq_tol(at.bend_xx, (ahead.slope_x - at.slope_x) / e, 1e-4);
        ck_assert_double_eq_tol(at.bend_xz, (ahead.slope_z - at.slope_z) / e, 1e-4);
        ck_assert_double_le(hypot(at.slope_x, at.slope_z), one.slope_max);
        ck_assert_double_eq_tol(relief_height(&flat, x, z), relief_height(&flat, x, 0), 1e-15);
        low = fmin(low, at.height);
        high = fmax(high, at.height);
        apart = fmax(apart, fabs(at.height - relief_height(&other, x, z)));
    }
    ck_assert_double_le(high, 0);
    ck_assert_double_ge(high, -0.005);
    ck_assert_double_ge(low, -0.08);
    ck_assert_double_le(low, -0.075);
    ck_assert_double_ge(apart, 0.04);
}

/* A box that turns and moves, after a time. */
static struct solid moved(const struct solid *box, struct vec3 velocity, struct vec3 spin, double t)
{
    struct solid to = *box;
    struct mat3 turn = quaternion_matrix(quaternion_exp(vec3_scale(spin, t)));
    to.centre = vec3_along(box->centre, velocity, t);
    for (int k = 0; k < 3; k++)
        to.axes[k] = mat3_apply(&turn, box->axes[k]);
    return to;
}

/* Height of the lowest place of a feature, from where it was. */
static double height_at(const struct relief *relief, const struct solid *box,
                        const struct relief_point *point)
{
    double s[2] = {point->s[0], point->s[1]};
    struct relief_feature f = relief_feature_of(box, point->name);
    relief_descend(relief, &f, s);
    struct vec3 at = relief_place(&f, s);
    return at.y - relief_height(relief, at.x, at.z);
}

/* f'' = (n.p'' + turning) / n_y, by differences; nothing wanders faster than told. */
TEST(test_turning)
{
    int sides[3] = {0, 0, 0};
    double dt = 1e-4;
    struct rng rng = test_rng(3, 0, 0);
    for (int n = 0; n < 300; n++) {
        struct relief relief;
        struct relief_points points;
        relief_init(&relief, 0.06, 0.4, (uint64_t)n, 0);
        struct solid box = random_box(&rng, -0.05, 0);
        struct vec3 velocity = {rng_uniform(&rng, -1, 1), 0.3, rng_uniform(&rng, -1, 1)};
        struct vec3 spin = {rng_uniform(&rng, -2, 2), rng_uniform(&rng, -2, 2), 1};
        relief_meet(&relief, &box, HUGE_VAL, &points);
        for (int i = 0; i < points.count; i++) {
            const struct relief_point *p = &points.list[i];
            struct relief_feature f = relief_feature_of(&box, p->name);
            struct relief_shape shape;
            relief_shape_at(&relief, p->at.x, p->at.z, &shape);
            struct vec3 s = vec3_sub(p->at, box.centre), u = vec3_cross(spin, s);
            struct vec3 inward = vec3_cross(spin, u);
            u = vec3_add(u, velocity);
            struct relief_motion slow = relief_motion_of(&shape, &f, u, spin, 0.5);
            ck_assert_double_le(vec3_length(slow.wandering), 0.5 + 1e-9);
            struct relief_motion motion = relief_motion_of(&shape, &f, u, spin, HUGE_VAL);
            if (vec3_length(motion.wandering) > 3)
                continue;
            struct solid before = moved(&box, velocity, spin, -dt),
                         after = moved(&box, velocity, spin, dt);
            double change = height_at(&relief, &before, p) + height_at(&relief, &after, p) -
                            2 * height_at(&relief, &box, p);
            double expected = (vec3_dot(p->normal, inward) + motion.turning) / p->normal.y;
            ck_assert_double_eq_tol(change / dt / dt, expected, 0.02 + 1e-3 * fabs(expected));
            sides[f.sides]++;
        }
    }
    ck_assert(sides[0] > 100 && sides[1] > 100 && sides[2] > 30);
}

/* ---------------------------------------------------------------- motion */

/* A box on waves that are 6 cm high and 0.5 m long; in the plane without the third size. */
struct drop {
    int dimensions, seed;
    const char *solver;
    double dt_s, friction, size[3], at[3], speed;
};

static const char *text_of(const struct drop *d)
{
    const char *body =
        d->dimensions == 2
            ? printed("\"rectangles\": [{\"width_m\": %g, \"height_m\": %g, \"density_kg_m2\": "
                      "10}], \"position_m\": [%.12g, %.12g], \"velocity_m_s\": [%g, 0]",
                      d->size[0], d->size[1], d->at[0], d->at[1], d->speed)
            : printed("\"boxes\": [{\"size_m\": [%g, %g, %g], \"density_kg_m3\": 500}], "
                      "\"position_m\": [%.12g, %.12g, %.12g], \"velocity_m_s\": [%g, 0, 0]",
                      d->size[0], d->size[1], d->size[2], d->at[0], d->at[1], d->at[2], d->speed);
    return printed(
        "{\"scene\": 1, \"dimensions\": %d, \"world\": {\"ground\": true, \"friction\": %g, "
        "\"relief\": {\"depth_m\": 0.06, \"wavelength_m\": 0.5, \"seed\": %d}}, "
        "\"simulation\": {\"dt_s\": %.17g, \"interval_s\": %.17g, \"solver\": \"%s\"}, "
        "\"bodies\": [{\"name\": \"box\", %s}]}",
        d->dimensions, d->friction, d->seed, d->dt_s, d->dt_s, d->solver, body);
}

struct motion {
    struct dynamics *dynamics;
    const struct relief *relief;
    const struct drop *drop;
};

static void start(struct motion *m, const struct drop *d)
{
    const char *text = text_of(d);
    arena_reset(&arena);
    *m = (struct motion){.drop = d, .relief = &scene.world.relief};
    ck_ok(scene_read_text(&scene, text, strlen(text), "test", &error));
    ck_assert_int_eq(scene_start(&scene, &arena, &m->dynamics, &error), 0);
}

static void move(struct motion *m, double time_s)
{
    for (long i = lround(time_s / m->drop->dt_s); i > 0; i--)
        ck_assert_int_eq(dynamics_step(m->dynamics), 0);
}

static const struct ledger *ledger_of(struct motion *m)
{
    return dynamics_ledger(m->dynamics);
}

static double energy_of(struct motion *m)
{
    return ledger_of(m)->kinetic_j + ledger_of(m)->potential_j;
}

static int contacts_of(struct motion *m, const struct contact_point **points)
{
    return dynamics_contacts(m->dynamics, points);
}

/* The box where it is. */
static struct solid solid_of(struct motion *m)
{
    const double *size = m->drop->size;
    struct solid box;
    struct vec3 half = {size[0] / 2, size[1] / 2, size[2] / 2};
    struct mat3 matrix = quaternion_matrix(dynamics_part_turn(m->dynamics, 0));
    struct part_state state;
    dynamics_part_state(m->dynamics, 0, &state);
    solids_place(&box, state.at_m, &matrix, half);
    return box;
}

static const char *const solvers[] = {"articulated", "constraint"};

/* No corner touches, the sum of the loads is the weight. */
TEST(test_plate_rests_on_crests)
{
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int k = 0; k < 2; k++) {
            struct drop d = {dimensions,     7, solvers[k], 1.0 / 240, 0.5, {1.5, 0.02, 0},
                             {0.1, 0.02, 0}, 0};
            struct motion m;
            const struct contact_point *points;
            d.size[2] = dimensions == 2 ? 0 : 1.2;
            start(&m, &d);
            move(&m, 3);
            double load = 0, mass = dimensions == 2 ? 0.3 : 500 * 1.5 * 0.02 * 1.2;
            int count = contacts_of(&m, &points), loaded = 0;
            struct solid box = solid_of(&m);
            for (int i = 0; i < count; i++) {
                load += points[i].normal_impulse_n_s * points[i].normal.y;
                loaded += points[i].normal_impulse_n_s > 1e-4 * mass;
            }
            ck_assert_double_eq_tol(load / (mass * 9.81 * d.dt_s), 1, 0.02);
            ck_assert_int_ge(loaded, dimensions);
            for (int corner = 0; corner < 8; corner++) {
                struct vec3 at = solids_corner(&box, corner);
                ck_assert_double_ge(at.y - relief_height(m.relief, at.x, at.z), 1e-3);
            }
            ck_assert_double_le(fabs(sampled_height(m.relief, &box, 300)), 1e-3);
        }
}

/* Boxes fall on the ground: no sample of their surface is ever deeper than contacts are
 * elsewhere. */
TEST_LOOP(test_nothing_gets_in, 0, 8)
{
    struct drop d = {3,
                     _i + 1,
                     "articulated",
                     1.0 / 240,
                     0.6,
                     {0.1 + 0.1 * _i, 0.05, 0.3},
                     {0.3 * _i, 0.1, 0},
                     0.25 * _i};
    struct motion m;
    double deepest = 0;
    start(&m, &d);
    for (int i = 0; i < 40; i++) {
        move(&m, 0.05);
        struct solid box = solid_of(&m);
        deepest = fmin(deepest, sampled_height(m.relief, &box, 24));
    }
    ck_assert_double_ge(deepest, -1e-3);
    const struct ledger *l = ledger_of(&m);
    ck_assert_double_le(ledger_unearned_j(l, l->gain_push_out_j + l->gain_impact_j),
                        0.01 * (l->loss_friction_j + l->loss_impact_j));
}

/* Without friction a box slides to and fro in a valley. Energy that is lost, or from nowhere, after
 * its first touch, by that of its motion; in space, where it turns and its corners strike, what is
 * from nowhere. */
static double wrong_share(const struct drop *drop, double dt_s)
{
    struct drop d = *drop;
    struct motion m;
    double moving = 0;
    d.dt_s = dt_s;
    start(&m, &d);
    move(&m, 0.1);
    double before = energy_of(&m), worst = 0;
    for (int i = 0; i < 40; i++) {
        move(&m, 0.05);
        const struct ledger *l = ledger_of(&m);
        double unearned = ledger_unearned_j(l, l->gain_push_out_j + l->gain_impact_j);
        moving = fmax(moving, l->kinetic_j);
        worst = fmax(worst, d.dimensions == 2 ? fabs(energy_of(&m) - before) : unearned);
    }
    return worst / moving;
}

/* Where the ground is low along z = 0, somewhat beside it. */
static double valley(const struct relief *relief)
{
    double lowest = 0;
    for (int i = 0; i < 500; i++)
        if (relief_height(relief, 0.01 * i, 0) < relief_height(relief, lowest, 0))
            lowest = 0.01 * i;
    return lowest;
}

static struct drop beside_valley(int dimensions, const char *solver, double friction)
{
    struct relief relief;
    relief_init(&relief, 0.06, 0.5, 3, dimensions == 2);
    double x = valley(&relief) + 0.08;
    struct drop d = {dimensions, 3, solver, 1.0 / 240, friction, {0.02, 0.02, 0}, {x, 0, 0}, 0};
    d.size[2] = dimensions == 2 ? 0 : 0.02;
    d.at[1] = relief_height(&relief, x, 0) + 0.014;
    return d;
}

TEST_LOOP(test_sliding_keeps_energy, 2, 4)
{
    struct drop d = beside_valley(_i, "articulated", 0);
    double coarse = wrong_share(&d, 1.0 / 240), fine = wrong_share(&d, 1.0 / 3840);
    ck_assert_double_le(coarse, 1e-3);
    ck_assert_double_le(fine, _i == 2 ? coarse / 3 : 1e-4);
    d.solver = "constraint";
    ck_assert_double_le(wrong_share(&d, 1.0 / 240), 1e-3);
}

TEST(test_box_rests_on_slope)
{
    for (int dimensions = 2; dimensions <= 3; dimensions++)
        for (int k = 0; k < 2; k++) {
            struct drop d = beside_valley(dimensions, solvers[k], 0.8);
            struct motion m;
            start(&m, &d);
            move(&m, 1);
            struct solid before = solid_of(&m);
            move(&m, 1);
            struct solid after = solid_of(&m);
            ck_assert_double_le(vec3_length(vec3_sub(after.centre, before.centre)), 1e-5);
            ck_assert_double_eq_tol(sampled_height(m.relief, &after, 40), 0, 1e-3);
        }
}

TEST_LOOP(test_solvers_agree, 2, 4)
{
    struct vec3 ends[2];
    for (int k = 0; k < 2; k++) {
        struct drop d = {_i, 3, solvers[k], 1.0 / 1920, 0.3, {0.3, 0.1, 0}, {0.1, 0.06, 0.05}, 1};
        struct motion m;
        d.size[2] = _i == 2 ? 0 : 0.2;
        start(&m, &d);
        move(&m, 0.5);
        ends[k] = solid_of(&m).centre;
    }
    ck_assert_double_ge(ends[0].x, 0.2);
    ck_assert_double_le(vec3_length(vec3_sub(ends[0], ends[1])), 2e-3);
}

/* ---------------------------------------------------------------- what is refused */

TEST(test_refused)
{
    static const char *const worlds[][2] = {
        {"{\"relief\": {\"depth_m\": 0.1, \"wavelength_m\": 1}}", "there is no ground"},
        {"{\"ground\": true, \"relief\": {\"depth_m\": 0.1, \"wavelength_m\": 0.3}}", "steeper"},
        {"{\"ground\": true, \"relief\": {\"wavelength_m\": 0.3}}", "depth_m"},
        {"{\"ground\": true, \"relief\": {\"depth_m\": 0.1, \"wavelength_m\": 1}}", "disks"},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        const char *text =
            printed("{\"scene\": 1, \"world\": %s, \"bodies\": [{\"name\": \"a\", \"disks\": "
                    "[{\"radius_m\": 0.1, \"mass_kg\": 1}]}]}",
                    worlds[i][0]);
        ck_assert_int_ne(scene_read_text(&scene, text, strlen(text), "test", &error), 0);
        ck_assert_msg(strstr(error.message, worlds[i][1]) != NULL, "%s", error.message);
    }
    params_set_defaults(&params);
    set("exam.relief_m=0.04");
    ck_ok(params_check(&params, &error));
    set("world.relief_m=0.2");
    ck_refused(params_check(&params, &error), 0,
               "world.relief_m: waves of 0.2 m that are 0.5 m long");
    set("world.relief_wavelength_m=1");
    ck_ok(params_check(&params, &error));
    ck_assert_int_eq(body_kind_check_params(params.creature_body, &params, &error), 0);
    set("creature.body=spheres");
    ck_refused(body_kind_check_params(params.creature_body, &params, &error), 0,
               "spheres has no contacts");
}

SUITE("relief", 60, setup, NULL)
