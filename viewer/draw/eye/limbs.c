#include "viewer/draw/eye/limbs.h"

#include <math.h>
#include <stdlib.h>

#include "common/math/rotation.h"

#define SHADE 0x14202a
/* Of the thinnest half of a side: what edges are rounded by; and of things, which stay boxes. */
#define ROUND       0.85
#define ROUND_THING 0.2
/* Of the shorter of the other two halves: what the outline along the thin side is rounded by. */
#define ROUND_WIDE 0.8
/* How much thinner the far end is: of single parts, which are neck, head and tail, and of pairs. */
#define TAPER_SINGLE 0.45
#define TAPER_PAIR   0.3
/* Of the thinner half of the two that meet: the joint's ball, and how softly they meet. */
#define BALL       0.88
#define NECK       0.7
#define NECK_REACH 2.6
/* How dark limbs are by their depth, those of the left side besides; single ones, such as
 * neck and tail, by so much of it. */
#define DARK_STEP   0.14
#define DARK_MOST   0.45
#define DARK_LEFT   0.1
#define DARK_SINGLE 0.5

/* Eyes, by the shorter half of the head across its way ahead: their radius, how far behind its front
 * and how far up; by their radius: how deep they lie, and the pupil. */
#define EYE         0.48
#define EYE_BEHIND  0.8
#define EYE_UP      0.4
#define EYE_DEPTH   0.35
#define PUPIL       0.62
#define PUPIL_OUT   0.5
#define EYE_COLOR   0xfffdf6
#define PUPIL_COLOR 0x1b1b1f
/* Of the way inwards to the head's surface. */
enum { EYE_STEPS = 6, EYE_BALLS = 2 };

/* ---- colours ---- */

static uint32_t part_color(const struct replay *replay, int part)
{
    return palette[palette_part_color(replay->parts[part].color)].light;
}

static void color_limb(struct limbs *limbs, const struct scene *scene, int i, uint32_t coat)
{
    struct limb *limb = &limbs->list[i];
    const struct shape *shape = &scene->replay->shapes[i];
    double dark = fmin(DARK_STEP * limb->depth, DARK_MOST);
    if (limbs->is_animal && limb->is_single)
        dark *= DARK_SINGLE;
    if (scene->replay->parts[shape->part].mirror < 0)
        dark += DARK_LEFT;
    limb->color =
        palette_mix(limbs->is_animal ? coat : part_color(scene->replay, limb->root), SHADE, dark);
    if (limbs->style != SKIN_COAT)
        limb->color = part_color(scene->replay, shape->part);
    if (shape->kind == SHAPE_ROD && (shape->drive >= 0 || limbs->style == SKIN_BOXES))
        limb->color = scene_rod_color(scene, shape);
}

/* ---- shapes ---- */

static void round_edges(struct limb *limb, double share)
{
    for (int k = 1; k < 3; k++)
        if (limb->half[k] < limb->half[limb->thin])
            limb->thin = k;
    limb->a = (limb->thin + 1) % 3;
    limb->b = (limb->thin + 2) % 3;
    double section = share * limb->half[limb->thin];
    double outline =
        share == ROUND ? ROUND_WIDE * fmin(limb->half[limb->a], limb->half[limb->b]) : section;
    limb->round[limb->thin] = section;
    limb->round[limb->a] = limb->round[limb->b] = fmax(outline, section);
}

static struct limb box_limb(const struct scene *scene, int i, double share)
{
    struct shape shape = replay_shape_now(scene->replay, i, scene->moment.values);
    struct quaternion turn = replay_pose_quaternion(&scene->moment.poses[i]);
    struct mat3 axes = quaternion_matrix(quaternion_product(turn, shape.turn));
    struct limb limb = {.centre = scene_at(scene, i, shape.at_m),
                        .axes = {axes.x, axes.y, axes.z},
                        .half = {shape.half_m.x, shape.half_m.y, shape.half_m.z},
                        .along = -1,
                        .parent = -1};
    /* a flat part is as deep as it is thin */
    if (!(limb.half[2] > 0))
        limb.half[2] = fmin(limb.half[0], limb.half[1]);
    round_edges(&limb, shape.kind == SHAPE_BALL ? 1 : share);
    return limb;
}

