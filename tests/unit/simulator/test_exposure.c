/* What is exposed of the faces of boxes, and the drag on it: covered and sealed boxes, random heaps
 * against a plain way to find it, and drag that is what rays from a grid of points find, which know
 * nothing of shadows, and never gives power. */
#include "simulator/links/exposure.h"

#include "simulator/links/spatial_drag.h"
#include "tests/direction_search.h"
#include "tests/exposure_reference.h"
#include "tests/plain_fixture.h"

enum { GRID = 100, HEAP = 6 };

static struct rng rng;
static struct exposure_piece pieces[EXPOSURE_PIECES_MAX];

static void setup(void)
{
    rng_init(&rng, 9, RNG_TEST, 0, 0);
}

static struct solid upright(double x, double y, double z, double hx, double hy, double hz)
{
    return (struct solid){{x, y, z}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {hx, hy, hz}, 0};
}

/* The hidden pieces. */
static int find(const struct solid *solids, int count, int box, int face)
{
    static struct exposure_other others[HEAP + 1];
    ck_assert_int_le(count, HEAP + 1);
    exposure_screen(solids, count, box, others);
    return exposure_find(&solids[box], face, others, count, pieces);
}

static double face_area(const struct solid *s, int face)
{
    return 4 * s->half[(face / 2 + 1) % 3] * s->half[(face / 2 + 2) % 3];
}

static double exposed_area(const struct solid *solids, int count, int box, int face)
{
    int found = find(solids, count, box, face);
    double sum = found == EXPOSURE_ALL_HIDDEN ? 0 : face_area(&solids[box], face);
    for (int i = 0; i < found; i++)
        sum -= exposure_area(&pieces[i]);
    return sum;
}

TEST_LOOP(a_box_alone_is_exposed, 0, 6)
{
    struct solid s = upright(1, 2, 3, 0.5, 0.2, 0.3);
    const double areas[3] = {0.24, 0.6, 0.4};
    ck_assert_int_eq(find(&s, 1, 0, _i), 0);
    ck_assert_double_eq_tol(exposed_area(&s, 1, 0, _i), areas[_i / 2], 1e-15);
}

/* A neighbour whose face is flush with ours hides nothing of it, one that stands on it hides its
 * footprint, and what faces it from afar as well. */
TEST(neighbours_hide_what_they_cover)
{
    struct solid s[2] = {upright(0, 0, 0, 0.5, 0.2, 0.3), upright(0.9, 0, 0, 0.4, 0.2, 0.3)};
    ck_assert_double_eq_tol(exposed_area(s, 2, 0, 3), 0.6, 1e-15);
    ck_assert_double_eq_tol(exposed_area(s, 2, 0, 1), 0, 1e-15);
    ck_assert_double_eq_tol(exposed_area(s, 2, 1, 0), 0, 1e-15);
    for (int far = 0; far < 2; far++) {
        s[1] = upright(0.1, far ? 7 : 0.4, 0, 0.1, 0.2, 0.1);
        ck_assert_double_eq_tol(exposed_area(s, 2, 0, 3), 0.56, 1e-15);
        ck_assert_double_eq_tol(exposed_area(s, 2, 0, 2), 0.6, 1e-15);
    }
}

/* A box behind six walls is hidden, turned as it may be; so are the walls' inner faces. */
TEST(a_sealed_box_is_hidden)
{
    struct solid s[7];
    for (int k = 0; k < 50; k++) {
        struct mat3 turn = draw_turn(&rng);
        solids_place(&s[0], (struct vec3){0, 0, 0}, &turn, (struct vec3){0.2, 0.1, 0.15});
        for (int face = 0; face < 6; face++) {
            double at = face % 2 ? 0.5 : -0.5, hx = 0.6, hy = 0.6, hz = 0.6;
            double *thin = face < 2 ? &hx : face < 4 ? &hy : &hz;
            *thin = 0.1;
            s[1 + face] =
                upright(face < 2 ? at : 0, face / 2 == 1 ? at : 0, face > 3 ? at : 0, hx, hy, hz);
        }
        for (int face = 0; face < 6; face++) {
            ck_assert_int_eq(find(s, 7, 0, face), EXPOSURE_ALL_HIDDEN);
            ck_assert_double_eq_tol(exposed_area(s, 7, 1 + face, face), 1.44, 1e-12);
        }
    }
}

