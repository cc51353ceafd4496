/* Rows of touches of the reference solver in space against differences: of two boxes with a point
 * on a face or edge on edge, of rectangles that stretch, also on waves, and of joints at limits. What moves
 * without acceleration has D' = rate and D'' = curvature. */
#include "simulator/reference/spatial_system.h"
#include "tests/vectors.h"
#include "tests/links.h"
#include "tests/plain_fixture.h"

enum { ROUNDS = 300, KINDS = TOUCH_LIMIT + 1 };
#define DIFFERENCE_S 1e-5

static struct rng rng;
static int seen[KINDS];

static void setup(void)
{
    rng_init(&rng, 1, RNG_LIGHT, 0, 0);
    arena_open(1 << 23);
}

static const unsigned char shapes[2] = {PART_BOX, PART_BOX};
static const struct spatial_surfaces empty = {.own_friction = 1},
                                     plane = {.own_friction = 1, .shapes = shapes};

static struct body_link make_link(int parent, enum link_joint kind)
{
    return link_with(parent, kind, 1, (struct sym3){0.01, 0, 0, 0.02, 0, 0.03});
}

static struct spatial_constraint *create(const struct body *body,
                                         const struct spatial_surfaces *surfaces)
{
    struct spatial_world world = {.surfaces = *surfaces};
    struct dynamics_settings settings = {.dt_s = 0.01, .rtol = 1e-8};
    arena_reset(&arena);
    struct spatial_state *state = spatial_constraint_create(body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(state);
    return spatial_constraint_of(&state->dynamics);
}

/* Bodies as they move on their own for a time, without forces. */
static void put_at(struct spatial_constraint *c, const double *y, double time_s)
{
    for (int i = 0; i < STATE_SIZE * c->count; i++)
        c->rk.stage[i] = y[i];
    for (int i = 0; i < c->count; i++) {
        struct spatial_place p = spatial_system_place_at(y + STATE_SIZE * i);
        p.centre = vec3_along(p.centre, p.velocity, time_s);
        p.turn = quaternion_product(quaternion_exp(vec3_scale(p.spin, time_s)), p.turn);
        p.stretch += p.stretch_rate * time_s;
        spatial_system_put(c->rk.stage + STATE_SIZE * i, &p);
    }
    spatial_system_place(c, c->rk.stage);
}

/* Gap and normal rate, and the rates across, of a touch at a time. */
static void measure(struct spatial_constraint *c, const double *y, const struct touch *touch,
                    double time_s, double *gap, double rates[3])
{
    struct touch t = *touch;
    put_at(c, y, time_s);
    spatial_touch_update(c, &t);
    *gap = t.rows[0].deviation;
    for (int k = 0; k < 3; k++)
        rates[k] = t.rows[k].rate;
}

static void check_touch(struct spatial_constraint *c, const struct touch *touch)
{
    double gaps[2], rates[2][3];
    /* across edges that roll over one another directions turn with the normal */
    int count = touch->kind == TOUCH_FACE ? 3 : 1;
    for (int i = 0; i < 2; i++)
        measure(c, c->y, touch, i ? DIFFERENCE_S : -DIFFERENCE_S, &gaps[i], rates[i]);
    ck_assert_double_eq_tol((gaps[1] - gaps[0]) / (2 * DIFFERENCE_S), touch->rows[0].rate, 1e-6);
    for (int k = 0; k < count; k++)
        ck_assert_msg(fabs((rates[1][k] - rates[0][k]) / (2 * DIFFERENCE_S) -
                           touch->rows[k].curvature) < 1e-5 * (1 + fabs(touch->rows[k].curvature)),
                      "kind %d, row %d: curvature %g, by differences %g", (int)touch->kind, k,
                      touch->rows[k].curvature, (rates[1][k] - rates[0][k]) / (2 * DIFFERENCE_S));
    seen[touch->kind]++;
}

/* Moves the first body along the normal until the touch has no gap. */
static void close_gap(struct spatial_constraint *c, const struct touch *t)
{
    struct spatial_place p = spatial_system_place_at(c->y);
    double sign = t->bodies[0] == 0 ? -1 : 1;
    p.centre = vec3_along(p.centre, t->directions[0], sign * t->rows[0].deviation);
    spatial_system_put(c->y, &p);
    spatial_system_place(c, c->y);
    spatial_touch_find(c, 1e-9);
}

static struct touch find_deepest(const struct spatial_constraint *c)
{
    struct touch deepest = c->found[0];
    for (int i = 1; i < c->found_count; i++)
        if (c->found[i].rows[0].deviation < deepest.rows[0].deviation)
            deepest = c->found[i];
    return deepest;
}

/* Looks at the touches that there are where the deepest has no gap. */
static void check_touches(struct spatial_constraint *c)
{
    spatial_system_place(c, c->y);
    spatial_touch_find(c, 0.05);
    if (c->found_count == 0)
        return;
    struct touch deepest = find_deepest(c);
    close_gap(c, &deepest);
    for (int i = 0; i < c->found_count; i++)
        if (fabs(c->found[i].rows[0].deviation) < 1e-9)
            check_touch(c, &c->found[i]);
}

TEST(boxes_that_touch)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct body_link links[2] = {make_link(-1, LINK_FREE), make_link(-1, LINK_FREE)};
        struct body_box boxes[2] = {{.turn = QUATERNION_ONE, .size_m = {0.4, 0.3, 0.2}},
                                    {.link = 1, .turn = QUATERNION_ONE, .size_m = {0.3, 0.5, 0.2}}};
        struct body body = {.links = links, .link_count = 2, .boxes = boxes, .box_count = 2};
        struct spatial_constraint *c = create(&body, &empty);
        for (int i = 0; i < 2; i++) {
            struct spatial_place p = {draw_vec3(&rng, 0.2),
                                      quaternion_exp(draw_vec3(&rng, 2)),
                                      draw_vec3(&rng, 2),
                                      draw_vec3(&rng, 3),
                                      0,
                                      0};
            spatial_system_put(c->y + STATE_SIZE * i, &p);
        }
        check_touches(c);
    }
    ck_assert_int_gt(seen[TOUCH_FACE], 20);
    ck_assert_int_gt(seen[TOUCH_EDGES], 20);
}

