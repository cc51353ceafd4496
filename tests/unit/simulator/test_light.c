/* The light: places of the light, its trials, and the measures of following against creatures whose
 * motion is given. */
#include "simulator/world/light.h"
#include "tests/plain_fixture.h"

static struct light light;

static void set_up(void)
{
    params_set_defaults(&params);
    set("world.preset=water", "light.kind=moving", "light.trials=4", "light.range_m=2",
        "simulation.duration_s=20");
}

/* Runs all ticks. The creature moves at `speed` towards the light, in a fixed direction, or not. */
enum policy { STAYS, FOLLOWS, GOES_RIGHT, FLEES };

static double run(enum policy policy, double speed_m_s, uint64_t seed)
{
    struct vec3 at = {0.3, -0.2, 0};
    light_init(&light, &params, seed);
    for (int tick = 0; tick <= 1200; tick++) {
        light_move(&light, tick / 60.0, at);
        if (tick > 0)
            light_measure(&light, at);
        double x = light.at.x - at.x, y = light.has_ground ? 0 : light.at.y - at.y;
        double distance = sqrt(x * x + y * y), step = fmin(speed_m_s / 60, distance);
        if (policy == FOLLOWS && distance > 0)
            at = (struct vec3){at.x + step * x / distance, at.y + step * y / distance, 0};
        if (policy == FLEES && distance > 0)
            at = (struct vec3){at.x - step * x / distance, at.y - step * y / distance, 0};
        if (policy == GOES_RIGHT)
            at.x += speed_m_s / 60;
    }
    return light_follow_share(&light);
}

/* A creature that goes the same way whatever it sees can do well by one seed; every perturbation
 * has other places. */
TEST(perturbations_have_places_of_their_own)
{
    struct vec3 centre = {0, 0, 0};
    struct vec3 first[3];
    for (int i = 0; i < 3; i++) {
        params.simulation_perturbation = i;
        light_init(&light, &params, 7);
        light_move(&light, 0, centre);
        first[i] = light.at;
        light_init(&light, &params, 7);
        light_move(&light, 0, centre);
        ck_assert(light.at.x == first[i].x && light.at.y == first[i].y);
        for (int j = 0; j < i; j++)
            ck_assert_double_gt(hypot(first[i].x - first[j].x, first[i].y - first[j].y), 0.01);
    }
}

TEST(who_stays_put_scores_nothing)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        ck_assert_double_eq_tol(run(STAYS, 0, seed), 0, 1e-12);
}

TEST_LOOP(who_follows_scores_more_the_faster, 1, 21)
{
    double slow = run(FOLLOWS, 0.1, _i), fast = run(FOLLOWS, 100, _i);
    ck_assert_double_gt(slow, 0.03);
    ck_assert_double_gt(fast, slow);
    ck_assert_double_gt(fast, 0.97);
    ck_assert_double_lt(light_mean_distance(&light), 0.05);
}

TEST(who_flees_or_goes_one_way_gains_nothing)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double share = run(FLEES, 100, seed);
        ck_assert_double_eq(share, -1);
        sum += run(GOES_RIGHT, 0.3, seed) / 50;
    }
    ck_assert_double_lt(sum, 0);
    set("world.preset=land");
    sum = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double share = run(GOES_RIGHT, 0.3, seed);
        ck_assert_double_lt(share, 0.2);
        sum += share / 50;
    }
    ck_assert_double_lt(sum, 0);
}

/* Each trial is in a direction of its own, spread evenly; on land as many on either side. */
TEST(trials_are_spread_over_the_directions)
{
    set("light.speed_m_s=0");
    for (int has_ground = 0; has_ground < 2; has_ground++)
        for (uint64_t seed = 1; seed <= 30; seed++) {
            double angles[4];
            int rights = 0;
            set(has_ground ? "world.preset=land" : "world.preset=water");
            light_init(&light, &params, seed);
            for (int trial = 0; trial < 4; trial++) {
                struct vec3 at = {3.0 * trial, 1, 0};
                light_move(&light, 5.0 * trial, at);
                double x = light.at.x - at.x, y = light.at.y - at.y;
                double away = light_distance(&light, at);
                ck_assert_double_ge(away, 1 - 1e-12);
                ck_assert_double_le(away, 2 + 1e-12);
                angles[trial] = atan2(y, x);
                rights += x > 0;
                if (has_ground)
                    ck_assert_double_eq(light.at.y, params.light_y_m);
            }
            if (has_ground)
                ck_assert_int_eq(rights, 2);
            for (int i = 0; i < 4 && !has_ground; i++)
                for (int j = 0; j < i; j++)
                    ck_assert_double_lt(cos(angles[i] - angles[j]), 1e-9);
        }
}