/* 1 if the ray from a point along a direction meets a box. */
static int is_met(const struct solid *s, struct vec3 from, struct vec3 along)
{
    double low = 0, high = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        double at = vec3_dot(vec3_sub(from, s->centre), s->axes[k]);
        double speed = vec3_dot(along, s->axes[k]);
        if (fabs(speed) < 1e-12 && fabs(at) > s->half[k])
            return 0;
        if (fabs(speed) < 1e-12)
            continue;
        double one = (-s->half[k] - at) / speed, two = (s->half[k] - at) / speed;
        low = fmax(low, fmin(one, two));
        high = fmin(high, fmax(one, two));
    }
    return low <= high;
}

/* Area, and integrals of s, t, s^2, s t, t^2. */
struct sums {
    double of[6];
};

static void add_point(struct sums *sums, double s, double t, double area)
{
    const double value[6] = {1, s, t, s * s, s * t, t * t};
    for (int k = 0; k < 6; k++)
        sums->of[k] += area * value[k];
}

/* + the integrals over a piece by the midpoints of triangles' sides, which integrate what is
 * quadratic. */
static void add_piece(struct sums *sums, const struct exposure_piece *piece, double sign)
{
    const struct exposure_corner *c = piece->corners;
    for (int k = 2; k < piece->count; k++) {
        struct exposure_piece triangle = {3, {c[0], c[k - 1], c[k]}};
        double third = sign * exposure_area(&triangle) / 3;
        add_point(sums, (c[0].s + c[k].s) / 2, (c[0].t + c[k].t) / 2, third);
        add_point(sums, (c[0].s + c[k - 1].s) / 2, (c[0].t + c[k - 1].t) / 2, third);
        add_point(sums, (c[k].s + c[k - 1].s) / 2, (c[k].t + c[k - 1].t) / 2, third);
    }
}

/* Sums over what is exposed: the whole face without the hidden pieces. */
static struct sums sum_exposed(const struct solid *solids, int count, int box, int face)
{
    struct sums sums = {{0}};
    const struct solid *s = &solids[box];
    double u = s->half[(face / 2 + 1) % 3], v = s->half[(face / 2 + 2) % 3];
    const struct exposure_piece whole = {4, {{-u, -v}, {u, -v}, {u, v}, {-u, v}}};
    int found = find(solids, count, box, face);
    if (found == EXPOSURE_ALL_HIDDEN)
        return sums;
    add_piece(&sums, &whole, 1);
    for (int i = 0; i < found; i++)
        add_piece(&sums, &pieces[i], -1);
    return sums;
}

/* A heap of boxes: 0: anywhere, 1: upright on a grid, so that sides are flush, 2: each on a face of
 * another. */
static void draw_heap(struct solid *heap, int count, int kind)
{
    for (int i = 0; i < count; i++) {
        struct mat3 turn = kind == 1 ? quaternion_matrix(QUATERNION_ONE) : draw_turn(&rng);
        struct vec3 at = vec3_scale(draw_direction(&rng), rng_uniform(&rng, 0, 1));
        struct vec3 half = {rng_uniform(&rng, 0.1, 0.5), 0.2, 0.25};
        if (kind == 1) {
            at = (struct vec3){0.25 * floor(4 * at.x), 0.25 * floor(4 * at.y),
                               0.25 * floor(4 * at.z)};
            half = (struct vec3){0.25, half.x > 0.3 ? 0.5 : 0.25, 0.25};
        } else if (kind == 2 && i > 0) {
            const struct solid *on = &heap[rng_below(&rng, (uint32_t)i)];
            int k = (int)rng_below(&rng, 3), k1 = (k + 1) % 3;
            const double halves[3] = {half.x, half.y, half.z};
            double way = on->half[k] + halves[k];
            turn = (struct mat3){on->axes[0], on->axes[1], on->axes[2]};
            at = vec3_along(on->centre, on->axes[k], rng_below(&rng, 2) ? way : -way);
            if (rng_below(&rng, 2))
                at = vec3_along(at, on->axes[k1], rng_uniform(&rng, -0.3, 0.3));
        }
        solids_place(&heap[i], at, &turn, half);
    }
}