/* A rectangle that stretches along its width, half of it and of the height, on a link that is not
 * turned as it is. */
#define RECTANGLE_TURN_RAD 0.4
static void make_rectangle(int i, double width, double height, struct body_link *link,
                           struct body_box *box)
{
    struct quaternion turn = quaternion_about((struct vec3){0, 0, 1}, RECTANGLE_TURN_RAD);
    *link = make_link(-1, LINK_PLANAR_STRETCH);
    link->axis = (struct vec3){cos(RECTANGLE_TURN_RAD), sin(RECTANGLE_TURN_RAD), 0};
    link->half_m = (struct vec3){width, height, 0};
    *box = (struct body_box){i, {0, 0, 0}, turn, {2 * width, 2 * height, 1}, 0, 0};
}

static struct spatial_place random_place(double stretch_rate)
{
    struct vec3 centre = draw_vec3(&rng, 0.2), velocity = draw_vec3(&rng, 2);
    return (struct spatial_place){
        {centre.x, centre.y, 0},
        quaternion_about((struct vec3){0, 0, 1}, rng_uniform(&rng, -3, 3)),
        {velocity.x, velocity.y, 0},
        {0, 0, rng_uniform(&rng, -3, 3)},
        rng_uniform(&rng, -0.6, 0.6),
        rng_uniform(&rng, -stretch_rate, stretch_rate)};
}