static struct limb rod_limb(const struct limbs *limbs, const struct scene *scene, int i)
{
    const struct shape *rod = &scene->replay->shapes[i];
    struct vec3 ends[2];
    scene_rod_ends(scene, rod, ends);
    double radius = scene_rod_width(scene, rod) / 2;
    struct vec3 way = vec3_sub(ends[1], ends[0]), along = eye_unit(way);
    struct vec3 other = fabs(along.z) < 0.9 ? (struct vec3){0, 0, 1} : (struct vec3){0, 1, 0};
    struct vec3 across = eye_unit(vec3_cross(other, along));
    const struct limb *part = &limbs->list[rod->part];
    struct limb limb = {.centre = vec3_along(ends[0], way, 0.5),
                        .axes = {along, across, vec3_cross(along, across)},
                        .half = {vec3_length(way) / 2 + radius, radius, radius},
                        .along = -1,
                        .parent = -1,
                        .root = part->root,
                        .depth = part->depth};
    round_edges(&limb, 1);
    return limb;
}

/* The nearest place in the box of a limb that is at least so deep, or as deep as it can be. */
static struct vec3 clamp_into(const struct limb *limb, struct vec3 at, double depth)
{
    struct vec3 way = vec3_sub(at, limb->centre), in = limb->centre;
    for (int k = 0; k < 3; k++) {
        double d = vec3_dot(way, limb->axes[k]), most = fmax(limb->half[k] - depth, 0);
        in = vec3_along(in, limb->axes[k], fmin(fmax(d, -most), most));
    }
    return in;
}

/* Thinner along the axis on which the joint is farthest out; of two rather along the longer. */
static void taper_limb(struct limb *limb)
{
    double farthest = -1;
    for (int k = 0; k < 3; k++) {
        double out = vec3_dot(vec3_sub(limb->joint, limb->centre), limb->axes[k]) / limb->half[k];
        int is_longest = limb->half[k] >= fmax(limb->half[(k + 1) % 3], limb->half[(k + 2) % 3]);
        double weight = fmin(fabs(out), 1) * (is_longest ? 1.5 : 1);
        if (weight > farthest) {
            farthest = weight;
            limb->along = k;
            limb->sign = out > 0 ? 1 : -1;
        }
    }
    limb->taper = limb->is_single ? TAPER_SINGLE : TAPER_PAIR;
}

/* Where it hangs; boxes hang nowhere, each is a body of its own. */
static void hang_limb(struct limbs *limbs, const struct scene *scene, int i)
{
    const struct replay *replay = scene->replay;
    const struct replay_part *parts = replay->parts;
    struct limb *limb = &limbs->list[i];
    limb->root = i;
    limb->is_single = !replay_has_twin(replay, i);
    if (parts[i].parent < 0 || limbs->style == SKIN_BOXES)
        return;
    /* no deeper than there are parts, whatever hangs on what */
    for (; parts[limb->root].parent >= 0 && limb->depth < replay->part_count; limb->depth++)
        limb->root = parts[limb->root].parent;
    if (replay->shapes[i].kind == SHAPE_BALL)
        return;
    const struct limb *parent = &limbs->list[parts[i].parent];
    double thin = fmin(limb->half[limb->thin], parent->half[parent->thin]);
    limb->parent = parts[i].parent;
    /* where it meets that part: about where both are nearest, if there is no joint */
    limb->joint = parts[i].joint >= 0 ? scene_at(scene, parts[i].parent, parts[i].base)
                                      : clamp_into(limb, clamp_into(parent, limb->centre, 0), 0);
    limb->ball = BALL * thin;
    limb->neck = NECK * thin;
    limb->neck_reach = NECK_REACH * thin;
    limb->neck_at = vec3_scale(vec3_add(limb->joint, clamp_into(parent, limb->joint, thin)), 0.5);
    taper_limb(limb);
}

