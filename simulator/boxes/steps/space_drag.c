/* See space_drag.h. On a face r = centre + s S + t T both the lever r x n = L0 + s L1 + t L2 and the normal velocity
 * vn = v0 + s vs + t vt are linear in s and t. The integrand is a polynomial of degree 2, times |vn| one of
 * degree 3 on each side of the line vn = 0. A law that does not ask for vn takes sums along the edges of a piece. For the
 * others a convex piece is cut where vn = 0, and what is left of it into triangles, for which there is a rule that is exact
 * for such polynomials. The integrals of all pieces of a face make one tensor. */
#include "simulator/boxes/steps/space_drag.h"

#include <math.h>
#include <string.h>

#include "common/error.h"

/* Integrals of s^i t^j, at [i][j]. */
struct moments {
    double m[4][4];
};

/* Of a piece that is cut by a line; rounding may cut it more than twice. */
enum { CORNERS_MAX = 2 * EXPOSURE_CORNERS_MAX };

/* By the rule of Strang and Fix (1973) with the centroid and three inner points, exact up to degree 3. */
static void add_triangle(struct moments *sum, struct exposure_corner a, struct exposure_corner b,
                         struct exposure_corner c)
{
    double area = ((b.s - a.s) * (c.t - a.t) - (c.s - a.s) * (b.t - a.t)) / 2;
    static const double near = 0.6, far = 0.2, third = 1.0 / 3;
    const struct {
        double a, b, c, weight;
    } points[] = {{third, third, third, -27.0 / 48},
                  {near, far, far, 25.0 / 48},
                  {far, near, far, 25.0 / 48},
                  {far, far, near, 25.0 / 48}};
    for (int k = 0; k < 4; k++) {
        double s = points[k].a * a.s + points[k].b * b.s + points[k].c * c.s;
        double t = points[k].a * a.t + points[k].b * b.t + points[k].c * c.t;
        double power = points[k].weight * area;
        for (int i = 0; i < 4; i++, power *= s) {
            double term = power;
            for (int j = 0; i + j < 4; j++, term *= t)
                sum->m[i][j] += term;
        }
    }
}

/* Of a piece where v0 + s vs + t vt >= 0. */
static void find_moments(struct moments *sum, const struct exposure_piece *piece, double v0,
                         double vs, double vt)
{
    struct exposure_corner kept[CORNERS_MAX];
    int count = 0;
    *sum = (struct moments){{{0}}};
    for (int i = 0; i < piece->count; i++) {
        struct exposure_corner a = piece->corners[i], b = piece->corners[(i + 1) % piece->count];
        double va = v0 + a.s * vs + a.t * vt, vb = v0 + b.s * vs + b.t * vt;
        if (va >= 0)
            kept[count++] = a;
        if ((va > 0 && vb < 0) || (va < 0 && vb > 0)) {
            double share = va / (va - vb);
            kept[count++] =
                (struct exposure_corner){a.s + share * (b.s - a.s), a.t + share * (b.t - a.t)};
        }
    }
    for (int i = 2; i < count; i++)
        add_triangle(sum, kept[0], kept[i - 1], kept[i]);
}

/* + the integrals of |vn| times 1, s, t, s^2, s t, t^2, or without |vn|, over the side where sign vn >= 0. */
static void add_side(double w[6], const struct space_drag_law *law,
                     const struct exposure_piece *piece, double sign, double v0, double vs,
                     double vt)
{
    static const int power_s[6] = {0, 1, 0, 2, 1, 0}, power_t[6] = {0, 0, 1, 0, 1, 2};
    struct moments moments;
    find_moments(&moments, piece, sign * v0, sign * vs, sign * vt);
    for (int k = 0; k < 6; k++) {
        int i = power_s[k], j = power_t[k];
        double plain = moments.m[i][j];
        if (!law->is_quadratic)
            w[k] += plain;
        else
            w[k] += sign * (v0 * plain + vs * moments.m[i + 1][j] + vt * moments.m[i][j + 1]);
    }
}