/* What the plainest way leaves exposed has the same integrals, where sides are flush as well; flush
 * sides may be an 1e-8 of a box from where rounding has them. */
TEST(integrals_are_those_of_all_cuts)
{
    static struct exposure_piece plain[EXPOSURE_PIECES_MAX];
    int hidden = 0, cut = 0, several = 0;
    for (int n = 0; n < 1500; n++) {
        struct solid heap[HEAP];
        int box = n % HEAP;
        draw_heap(heap, HEAP, n % 3);
        for (int face = 0; face < 6; face++) {
            const struct solid *s = &heap[box];
            double u = s->half[(face / 2 + 1) % 3], v = s->half[(face / 2 + 2) % 3];
            double size[6] = {1, u, v, u * u, u * v, v * v}, area = face_area(s, face);
            struct sums found = sum_exposed(heap, HEAP, box, face), expected = {{0}};
            int count = exposure_reference(heap, HEAP, box, face, plain);
            for (int i = 0; i < count; i++)
                add_piece(&expected, &plain[i], 1);
            for (int k = 0; k < 6; k++)
                ck_assert_msg(fabs(found.of[k] - expected.of[k]) <=
                                  (n % 3 == 0 ? 1e-11 : 1e-7) * area * size[k],
                              "heap %d face %d integral %d: %.15g, %.15g", n, face, k, found.of[k],
                              expected.of[k]);
            int pieces_found = find(heap, HEAP, box, face);
            hidden += pieces_found == EXPOSURE_ALL_HIDDEN;
            cut += pieces_found > 0;
            several += pieces_found > 2;
        }
    }
    ck_assert_int_gt(hidden, 250);
    ck_assert_int_gt(cut, 1500);
    ck_assert_int_gt(several, 250);
}

/* More pieces than there is room for: the face counts as hidden. */
TEST(a_face_in_too_many_shadows_is_hidden)
{
    enum { STICKS = 100 };
    static struct solid s[STICKS + 1];
    static struct exposure_other others[STICKS + 1];
    s[0] = upright(0, 0, 0, 1, 1, 1);
    for (int i = 0; i < STICKS; i++)
        s[1 + i] = upright(-0.9 + 0.2 * (i % 10), 2, -0.9 + 0.2 * (i / 10), 0.05, 0.05, 0.05);
    exposure_screen(s, EXPOSURE_PIECES_MAX + 1, 0, others);
    ck_assert_int_eq(exposure_find(&s[0], 3, others, EXPOSURE_PIECES_MAX + 1, pieces),
                     EXPOSURE_PIECES_MAX);
    exposure_screen(s, STICKS + 1, 0, others);
    ck_assert_int_eq(exposure_find(&s[0], 3, others, STICKS + 1, pieces), EXPOSURE_ALL_HIDDEN);
    ck_assert_int_eq(exposure_find(&s[0], 2, others, STICKS + 1, pieces), 0);
}

/* However boxes are turned as a whole, the same is exposed. */
static void assert_turns_alike(const struct solid *heap, int count)
{
    struct solid turned[HEAP];
    struct mat3 turn = draw_turn(&rng);
    struct vec3 shift = vec3_scale(draw_direction(&rng), 3);
    for (int i = 0; i < count; i++) {
        struct mat3 own = {heap[i].axes[0], heap[i].axes[1], heap[i].axes[2]};
        own = mat3_product(&turn, &own);
        solids_place(&turned[i], vec3_add(shift, mat3_apply(&turn, heap[i].centre)), &own,
                     (struct vec3){heap[i].half[0], heap[i].half[1], heap[i].half[2]});
    }
    for (int i = 0; i < 6 * count; i++) {
        const double *half = heap[i / 6].half;
        double area = 4 * half[(i % 6 / 2 + 1) % 3] * half[(i % 6 / 2 + 2) % 3];
        double one = exposed_area(heap, count, i / 6, i % 6);
        double two = exposed_area(turned, count, i / 6, i % 6);
        ck_assert_msg(fabs(one - two) < 1e-7 * area, "box %d face %d: %.9g, %.9g of %g", i / 6,
                      i % 6, one, two, area);
    }
}