/* ---- eyes ---- */

/* A ball of an eye, in the axes of the head. */
static void add_ball(struct limbs *limbs, const struct limb *head, struct vec3 at, double radius,
                     uint32_t color)
{
    struct limb *ball = &limbs->list[limbs->count + limbs->eye_count++];
    *ball = (struct limb){.centre = at,
                          .axes = {head->axes[0], head->axes[1], head->axes[2]},
                          .half = {radius, radius, radius},
                          .reach = radius,
                          .along = -1,
                          .parent = -1,
                          .root = head->root,
                          .color = color};
    round_edges(ball, 1);
}

/* Of the axes across the head's way ahead the one that was nearest to up at the start; with its
 * sign there. */
static int find_eye_axis(const struct scene *scene, int part, int ahead, double *sign)
{
    int best = -1;
    double most = -1;
    struct replay_frame first = replay_get_frame(scene->replay, 0);
    for (int k = 0; k < (scene->replay->has_depth ? 3 : 2); k++) {
        struct vec3 axis = {k == 0, k == 1, k == 2};
        double up = replay_pose_turn(&first.poses[part], axis).y;
        if (k == ahead || fabs(up) <= most)
            continue;
        most = fabs(up);
        best = k;
        *sign = up < 0 ? -1 : 1;
    }
    return best;
}

/* Ahead is away from the joint; of a head that hangs on nothing along its own x. */
static void add_eyes(struct limbs *limbs, const struct scene *scene, int part)
{
    const struct limb *head = &limbs->list[part];
    int ahead = head->along >= 0 ? head->along : 0;
    double front = head->along >= 0 ? -head->sign : 1, up_sign = 1;
    int up = find_eye_axis(scene, part, ahead, &up_sign), side = 3 - ahead - up;
    double across = fmin(head->half[up], head->half[side]), radius = EYE * across;
    double scale = 1 - head->taper;
    struct vec3 at = vec3_along(head->centre, head->axes[ahead],
                                front * fmax(head->half[ahead] - EYE_BEHIND * across, 0));
    at = vec3_along(at, head->axes[up], up_sign * scale * EYE_UP * head->half[up]);
    for (int out = scene->replay->has_depth ? -1 : 1; out <= 1; out += 2) {
        struct vec3 eye = vec3_along(at, head->axes[side], out * head->half[side]);
        for (int i = 0; i < EYE_STEPS; i++)
            eye = vec3_along(eye, head->axes[side], -out * fmax(limb_distance(head, eye), 0));
        eye = vec3_along(eye, head->axes[side], -out * EYE_DEPTH * radius);
        struct vec3 gaze = vec3_scale(head->axes[side], out);
        gaze = eye_unit(vec3_along(gaze, head->axes[ahead], 0.5 * front));
        add_ball(limbs, head, eye, radius, EYE_COLOR);
        add_ball(limbs, head, vec3_along(eye, gaze, PUPIL_OUT * radius), PUPIL * radius,
                 PUPIL_COLOR);
    }
}