/* + the integrals of 1, s, t, s^2, s t, t^2, along the edges by Green's theorem. */
static void add_whole(double w[6], const struct exposure_piece *piece)
{
    double sum[6]; /* which is not among the corners, as far as compilers know */
    memcpy(sum, w, sizeof sum);
    for (int i = 0; i < piece->count; i++) {
        const struct exposure_corner *a = &piece->corners[i];
        const struct exposure_corner *b = &piece->corners[i + 1 < piece->count ? i + 1 : 0];
        double cross = a->s * b->t - b->s * a->t;
        sum[0] += cross / 2;
        sum[1] += cross * (a->s + b->s) / 6;
        sum[2] += cross * (a->t + b->t) / 6;
        sum[3] += cross * (a->s * a->s + a->s * b->s + b->s * b->s) / 12;
        sum[4] += cross * (a->s * (2 * a->t + b->t) + b->s * (a->t + 2 * b->t)) / 24;
        sum[5] += cross * (a->t * a->t + a->t * b->t + b->t * b->t) / 12;
    }
    memcpy(w, sum, sizeof sum);
}

/* + w (a b' + b a') / 2 */
static void add_product(struct sym3 *t, struct vec3 a, struct vec3 b, double w)
{
    t->xx += w * a.x * b.x;
    t->yy += w * a.y * b.y;
    t->zz += w * a.z * b.z;
    t->xy += w * (a.x * b.y + a.y * b.x) / 2;
    t->xz += w * (a.x * b.z + a.z * b.x) / 2;
    t->yz += w * (a.y * b.z + a.z * b.y) / 2;
}

/* 1 if the tensor does not depend on the velocity. */
static int is_constant(const struct space_drag_law *law)
{
    return !law->is_quadratic && !law->is_leading;
}

/* A face with its middle at `centre`, its axes and its normal, which moves with v. */
struct drag_face {
    struct vec3 centre, normal, s, t;
    double factor; /* the law's coefficient times |s| |t| */
    const struct space_motion *v;
};

/* + the integrals of the law's factor times 1, s, t, s^2, s t, t^2 over a piece of a face. */
static void add_piece(double w[6], const struct space_drag_law *law, const struct drag_face *f,
                      const struct exposure_piece *piece)
{
    if (is_constant(law)) {
        add_whole(w, piece);
        return;
    }
    struct vec3 w_centre = vec3_cross(f->v->w, f->centre);
    double v0 = vec3_dot(f->normal, vec3_add(f->v->v, w_centre));
    double vs = vec3_dot(f->normal, vec3_cross(f->v->w, f->s));
    double vt = vec3_dot(f->normal, vec3_cross(f->v->w, f->t));
    add_side(w, law, piece, 1, v0, vs, vt);
    if (!law->is_leading)
        add_side(w, law, piece, -1, v0, vs, vt);
}

/* + the tensor of a face with such integrals. */
static void add_face(struct space_tensor *tensor, const struct drag_face *f,
                     const double integrals[6])
{
    struct vec3 normal = f->normal, l0 = vec3_cross(f->centre, normal), lever;
    struct vec3 ls = vec3_cross(f->s, normal), lt = vec3_cross(f->t, normal);
    double w[6];
    for (int k = 0; k < 6; k++)
        w[k] = f->factor * integrals[k];
    tensor->fv = sym3_along(&tensor->fv, normal, w[0]);
    lever = vec3_along(vec3_along(vec3_scale(l0, w[0]), ls, w[1]), lt, w[2]);
    tensor->nv.x = vec3_along(tensor->nv.x, normal, lever.x);
    tensor->nv.y = vec3_along(tensor->nv.y, normal, lever.y);
    tensor->nv.z = vec3_along(tensor->nv.z, normal, lever.z);
    add_product(&tensor->nn, l0, l0, w[0]);
    add_product(&tensor->nn, l0, ls, 2 * w[1]);
    add_product(&tensor->nn, l0, lt, 2 * w[2]);
    add_product(&tensor->nn, ls, ls, w[3]);
    add_product(&tensor->nn, ls, lt, 2 * w[4]);
    add_product(&tensor->nn, lt, lt, w[5]);
}