/* At right angles a box has all corners of its shadow twice, but for rounding. These two boards, of
 * one of which an edge is above the corner of the other, hid nothing of one another in one turn of
 * a thousand. */
TEST(turned_boxes_are_exposed_alike)
{
    double c = cos(0.3719), s = sin(0.3719);
    const struct mat3 turn = {{c, 0, -s}, {s, 0, c}, {0, -1, 0}};
    struct solid heap[HEAP];
    heap[0] = upright(0, 0, 0, 0.015, 0.1365, 0.1466);
    solids_place(&heap[1], (struct vec3){-0.0251, -0.0824, -0.283}, &turn,
                 (struct vec3){0.0278, 0.1362, 0.1466});
    for (int n = 0; n < 8000; n++)
        assert_turns_alike(heap, 2);
    for (int n = 0; n < 250; n++) {
        draw_heap(heap, HEAP, 1 + n % 2);
        assert_turns_alike(heap, HEAP);
    }
}

/* ---------------------------------------------------------------- drag */

static struct spatial_tree tree;
static struct spatial_drag drag;
static struct body_box boxes[HEAP];

/* A free link that is a heap of boxes at random, or a small one in a dry shell. */
static void build_heap(int is_sealed, const struct spatial_drag_law *law)
{
    struct body_link link = {.parent = -1,
                             .kind = LINK_FREE,
                             .frame = QUATERNION_ONE,
                             .mass_kg = 1,
                             .inertia = {1, 0, 0, 1, 0, 1}};
    double q[7] = {rng_uniform(&rng, -1, 1), 0, 1, 0.5, -0.5, 0.1, 0.7};
    int count = is_sealed ? 2 : HEAP - 2;
    arena_open(1u << 20);
    for (int i = 0; i < count; i++) {
        struct quaternion turn = quaternion_exp(vec3_scale(draw_direction(&rng), 2));
        boxes[i] = (struct body_box){
            .turn = turn,
            .centre = vec3_scale(draw_direction(&rng), 0.6),
            .size_m = {rng_uniform(&rng, 0.2, 0.8), rng_uniform(&rng, 0.2, 0.8), 0.5}};
    }
    if (is_sealed) {
        boxes[0].centre = boxes[1].centre = (struct vec3){0, 0, 0};
        boxes[1].size_m = (struct vec3){3, 3, 3};
        boxes[1].is_dry = 1;
    }
    ck_assert_int_eq(spatial_tree_create(&tree, &link, 1, (struct vec3){0, 0, 0}, &arena), 0);
    ck_assert_int_eq(spatial_drag_create(&drag, law, boxes, count, &link, 1, &arena), 0);
    spatial_tree_normalise(&tree, q);
    spatial_tree_set_pose(&tree, q);
}

static struct spatial_motion draw_motion(void)
{
    return (struct spatial_motion){vec3_scale(draw_direction(&rng), rng_uniform(&rng, 0, 5)),
                                   vec3_scale(draw_direction(&rng), rng_uniform(&rng, 0, 2))};
}

/* V' B V */
static double resisted(const struct spatial_tensor *t, const struct spatial_motion *v)
{
    return vec3_dot(v->w, sym3_apply(&t->nn, v->w)) + 2 * vec3_dot(v->w, mat3_back(&t->nv, v->v)) +
           vec3_dot(v->v, sym3_apply(&t->fv, v->v));
}

TEST(a_sealed_box_does_not_swim)
{
    for (int kind = 0; kind < 4; kind++) {
        const struct spatial_drag_law law = {5, kind & 1, kind >> 1, 1};
        build_heap(1, &law);
        tree.links[0].velocity = draw_motion();
        spatial_drag_set(&drag, &tree);
        struct spatial_motion v = draw_motion();
        ck_assert(resisted(&tree.links[0].drag, &v) == 0);
        const struct spatial_drag_law bare = {5, kind & 1, kind >> 1, 0};
        spatial_drag_set_law(&drag, &bare);
        if (kind > 0) /* planted: the shell is forgotten */
            spatial_drag_set(&drag, &tree);
        if (kind > 0)
            ck_assert_double_gt(resisted(&tree.links[0].drag, &v), 1e-3);
    }
}

