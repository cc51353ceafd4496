/* The greatest distance between two points of convex shapes is one between corners. A ball is one
 * corner with a radius. Two to forty parts, 60 times a second; after the first ticks nearly all
 * pairs are left out by the spheres around their shapes. */
#include "simulator/evaluate/extent.h"

#include "common/math/rotation.h"
#include "simulator/body/present_shape.h"

enum { CORNERS_MAX = 8 };

struct outline {
    struct vec3 corners[CORNERS_MAX];
    int count;
    double radius; /* around each corner, m */
};

static double half_diagonal(const struct shape *shape, const struct dynamics *dynamics)
{
    struct vec3 half = present_half(dynamics, shape);
    return shape->kind == SHAPE_BALL ? half.x : vec3_length(half);
}

/* Where the middle of a part's shape is. */
static struct vec3 find_middle(const struct shape *shape, const struct dynamics *dynamics)
{
    struct part_state state;
    dynamics_part_state(dynamics, shape->part, &state);
    if (shape->at_m.x == 0 && shape->at_m.y == 0 && shape->at_m.z == 0)
        return state.at_m;
    struct mat3 axes = quaternion_matrix(dynamics_part_turn(dynamics, shape->part));
    return vec3_add(state.at_m, mat3_apply(&axes, shape->at_m));
}

static void find_outline(struct outline *outline, const struct shape *shape,
                         const struct dynamics *dynamics)
{
    struct vec3 middle = find_middle(shape, dynamics), half = present_half(dynamics, shape);
    *outline = (struct outline){.corners = {middle}, .count = 1, .radius = half.x};
    if (shape->kind == SHAPE_BALL)
        return;
    struct quaternion turn =
        quaternion_product(dynamics_part_turn(dynamics, shape->part), shape->turn);
    struct mat3 axes = quaternion_matrix(turn);
    outline->radius = 0;
    outline->count = CORNERS_MAX;
    for (int i = 0; i < CORNERS_MAX; i++) {
        struct vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                              i & 4 ? half.z : -half.z};
        outline->corners[i] = vec3_add(middle, mat3_apply(&axes, corner));
    }
}

static double farthest(const struct outline *a, const struct outline *b)
{
    double most_m = 0;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            most_m = det_max(most_m, vec3_length(vec3_sub(a->corners[i], b->corners[k])));
    return most_m + a->radius + b->radius;
}

double extent_grow(const struct phenotype *phenotype, const struct dynamics *dynamics,
                   struct vec3 *middles, double most_m)
{
    struct vec3 low, high;
    dynamics_bounds(dynamics, &low, &high);
    if (vec3_length(vec3_sub(high, low)) <= most_m)
        return most_m;
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct shape *one = &phenotype->shapes[i];
        middles[i] = find_middle(one, dynamics);
        most_m = det_max(most_m, 2 * half_diagonal(one, dynamics));
        for (int k = 0; k < i; k++) {
            const struct shape *other = &phenotype->shapes[k];
            struct vec3 apart = vec3_sub(middles[i], middles[k]);
            struct outline a, b;
            if (vec3_length(apart) + half_diagonal(one, dynamics) +
                    half_diagonal(other, dynamics) <=
                most_m)
                continue;
            find_outline(&a, one, dynamics);
            find_outline(&b, other, dynamics);
            most_m = det_max(most_m, farthest(&a, &b));
        }
    }
    return most_m;
}