void space_drag_add_piece(struct space_tensor *tensor, const struct space_drag_law *law,
                          struct vec3 centre, struct vec3 normal, struct vec3 half_s,
                          struct vec3 half_t, const struct exposure_piece *piece,
                          const struct space_motion *v)
{
    double factor = law->coefficient * vec3_length(half_s) * vec3_length(half_t);
    const struct drag_face face = {centre, normal, half_s, half_t, factor, v};
    double integrals[6] = {0};
    add_piece(integrals, law, &face, piece);
    add_face(tensor, &face, integrals);
}

/* A box of a link with that turn and origin. */
static void place_box(const struct space_box *box, const struct mat3 *turned, struct vec3 origin,
                      struct solid *solid)
{
    struct mat3 own = quaternion_matrix(quaternion_normalised(box->turn));
    struct mat3 turn = mat3_product(turned, &own);
    solids_place(solid, vec3_add(origin, mat3_apply(turned, box->centre)), &turn,
                 vec3_scale(box->size_m, 0.5));
}

/* All faces of solids[index], as far as the others leave them; the tensor is about the origin. */
static void add_box(struct space_tensor *tensor, const struct space_drag *drag,
                    const struct solid *solids, int count, int index, struct vec3 origin,
                    const struct space_motion *v)
{
    const struct solid *solid = &solids[index];
    double lengths[3];
    for (int k = 0; k < 3; k++)
        lengths[k] = vec3_length(solid->axes[k]);
    exposure_screen(solids, count, index, drag->shaded);
    for (int face = 0; face < 6; face++) {
        int k = face / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        struct drag_face f = {.s = solid->axes[k1], .t = solid->axes[k2], .v = v};
        f.factor = drag->law.coefficient * lengths[k1] * lengths[k2];
        double integrals[6] = {0};
        int pieces = exposure_find(solids, count, index, face, drag->shaded, drag->pieces);
        f.normal = face % 2 ? solid->axes[k] : vec3_negated(solid->axes[k]);
        f.centre = vec3_sub(vec3_along(solid->centre, f.normal, solid->half[k]), origin);
        for (int i = 0; i < pieces; i++)
            add_piece(integrals, &drag->law, &f, &drag->pieces[i]);
        add_face(tensor, &f, integrals);
    }
}

static int root_of(const struct space_link *links, int link)
{
    while (links[link].parent >= 0)
        link = links[link].parent;
    return link;
}

void space_drag_set_law(struct space_drag *drag, const struct space_drag_law *law)
{
    const struct space_motion still = {{0, 0, 0}, {0, 0, 0}};
    const struct mat3 one = quaternion_matrix(QUATERNION_ONE);
    const struct vec3 origin = {0, 0, 0};
    drag->law = *law;
    for (int i = 0; i < drag->link_count; i++) {
        drag->own[i] = (struct space_tensor){.nn = {0}};
        drag->poses[i] = (struct space_drag_pose){.at = {0}}; /* no link is turned by zeros */
    }
    for (int i = 0; i < drag->box_count; i++) {
        place_box(&drag->boxes[i], &one, origin, &drag->solids[i]);
        if (!drag->boxes[i].is_dry && is_constant(law) && !law->has_exposure)
            add_box(&drag->own[drag->boxes[i].link], drag, &drag->solids[i], 1, 0, origin, &still);
    }
}