/* Asked again at a pose, a tensor is the same; at another pose it is what a drag that has seen no
 * pose finds. Other velocities count where the law says so. */
TEST(tensors_follow_pose_and_velocity)
{
    for (int kind = 0; kind < 4; kind++) {
        const struct spatial_drag_law law = {5, kind & 1, kind >> 1, 1};
        struct spatial_tensor found[4];
        build_heap(0, &law);
        tree.links[0].velocity = draw_motion();
        for (int n = 0; n < 4; n++) {
            if (n == 2)
                tree.links[0].turned = draw_turn(&rng);
            if (n == 3)
                spatial_drag_set_law(&drag, &law);
            spatial_drag_set(&drag, &tree);
            found[n] = tree.links[0].drag;
        }
        ck_assert_mem_eq(&found[1], &found[0], sizeof found[0]);
        ck_assert_mem_ne(&found[2], &found[0], sizeof found[0]);
        ck_assert_mem_eq(&found[3], &found[2], sizeof found[0]);
        tree.links[0].velocity = draw_motion();
        spatial_drag_set(&drag, &tree);
        int is_same = memcmp(&tree.links[0].drag, &found[3], sizeof found[0]) == 0;
        ck_assert_int_eq(is_same, kind == 0);
    }
}

/* What is kept of a pose changes nothing: at many velocities a tensor is, bit for bit, that of a
 * drag that knows no pose, and that of one which has no room for pieces. */
TEST(pieces_that_are_kept_are_those_found_anew)
{
    for (int i = 0; i < 400; i++) {
        const struct spatial_drag_law law = {5, i & 1, i >> 1 & 1, 1};
        struct spatial_tensor kept;
        build_heap(0, &law);
        for (int n = 0; n < 10; n++) {
            tree.links[0].velocity = draw_motion();
            spatial_drag_set(&drag, &tree);
            kept = tree.links[0].drag;
        }
        ck_assert_int_eq(drag.hidden->count > 0, !spatial_drag_is_constant(&law));
        ck_assert_int_le(drag.hidden->count, drag.hidden->room);
        for (int n = 0; n < 2; n++) {
            spatial_drag_set_law(&drag, &law);
            if (n == 1)
                drag.hidden->room = 0;
            spatial_drag_set(&drag, &tree);
            ck_assert_mem_eq(&tree.links[0].drag, &kept, sizeof kept);
        }
        ck_assert_int_eq(drag.hidden->count, 0);
    }
}

/* A linear law sums along edges; one of leading faces alone by triangles, which are all of a face
 * that leads. */
TEST(edges_and_triangles_give_the_same)
{
    const struct exposure_piece piece = {5,
                                         {{-1, -1}, {0.5, -1.2}, {1, 0}, {0.4, 0.9}, {-0.8, 0.3}}};
    double found[2][6] = {{0}};
    for (int i = 0; i < 2; i++) {
        const struct spatial_drag_law law = {5, 0, i, 1};
        spatial_drag_integrate(&law, &piece, 3, 0.02, -0.01, found[i]);
    }
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(found[0][k], found[1][k], 1e-13);
    ck_assert_double_eq_tol(found[0][0], exposure_area(&piece), 1e-13);
}

TEST(drag_never_gives_power)
{
    for (int i = 0; i < 400; i++) {
        const struct spatial_drag_law law = {5, i & 1, i >> 1 & 1, i >> 2 & 1};
        build_heap(0, &law);
        tree.links[0].velocity = draw_motion();
        spatial_drag_set(&drag, &tree);
        for (int k = 0; k < 20; k++) {
            struct spatial_motion v = k == 0 ? tree.links[0].velocity : draw_motion();
            ck_assert_double_ge(resisted(&tree.links[0].drag, &v), -1e-12);
        }
    }
}

/* Power of a motion against the sum over a grid of points of all faces, of those that rays leave
 * from freely. */