/* All around: on land in four directions at right angles along the ground, in water the places of
 * four trials are on no half of the sphere. */
TEST(trials_are_all_around)
{
    set("light.around=yes", "light.speed_m_s=1");
    for (int has_ground = 0; has_ground < 2; has_ground++)
        for (uint64_t seed = 1; seed <= 30; seed++) {
            struct vec3 ways[4], sum = {0, 0, 0};
            set(has_ground ? "world.preset=land" : "world.preset=water");
            light_init(&light, &params, seed);
            for (int trial = 0; trial < 4; trial++) {
                struct vec3 at = {3.0 * trial, 1, -trial};
                light_move(&light, 5.0 * trial, at);
                double away = light_distance(&light, at);
                ck_assert(away >= 1 - 1e-12 && away <= 2 + 1e-12);
                ways[trial] = vec3_scale(vec3_sub(light.at, at), 1 / away);
                if (has_ground)
                    ck_assert(light.at.y == params.light_y_m && light.drift_m_s.y == 0);
                ways[trial].y *= !has_ground;
                sum = vec3_add(sum, ways[trial]);
                ck_assert_double_le(vec3_length(light.drift_m_s), 1 + 1e-12);
                ck_assert(light.drift_m_s.z != 0);
            }
            ck_assert_double_lt(vec3_length(sum), has_ground ? 1e-9 : 1.2);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < i; j++)
                    ck_assert_double_lt(vec3_dot(ways[i], ways[j]), has_ground ? 1e-9 : 0.6);
        }
}

TEST(the_seed_decides_and_nothing_else)
{
    int same = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        run(FOLLOWS, 0.5, seed);
        struct vec3 first = light.at;
        run(FOLLOWS, 0.5, seed);
        ck_assert_xy(first, light.at.x, light.at.y, 0);
        run(FOLLOWS, 0.5, seed + 1);
        same += first.x == light.at.x;
    }
    ck_assert_int_eq(same, 0);
}

TEST(a_still_light_stands_where_it_is_told)
{
    set("light.kind=still", "light.x_m=-3", "light.y_m=1.5");
    run(STAYS, 0, 1);
    ck_assert_xy(light.at, 0.3 - 3, -0.2 + 1.5, 0);
    set("world.preset=land");
    ck_assert_double_gt(run(FOLLOWS, 1, 1), 0.5);
    ck_assert_double_eq(light.at.y, 1.5);
}

/* A creature beside the light is not at it: 3 m before it, then 3 m and 4 m beside it. */
TEST_LOOP(beside_the_light_is_away_from_it, 0, 2)
{
    set("light.kind=still", "light.x_m=3");
    set(_i ? "world.preset=land" : "world.preset=water");
    set(_i ? "light.y_m=7" : "light.y_m=0");
    light_init(&light, &params, 1);
    light_move(&light, 0, (struct vec3){0, 0, 0});
    for (int z = 3; z <= 4; z++)
        light_measure(&light, (struct vec3){3, 0, z});
    ck_assert_double_eq_tol(light_mean_distance(&light), 3.5, 1e-12);
    ck_assert_double_eq_tol(light_follow_share(&light), 1 - 3.5 / 3, 1e-12);
}

TEST(without_a_light_nothing_is_measured)
{
    set("light.kind=none");
    ck_assert_double_eq(run(FOLLOWS, 1, 1), 0);
    ck_assert_double_eq(light_mean_distance(&light), 0);
}

/* A run that ends early leaves the trials it did not reach at 0. */
TEST(trials_not_reached_count_nothing)
{
    light_init(&light, &params, 3);
    struct vec3 at = {0, 0, 0};
    for (int tick = 0; tick < 250; tick++) {
        light_move(&light, tick / 60.0, at);
        at = (struct vec3){light.at.x, light.at.y, 0};
        light_measure(&light, at);
    }
    ck_assert_double_eq_tol(light_follow_share(&light), 0.25, 0.01);
}

SUITE("light", 0, set_up, NULL)