int space_drag_create(struct space_drag *drag, const struct space_drag_law *law,
                      const struct space_box *boxes, int box_count, const struct space_link *links,
                      int link_count, struct arena *arena)
{
    *drag = (struct space_drag){.boxes = boxes, .box_count = box_count, .link_count = link_count};
    drag->own = arena_take(arena, (size_t)link_count, sizeof drag->own[0]);
    drag->bodies = arena_take(arena, (size_t)box_count, sizeof drag->bodies[0]);
    drag->shaded = arena_take(arena, (size_t)box_count, sizeof drag->shaded[0]);
    drag->solids = arena_take(arena, (size_t)box_count, sizeof drag->solids[0]);
    drag->poses = arena_take(arena, (size_t)link_count, sizeof drag->poses[0]);
    drag->pieces = arena_take(arena, EXPOSURE_PIECES_MAX, sizeof drag->pieces[0]);
    if (!drag->own || !drag->bodies || !drag->shaded || !drag->solids || !drag->poses ||
        !drag->pieces)
        return ERR_MEMORY;
    for (int i = 0; i < box_count; i++)
        drag->bodies[i] = root_of(links, boxes[i].link);
    space_drag_set_law(drag, law);
    return 0;
}

/* R M R' of a matrix of rows. */
static struct mat3 rows_turned(const struct mat3 *rows, const struct mat3 *r)
{
    struct mat3 half = {mat3_apply(r, rows->x), mat3_apply(r, rows->y), mat3_apply(r, rows->z)};
    struct mat3 to;
    to.x = vec3_along(vec3_along(vec3_scale(half.x, r->x.x), half.y, r->y.x), half.z, r->z.x);
    to.y = vec3_along(vec3_along(vec3_scale(half.x, r->x.y), half.y, r->y.y), half.z, r->z.y);
    to.z = vec3_along(vec3_along(vec3_scale(half.x, r->x.z), half.y, r->y.z), half.z, r->z.z);
    return to;
}

/* Places the boxes; returns 1 if they are there, bit for bit, since the last time. A step asks more than once at one
 * pose. */
static int place_boxes(const struct space_drag *drag, const struct space_tree *tree)
{
    int is_known = 1;
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        struct space_drag_pose *pose = &drag->poses[i];
        is_known &= memcmp(&pose->turned, &l->turned, sizeof l->turned) == 0 &&
                    memcmp(&pose->at, &l->at, sizeof l->at) == 0;
        pose->turned = l->turned;
        pose->at = l->at;
    }
    for (int i = 0; i < drag->box_count && !is_known; i++) {
        const struct space_tree_link *l = &tree->links[drag->boxes[i].link];
        place_box(&drag->boxes[i], &l->turned, l->at, &drag->solids[i]);
    }
    return is_known;
}

void space_drag_set(const struct space_drag *drag, struct space_tree *tree)
{
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        const struct space_tensor *own = &drag->own[i];
        l->drag = (struct space_tensor){sym3_turned(&own->nn, &l->turned),
                                        rows_turned(&own->nv, &l->turned),
                                        sym3_turned(&own->fv, &l->turned)};
    }
    if (is_constant(&drag->law) && !drag->law.has_exposure)
        return;
    int is_known = place_boxes(drag, tree);
    if (is_known && is_constant(&drag->law)) {
        for (int i = 0; i < tree->count; i++)
            tree->links[i].drag = drag->poses[i].tensor;
        return;
    }
    for (int i = 0, first = 0; i < drag->box_count; i++) {
        struct space_tree_link *l = &tree->links[drag->boxes[i].link];
        int count = 1;
        first = drag->bodies[i] == drag->bodies[first] ? first : i;
        while (first + count < drag->box_count && drag->bodies[first + count] == drag->bodies[i])
            count++;
        if (drag->boxes[i].is_dry)
            continue;
        if (drag->law.has_exposure)
            add_box(&l->drag, drag, drag->solids + first, count, i - first, l->at, &l->velocity);
        else
            add_box(&l->drag, drag, &drag->solids[i], 1, 0, l->at, &l->velocity);
    }
    for (int i = 0; i < tree->count; i++)
        drag->poses[i].tensor = tree->links[i].drag;
}