struct limbs *limbs_create(const struct scene *scene, enum skin_style style)
{
    const struct replay *replay = scene->replay;
    size_t count = (size_t)replay->shape_count;
    int roots = 0, heads = 0, parts = replay->part_count;
    for (int i = 0; i < parts; i++) {
        roots += replay->parts[i].parent < 0;
        heads += replay->parts[i].is_head;
    }
    size_t eyes = (size_t)(2 * EYE_BALLS * heads);
    struct limbs *limbs = malloc(sizeof *limbs + (count + eyes) * sizeof limbs->list[0]);
    if (!limbs)
        return NULL;
    uint32_t coat = palette_coat(replay_plan(replay));
    limbs->count = replay->shape_count;
    limbs->eye_count = 0;
    limbs->style = style;
    limbs->is_animal = roots == 1 && style == SKIN_COAT;
    /* the direction that was up at the start, as the first part has turned since */
    struct replay_frame first = replay_get_frame(replay, 0);
    struct vec3 at = replay_pose_centre(&first.poses[0]);
    struct vec3 up = replay_pose_back(&first.poses[0], vec3_add(at, (struct vec3){0, 1, 0}));
    limbs->up = replay_pose_turn(&scene->moment.poses[0], up);
    for (int i = 0; i < parts; i++) {
        /* a thing is moved by nothing, and no limbs follow it */
        int is_thing = !replay->effector_count && replay->parts[i].parent < 0 &&
                       (i + 1 == parts || replay->parts[i + 1].parent < 0);
        double share = is_thing ? ROUND_THING : ROUND;
        limbs->list[i] = box_limb(scene, i, style == SKIN_BOXES ? 0 : share);
    }
    for (int i = 0; i < limbs->count; i++) {
        struct limb *limb = &limbs->list[i];
        if (i < parts)
            hang_limb(limbs, scene, i);
        else
            *limb = rod_limb(limbs, scene, i);
        limb->reach = hypot(limb->half[0], hypot(limb->half[1], limb->half[2]));
        color_limb(limbs, scene, i, coat);
    }
    for (int i = 0; i < parts && style != SKIN_BOXES; i++)
        if (replay->parts[i].is_head)
            add_eyes(limbs, scene, i);
    return limbs;
}

/* ---- distances ---- */

/* As fmax() and fmin(), of numbers, several times as fast: these are the inner loops. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Of a corner that is round by `radius`, from how far outside the sides are that meet there. */
static inline double round_corner(double x, double y, double radius)
{
    double out_x = larger(x + radius, 0), out_y = larger(y + radius, 0);
    return sqrt(out_x * out_x + out_y * out_y) + smaller(larger(x, y) + radius, 0) - radius;
}

double limb_distance(const struct limb *limb, struct vec3 at)
{
    struct vec3 way = vec3_sub(at, limb->centre);
    double out[3], scale = 1;
    for (int k = 0; k < 3; k++)
        out[k] = vec3_dot(way, limb->axes[k]);
    if (limb->along >= 0) { /* how much of its width it has there */
        double share = 0.5 - 0.5 * limb->sign * out[limb->along] / limb->half[limb->along];
        scale = 1 - limb->taper * smaller(larger(share, 0), 1);
    }
    for (int k = 0; k < 3; k++)
        out[k] = fabs(k == limb->along ? out[k] : out[k] / scale) - limb->half[k];
    double plan = round_corner(out[limb->a], out[limb->b], limb->round[limb->a]);
    return scale * round_corner(plan, out[limb->thin], limb->round[limb->thin]);
}

/* Quilez, Smooth minimum (2013): a minimum without a crease, lower by a quarter of k at most. */
static double soft_min(double a, double b, double k)
{
    double h = k > 0 ? larger(k - fabs(a - b), 0) / k : 0;
    return smaller(a, b) - h * h * k / 4;
}

double limbs_neck_distance(const struct limbs *limbs, const struct limb *limb, struct vec3 at)
{
    double away = vec3_length(vec3_sub(at, limb->neck_at));
    double share = smaller(larger(1.5 * (1 - away / limb->neck_reach), 0), 1);
    double d = soft_min(limb_distance(limb, at),
                        vec3_length(vec3_sub(at, limb->joint)) - limb->ball, 0.6 * limb->ball);
    return soft_min(d, limb_distance(&limbs->list[limb->parent], at), limb->neck * share);
}

double limbs_neck_share(const struct limbs *limbs, const struct limb *limb, struct vec3 at)
{
    double behind = limb_distance(&limbs->list[limb->parent], at) - limb_distance(limb, at);
    return smaller(larger(0.5 + behind / (2 * limb->neck), 0), 1);
}

double limbs_clearance(const struct limbs *limbs, struct vec3 at, double most)
{
    for (int i = 0; i < limbs->count; i++) {
        const struct limb *limb = &limbs->list[i];
        struct vec3 way = vec3_sub(at, limb->centre);
        double far = most + limb->reach;
        if (vec3_dot(way, way) >= far * far)
            continue;
        most = smaller(most, limb_distance(limb, at));
    }
    return most;
}