TEST(rectangles_that_stretch)
{
    struct body_link links[2];
    struct body_box boxes[2];
    struct body body = {.links = links, .link_count = 2, .boxes = boxes, .box_count = 2};
    for (int i = 0; i < 2; i++)
        make_rectangle(i, 0.2, 0.1 + 0.1 * i, &links[i], &boxes[i]);
    for (int round = 0; round < ROUNDS; round++) {
        struct spatial_constraint *c = create(&body, &plane);
        for (int i = 0; i < 2; i++) {
            struct spatial_place p = random_place(3);
            spatial_system_put(c->y + STATE_SIZE * i, &p);
        }
        check_touches(c);
    }
    ck_assert_int_gt(seen[TOUCH_FACE], 100);
}

/* Lays a rectangle on waves, where it neither comes nearer nor leaves; what is lowest of it wanders
 * along it. */
static void check_on_waves(struct spatial_constraint *c, struct spatial_place p)
{
    for (int way = 0; way < 2; way++) {
        spatial_system_put(c->y, &p);
        spatial_system_place(c, c->y);
        spatial_touch_find(c, 0.3);
        if (c->found_count == 0)
            return;
        struct touch deepest = find_deepest(c);
        p.centre.y -= deepest.rows[0].deviation / deepest.directions[0].y;
        if (way == 1)
            p.velocity = vec3_along(p.velocity, deepest.directions[0], -deepest.rows[0].rate);
    }
    spatial_system_put(c->y, &p);
    spatial_system_place(c, c->y);
    spatial_touch_find(c, 1e-6);
    for (int i = 0; i < c->found_count; i++)
        if (fabs(c->found[i].rows[0].rate) < 1e-9)
            check_touch(c, &c->found[i]);
}

TEST(rectangles_on_waves)
{
    struct body_link link;
    struct body_box box;
    struct body body = {.links = &link, .link_count = 1, .boxes = &box, .box_count = 1};
    struct spatial_surfaces waves = plane;
    waves.has_ground = waves.friction = 1;
    relief_init(&waves.relief, 0.1, 0.8, 7, 1);
    make_rectangle(0, 0.4, 0.1, &link, &box);
    for (int round = 0; round < ROUNDS; round++)
        check_on_waves(create(&body, &waves), random_place(round % 2 ? 3 : 0));
    ck_assert_int_gt(seen[TOUCH_RELIEF], 100);
}

TEST(joints_at_limits)
{
    static const enum link_joint kinds[] = {LINK_SPHERICAL, LINK_REVOLUTE, LINK_LINEAR};
    for (int round = 0; round < ROUNDS; round++) {
        struct body_link links[2] = {make_link(-1, LINK_FREE), make_link(0, kinds[round % 3])};
        struct body body = {.links = links, .link_count = 2};
        double q[16] = {0}, qd[16];
        links[1].lower[0] = -0.5;
        links[1].upper[0] = 0.5;
        links[1].cone_rad = 0.5;
        links[1].joint = draw_vec3(&rng, 0.2);
        links[1].frame = quaternion_exp(draw_vec3(&rng, 2));
        struct spatial_constraint *c = create(&body, &empty);
        for (int i = 0; i < c->rates; i++)
            qd[i] = rng_uniform(&rng, -2, 2);
        struct quaternion turns[2] = {quaternion_exp(draw_vec3(&rng, 2)),
                                      quaternion_exp(draw_vec3(&rng, 0.6))};
        q[3] = turns[0].w;
        q[4] = turns[0].x;
        q[5] = turns[0].y;
        q[6] = turns[0].z;
        q[7] = rng_uniform(&rng, -1, 1);
        if (round % 3 == 0) {
            q[7] = turns[1].w;
            q[8] = turns[1].x;
            q[9] = turns[1].y;
            q[10] = turns[1].z;
        }
        dynamics_set_state(&c->base.dynamics, q, qd);
        spatial_touch_find(c, HUGE_VAL);
        ck_assert_int_gt(c->found_count, 0);
        for (int i = 0; i < c->found_count; i++) {
            struct touch t = c->found[i];
            check_touch(c, &t);
        }
    }
    ck_assert_int_gt(seen[TOUCH_LIMIT], ROUNDS);
}

SUITE("spatial_rows", 120, setup, NULL)