TEST(tensors_are_what_rays_find)
{
    enum { FINE = 200 };
    for (int kind = 0; kind < 4; kind++) {
        const struct spatial_drag_law law = {5, kind & 1, kind >> 1, 1};
        build_heap(0, &law);
        struct spatial_motion v = tree.links[0].velocity = draw_motion();
        spatial_drag_set(&drag, &tree);
        double sum = 0;
        for (int n = 0; n < drag.box_count * 6; n++) {
            const struct solid *s = &drag.solids[n / 6];
            int k = n % 6 / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            struct vec3 normal = vec3_scale(s->axes[k], n % 2 ? 1 : -1);
            struct vec3 middle = vec3_along(s->centre, normal, s->half[k] + 1e-9);
            for (int i = 0; i < FINE * FINE; i++) {
                double x = s->half[k1] * ((2 * (i / FINE) + 1.0) / FINE - 1);
                double y = s->half[k2] * ((2 * (i % FINE) + 1.0) / FINE - 1);
                struct vec3 at = vec3_along(vec3_along(middle, s->axes[k1], x), s->axes[k2], y);
                struct vec3 r = vec3_sub(at, tree.links[0].at);
                double speed = vec3_dot(normal, vec3_add(v.v, vec3_cross(v.w, r)));
                int is_hidden = law.is_leading && speed < 0;
                for (int other = 0; other < drag.box_count && !is_hidden; other++)
                    is_hidden = other != n / 6 && is_met(&drag.solids[other], at, normal);
                double area = 4 * s->half[k1] * s->half[k2] / (FINE * FINE);
                if (!is_hidden)
                    sum += area * law.coefficient * (law.is_quadratic ? fabs(speed) : 1) * speed *
                           speed;
            }
        }
        ck_assert_double_eq_tol(resisted(&tree.links[0].drag, &v), sum, 1e-3 * sum);
    }
}

/* Two heaps of two boxes each, side by side, whose boxes stand in that order: the drag of both. */
static void drag_of_two(const int order[4], const struct spatial_drag_law *law,
                        struct spatial_tensor out[2])
{
    static const double at[4] = {0, 0.5, 9, 9.6};
    struct body_link links[2];
    double q[14] = {0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 2; i++)
        links[i] = (struct body_link){.parent = -1,
                                      .kind = LINK_FREE,
                                      .frame = QUATERNION_ONE,
                                      .mass_kg = 1,
                                      .inertia = {1, 0, 0, 1, 0, 1}};
    for (int i = 0; i < 4; i++)
        boxes[i] = (struct body_box){.link = order[i] / 2,
                                     .turn = QUATERNION_ONE,
                                     .centre = {at[order[i]] - 9 * (order[i] / 2), 0, 0},
                                     .size_m = {0.2 + 0.1 * order[i], 0.4, 0.5}};
    arena_open(1u << 20);
    ck_assert_int_eq(spatial_tree_create(&tree, links, 2, (struct vec3){0, 0, 0}, &arena), 0);
    ck_assert_int_eq(spatial_drag_create(&drag, law, boxes, 4, links, 2, &arena), 0);
    spatial_tree_normalise(&tree, q);
    spatial_tree_set_pose(&tree, q);
    for (int i = 0; i < 2; i++)
        tree.links[i].velocity = (struct spatial_motion){{1, 2, 3}, {0.1, 0.2, 0.3}};
    spatial_drag_set(&drag, &tree);
    for (int i = 0; i < 2; i++)
        out[i] = tree.links[i].drag;
}

/* Scenes name bodies in any order, so boxes of one may stand between those of another. */
TEST(boxes_of_two_bodies_may_alternate)
{
    for (int kind = 0; kind < 8; kind++) {
        const struct spatial_drag_law law = {5, kind & 1, kind >> 1 & 1, kind >> 2};
        struct spatial_tensor sorted[2], mixed[2];
        drag_of_two((const int[4]){0, 1, 2, 3}, &law, sorted);
        drag_of_two((const int[4]){2, 0, 3, 1}, &law, mixed);
        ck_assert_mem_eq(sorted, mixed, sizeof sorted);
    }
}

SUITE("exposure", 120, setup, NULL)
