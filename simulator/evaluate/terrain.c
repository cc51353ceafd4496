/* See terrain.h. At most 32 obstacles and 64 parts, looked at a few times before the start. */
#include "simulator/evaluate/terrain.h"

#include <math.h>

#include "common/math/detmath.h"
#include "simulator/body/present_shape.h"
#include "simulator/contact/collide.h"

/* Bodies are put so far above an obstacle, m. */
#define LIFT_M 1e-6

int terrain_can_carry(const struct world *world)
{
    return world->has_ground || (world->obstacles.count > 0 && world->gravity_m_s2 > 0);
}

double terrain_start_height(const struct world *world, double x_m)
{
    double best = HUGE_VAL;
    for (int i = 0; i < world->obstacles.count && !world->has_ground; i++) {
        struct box obstacle, point = {.x = x_m, .cos = 1};
        double low, high;
        collide_place_obstacle(&world->obstacles.list[i], &obstacle);
        if (collide_lift_range(&point, &obstacle, &low, &high) && fabs(high) < fabs(best))
            best = high;
    }
    return best < HUGE_VAL ? best : 0;
}

/* The lower end of the side that looks up most. */
static double upper_side(const struct obstacle *obstacle)
{
    struct box box;
    collide_place_obstacle(obstacle, &box);
    double along = box.half_width, up = box.half_height, cosine = box.cos, sine = box.sin;
    if (fabs(sine) > fabs(cosine)) {
        along = box.half_height;
        up = box.half_width;
        cosine = box.sin;
        sine = box.cos;
    }
    return box.y + up * fabs(cosine) - along * fabs(sine);
}

double terrain_lowest_surface(const struct world *world)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < world->obstacles.count && !world->has_ground; i++)
        lowest = det_min(lowest, upper_side(&world->obstacles.list[i]));
    return lowest < HUGE_VAL ? lowest : world->has_ground ? -world->relief.depth_m : 0;
}

/* The least height of a box over the ground. */
static double box_height(const struct relief *relief, const struct solid *box)
{
    double least = HUGE_VAL;
    struct relief_points points;
    relief_meet(relief, box, HUGE_VAL, &points);
    for (int i = 0; i < points.count; i++)
        least = det_min(least, points.list[i].gap / points.list[i].normal.y);
    return least;
}

double terrain_height(const struct world *world, const struct phenotype *phenotype,
                      const struct dynamics *dynamics)
{
    double least = HUGE_VAL;
    struct vec3 low, high;
    dynamics_bounds(dynamics, &low, &high);
    if (!world->has_ground || world->relief.depth_m == 0)
        return low.y;
    for (int i = 0; i < phenotype->part_count; i++) {
        struct part_state state;
        struct solid box;
        struct quaternion turn = dynamics_part_turn(dynamics, i);
        dynamics_part_state(dynamics, i, &state);
        struct mat3 matrix = quaternion_matrix(quaternion_normalised(turn));
        solids_place(&box, state.at_m, &matrix, present_half(dynamics, &phenotype->shapes[i]));
        least = det_min(least, box_height(&world->relief, &box));
    }
    return least;
}

int terrain_is_below(const struct world *world, struct vec2 point)
{
    if (world->has_ground || !terrain_can_carry(world))
        return 1;
    for (int i = 0; i < world->obstacles.count; i++) {
        struct box obstacle, box = {.x = point.x, .cos = 1};
        double low, high;
        collide_place_obstacle(&world->obstacles.list[i], &obstacle);
        if (collide_lift_range(&box, &obstacle, &low, &high) && high <= point.y)
            return 1;
    }
    return 0;
}

/* The box of a part, lifted; of what turns in space the one around it. */
static struct box lifted_box(const struct phenotype *phenotype, const struct dynamics *dynamics,
                             int part, double height_m)
{
    struct vec3 low, high;
    if (dynamics_part_bounds(dynamics, part, &low, &high))
        return (struct box){.x = (low.x + high.x) / 2,
                            .y = (low.y + high.y) / 2 + height_m,
                            .half_width = (high.x - low.x) / 2,
                            .half_height = (high.y - low.y) / 2,
                            .cos = 1};
    struct vec3 half = present_half(dynamics, &phenotype->shapes[part]);
    struct box box = present_box(dynamics, part, half.x, half.y);
    box.y += height_m;
    return box;
}

/* A lift puts a part above an obstacle for good, so that each pair lifts at most once. */
double terrain_lift(const struct world *world, const struct phenotype *phenotype,
                    const struct dynamics *dynamics)
{
    double height = 0;
    int parts = phenotype->part_count, pairs = world->obstacles.count * parts;
    for (int at = 0, passed = 0; passed < pairs; at = (at + 1) % pairs, passed++) {
        struct box obstacle, box = lifted_box(phenotype, dynamics, at % parts, height);
        double low, high;
        collide_place_obstacle(&world->obstacles.list[at / parts], &obstacle);
        if (!collide_lift_range(&box, &obstacle, &low, &high) || low >= -LIFT_M || high <= 0)
            continue;
        height += high + LIFT_M;
        passed = 0;
    }
    return height;
}
