/* See spatial_drag.h. On a face r = centre + s S + t T both the lever r x n = L0 + s L1 + t L2 and
 * the normal velocity vn = v0 + s vs + t vt are linear in s and t. The integrand is a polynomial of
 * degree 2, times |vn| one of degree 3 on each side of the line vn = 0. A law that does not ask for
 * vn takes sums along the edges of a piece. For the others a convex piece is cut where vn = 0, and
 * the rest of it into triangles, for which there is a rule that is exact for such polynomials. The
 * integrals of all pieces of a face make one tensor. */
#include "simulator/links/spatial_drag.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/math/pair.h"

/* Integrals of s^i t^j, at by_t[j][i]. Those of a degree above 3 are of no use. */
struct moments {
    quad by_t[4];
};

/* Corners of a piece that is cut by a line; rounding may cut it more than twice. */
enum { CORNERS_MAX = 2 * EXPOSURE_CORNERS_MAX };
/* Pieces that are kept, for each box. */
enum { PIECES_KEPT = 16 };
/* The share of its velocity by which a face has to trail: pieces may reach beyond it by
 * rounding. */
#define TRAILING_SHARE 1e-9

/* By the rule of Strang and Fix (1973) with the centroid and three inner points, exact up to degree
 * 3. */
static inline void add_triangle(struct moments *sum, const struct exposure_corner *a,
                                const struct exposure_corner *b, const struct exposure_corner *c)
{
    const double near = 0.6, far = 0.2, third = 1.0 / 3;
    const quad weights = {-27.0 / 48, 25.0 / 48, 25.0 / 48, 25.0 / 48};
    const quad of_a = {third, near, far, far}, of_b = {third, far, near, far};
    const quad of_c = {third, far, far, near};
    double area = ((b->s - a->s) * (c->t - a->t) - (c->s - a->s) * (b->t - a->t)) / 2;
    quad s = of_a * a->s + of_b * b->s + of_c * c->s, t = of_a * a->t + of_b * b->t + of_c * c->t;
    quad one = weights * area, two = one * s, three = two * s, four = three * s;
    for (int k = 0; k < 4; k++) {
        quad terms = {one[k], two[k], three[k], four[k]};
        sum->by_t[0] += terms;
        for (int j = 1; j < 4; j++) {
            terms *= t[k];
            sum->by_t[j] += terms;
        }
    }
}

/* Moments of that part of a piece where v0 + s vs + t vt >= 0. */
static void find_moments(struct moments *sum, const struct exposure_piece *piece, double v0,
                         double vs, double vt)
{
    struct exposure_corner kept[CORNERS_MAX];
    const struct exposure_corner *a = &piece->corners[0];
    double va = v0 + a->s * vs + a->t * vt;
    int count = 0;
    *sum = (struct moments){{{0}}};
    for (int i = 0; i < piece->count; i++) {
        const struct exposure_corner *b = &piece->corners[i + 1 < piece->count ? i + 1 : 0];
        double vb = v0 + b->s * vs + b->t * vt;
        if (va >= 0)
            kept[count++] = *a;
        if ((va > 0 && vb < 0) || (va < 0 && vb > 0)) {
            double share = va / (va - vb);
            kept[count++] = (struct exposure_corner){a->s + share * (b->s - a->s),
                                                     a->t + share * (b->t - a->t)};
        }
        a = b;
        va = vb;
    }
    for (int i = 2; i < count; i++)
        add_triangle(sum, &kept[0], &kept[i - 1], &kept[i]);
}

/* + the integrals of |vn| times 1, s, t, s^2, s t, t^2, or without |vn|, over the side where sign
 * vn >= 0. */
static void add_side(double w[6], const struct spatial_drag_law *law,
                     const struct exposure_piece *piece, double sign, double v0, double vs,
                     double vt)
{
    static const int power_s[6] = {0, 1, 0, 2, 1, 0}, power_t[6] = {0, 0, 1, 0, 1, 2};
    struct moments moments;
    find_moments(&moments, piece, sign * v0, sign * vs, sign * vt);
    for (int k = 0; k < 6; k++) {
        int i = power_s[k], j = power_t[k];
        double plain = moments.by_t[j][i];
        if (!law->is_quadratic)
            w[k] += plain;
        else
            w[k] += sign * (v0 * plain + vs * moments.by_t[j][i + 1] + vt * moments.by_t[j + 1][i]);
    }
}

/* + the integrals of 1, s, t, s^2, s t, t^2, along the edges by Green's theorem. */
static void add_whole(double w[6], const struct exposure_piece *piece)
{
    double one = 0, mixed = 0;
    pair first = {0, 0}, second = {0, 0}; /* of s and t, and of their squares */
    for (int i = 0; i < piece->count; i++) {
        const struct exposure_corner *a = &piece->corners[i];
        const struct exposure_corner *b = &piece->corners[i + 1 < piece->count ? i + 1 : 0];
        pair from = PAIR(&a->s, 0), to = PAIR(&b->s, 0), sum = from + to;
        double cross = a->s * b->t - b->s * a->t;
        one += cross;
        first += cross * sum;
        second += cross * (sum * sum - from * to);
        mixed += cross * (sum[0] * sum[1] + a->s * a->t + b->s * b->t);
    }
    w[0] += 0.5 * one;
    w[1] += 1.0 / 6 * first[0];
    w[2] += 1.0 / 6 * first[1];
    w[3] += 1.0 / 12 * second[0];
    w[4] += 1.0 / 24 * mixed;
    w[5] += 1.0 / 12 * second[1];
}

int spatial_drag_is_constant(const struct spatial_drag_law *law)
{
    return !law->is_quadratic && !law->is_leading;
}

void spatial_drag_integrate(const struct spatial_drag_law *law, const struct exposure_piece *piece,
                            double v0, double vs, double vt, double w[6])
{
    if (spatial_drag_is_constant(law)) {
        add_whole(w, piece);
        return;
    }
    add_side(w, law, piece, 1, v0, vs, vt);
    if (!law->is_leading)
        add_side(w, law, piece, -1, v0, vs, vt);
}

/* Integrates over a whole face of a box. */
static void integrate_whole(const struct spatial_drag_law *law, const struct solid *solid, int face,
                            double v0, double vs, double vt, double w[6])
{
    double u = solid->half[(face / 2 + 1) % 3], v = solid->half[(face / 2 + 2) % 3];
    for (int i = 0; i < 6; i++)
        w[i] = 0;
    if (spatial_drag_is_constant(law)) {
        w[0] = 4 * u * v;
        w[3] = w[0] * u * u / 3;
        w[5] = w[0] * v * v / 3;
        return;
    }
    const struct exposure_piece whole = {4, {{-u, -v}, {u, -v}, {u, v}, {-u, v}}};
    spatial_drag_integrate(law, &whole, v0, vs, vt, w);
}

/* The drag on the faces of a box, about its centre in its axes: a tensor whose fv is diagonal. */
struct box_sums {
    double nn[3][3], nv[3][3], fv[3]; /* nn: above and below the diagonal alike */
};

/* + a face across axis k, by its integrals. With n = +-e_k and the axes s and t of the face after k
 *
 *   r x n = +-(t e_s - s e_t),   g g' = (r x n, n)(r x n, n)'
 *
 * whichever end of the axis it is at, and however far. */
static void add_face(struct box_sums *sums, int k, const double w[6])
{
    int s = (k + 1) % 3, t = (k + 2) % 3;
    sums->fv[k] += w[0];
    sums->nv[s][k] += w[2];
    sums->nv[t][k] -= w[1];
    sums->nn[s][s] += w[5];
    sums->nn[t][t] += w[3];
    sums->nn[s][t] -= w[4];
    sums->nn[t][s] -= w[4];
}

/* + that face's share of the column of a stretch; the end of the axis has a sign. */
static void add_column(struct spatial_drag_stretch *to, int k, double sign, double spread,
                       const double w[6])
{
    double force[3] = {0}, moment[3] = {0};
    force[k] = sign * spread * w[0];
    moment[(k + 1) % 3] = sign * spread * w[2];
    moment[(k + 2) % 3] = -sign * spread * w[1];
    to->force = vec3_add(to->force, (struct vec3){force[0], force[1], force[2]});
    to->moment = vec3_add(to->moment, (struct vec3){moment[0], moment[1], moment[2]});
    to->own += spread * spread * w[0];
}

/* The column from the box's axes and centre to the world's and the link's origin. */
static struct spatial_drag_stretch turned_column(const struct spatial_drag_stretch *s,
                                                 const struct mat3 *axes, struct vec3 arm)
{
    struct spatial_drag_stretch to = *s;
    to.force = mat3_apply(axes, s->force);
    to.moment = vec3_add(mat3_apply(axes, s->moment), vec3_cross(arm, to.force));
    return to;
}

static struct spatial_tensor tensor_of(const struct box_sums *b)
{
    return (struct spatial_tensor){
        {b->nn[0][0], b->nn[0][1], b->nn[0][2], b->nn[1][1], b->nn[1][2], b->nn[2][2]},
        {{b->nv[0][0], b->nv[0][1], b->nv[0][2]},
         {b->nv[1][0], b->nv[1][1], b->nv[1][2]},
         {b->nv[2][0], b->nv[2][1], b->nv[2][2]}},
        {b->fv[0], 0, 0, b->fv[1], 0, b->fv[2]}};
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

static struct spatial_tensor turned(const struct spatial_tensor *t, const struct mat3 *turn)
{
    return (struct spatial_tensor){sym3_turned(&t->nn, turn), rows_turned(&t->nv, turn),
                                   sym3_turned(&t->fv, turn)};
}

/* 1 if the law leaves out all of a face. */
static int is_trailing(const struct spatial_drag_law *law, const struct solid *solid, int face,
                       double v0, double vs, double vt)
{
    double u = solid->half[(face / 2 + 1) % 3], v = solid->half[(face / 2 + 2) % 3];
    if (!law->is_leading)
        return 0;
    double reach = fabs(vs) * u + fabs(vt) * v;
    return v0 + reach < -TRAILING_SHARE * (fabs(v0) + reach);
}

static void forget_hidden(const struct spatial_drag *drag)
{
    drag->hidden->count = 0;
    for (int i = 0; i < 6 * drag->box_count; i++)
        drag->hidden->faces[i].is_known = 0;
}

/* The pieces of a face of box i that `count` boxes, with the relations `others`, hide. */
static void find_hidden(const struct spatial_drag *drag, int i, int face, int count)
{
    struct spatial_drag_hidden *h = drag->hidden;
    struct spatial_drag_face *f = &h->faces[6 * i + face];
    f->first = h->count;
    f->count = exposure_find(&drag->solids[drag->places[i].solid], face, drag->others, count,
                             h->pieces + h->count);
    f->is_known = h->count + f->count <= h->room;
    if (f->is_known && f->count > 0)
        h->count += f->count;
}

/* Where box i stands among the solids, and which of them may hide its faces. */
static struct spatial_drag_place place_of(const struct spatial_drag *drag, int i)
{
    struct spatial_drag_place place = drag->places[i];
    if (!drag->law.has_exposure)
        place = (struct spatial_drag_place){.solid = place.solid, .first = place.solid, .count = 1};
    return place;
}

/* + all faces of box i, as far as they are exposed; the tensor is about the origin, which moves
 * with v. */
static void add_box(struct spatial_tensor *tensor, const struct spatial_drag *drag, int i,
                    struct vec3 origin, const struct spatial_motion *motion)
{
    const struct spatial_drag_place place = place_of(drag, i);
    const struct solid *solid = &drag->solids[place.solid];
    const struct mat3 axes = {solid->axes[0], solid->axes[1], solid->axes[2]};
    struct vec3 arm = vec3_sub(solid->centre, origin), turning = mat3_back(&axes, motion->w);
    struct vec3 moving = mat3_back(&axes, vec3_add(motion->v, vec3_cross(motion->w, arm)));
    const double w[3] = {turning.x, turning.y, turning.z}, v[3] = {moving.x, moving.y, moving.z};
    struct spatial_drag_stretch stretch = {.rate = 0};
    struct box_sums sums = {.fv = {0}};
    if (drag->stretches)
        stretch = (struct spatial_drag_stretch){.rate = drag->stretches[i].rate,
                                                .spread = drag->stretches[i].spread};
    const double spread[3] = {stretch.spread.x, stretch.spread.y, stretch.spread.z};
    int is_screened = 0;
    for (int face = 0; face < 2 * drag->axes; face++) {
        const struct spatial_drag_face *f = &drag->hidden->faces[6 * i + face];
        int k = face / 2, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        double sign = face % 2 ? 1 : -1, v0 = sign * v[k] + stretch.rate * spread[k];
        double vs = -sign * w[k2], vt = sign * w[k1];
        double exposed[6], hidden[6] = {0};
        if (is_trailing(&drag->law, solid, face, v0, vs, vt))
            continue;
        if (!f->is_known && !is_screened) {
            exposure_screen(drag->solids + place.first, place.count, place.solid - place.first,
                            drag->others);
            is_screened = 1;
        }
        if (!f->is_known)
            find_hidden(drag, i, face, place.count);
        if (f->count == EXPOSURE_ALL_HIDDEN)
            continue;
        integrate_whole(&drag->law, solid, face, v0, vs, vt, exposed);
        for (int n = 0; n < f->count; n++)
            spatial_drag_integrate(&drag->law, &drag->hidden->pieces[f->first + n], v0, vs, vt,
                                   hidden);
        for (int n = 0; n < 6; n++)
            exposed[n] = drag->law.coefficient * (exposed[n] - hidden[n]);
        add_face(&sums, k, exposed);
        if (drag->stretches)
            add_column(&stretch, k, sign, spread[k], exposed);
    }
    if (drag->stretches)
        drag->stretches[i] = turned_column(&stretch, &axes, arm);
    struct spatial_tensor own = tensor_of(&sums);
    own = turned(&own, &axes);
    spatial_tensor_add_shifted(tensor, &own, arm);
}

/* A box of a link with that turn and origin. */
static void place_box(const struct spatial_drag *drag, int i, const struct mat3 *turned,
                      struct vec3 origin)
{
    const struct body_box *box = &drag->boxes[i];
    struct mat3 turn = mat3_product(turned, &drag->turns[i]);
    solids_place(&drag->solids[drag->places[i].solid],
                 vec3_add(origin, mat3_apply(turned, box->centre)), &turn,
                 vec3_scale(box->size_m, 0.5));
}

static int root_of(const struct body_link *links, int link)
{
    while (links[link].parent >= 0)
        link = links[link].parent;
    return link;
}

/* Gives each box its place: the solids of one body, which hang on one root, follow one another, in
 * the order of the boxes. */
static void find_places(const struct spatial_drag *drag, const struct body_link *links)
{
    for (int i = 0; i < drag->box_count; i++) {
        struct spatial_drag_place *place = &drag->places[i];
        int root = links ? root_of(links, drag->boxes[i].link) : 0;
        *place = (struct spatial_drag_place){.solid = 0};
        for (int k = 0; k < drag->box_count; k++) {
            int other = links ? root_of(links, drag->boxes[k].link) : 0;
            place->first += other < root;
            place->count += other == root;
            place->solid += other < root || (other == root && k < i);
        }
        ENSURE(place->solid - place->first < place->count, "box %d at %d of %d", i,
               place->solid - place->first, place->count);
    }
}

void spatial_drag_set_law(struct spatial_drag *drag, const struct spatial_drag_law *law)
{
    const struct spatial_motion still = {{0, 0, 0}, {0, 0, 0}};
    const struct mat3 one = quaternion_matrix(QUATERNION_ONE);
    const struct vec3 origin = {0, 0, 0};
    drag->law = *law;
    /* tensors are kept where the velocity does not change them */
    drag->hidden->room = spatial_drag_is_constant(law) ? 0 : drag->box_count * PIECES_KEPT;
    forget_hidden(drag);
    for (int i = 0; i < drag->link_count; i++) {
        drag->own[i] = (struct spatial_tensor){.nn = {0}};
        drag->poses[i] = (struct spatial_drag_pose){.at = {0}}; /* no link is turned by zeros */
    }
    for (int i = 0; i < drag->box_count; i++) {
        place_box(drag, i, &one, origin);
        if (!drag->boxes[i].is_dry && spatial_drag_is_constant(law) && !law->has_exposure)
            add_box(&drag->own[drag->boxes[i].link], drag, i, origin, &still);
    }
}

static struct spatial_drag_hidden *create_hidden(int box_count, struct arena *arena)
{
    struct spatial_drag_hidden *h = arena_take(arena, 1, sizeof *h);
    if (!h)
        return NULL;
    h->faces = arena_take(arena, (size_t)box_count, 6 * sizeof h->faces[0]);
    h->pieces = arena_take_unset(arena, (size_t)box_count * PIECES_KEPT + EXPOSURE_PIECES_MAX,
                                 sizeof h->pieces[0]);
    return h->faces && h->pieces ? h : NULL;
}

int spatial_drag_create(struct spatial_drag *drag, const struct spatial_drag_law *law,
                        const struct body_box *boxes, int box_count, const struct body_link *links,
                        int link_count, struct arena *arena)
{
    *drag = (struct spatial_drag){
        .boxes = boxes, .box_count = box_count, .link_count = link_count, .axes = 3};
    drag->own = arena_take(arena, (size_t)link_count, sizeof drag->own[0]);
    drag->places = arena_take(arena, (size_t)box_count, sizeof drag->places[0]);
    drag->others = arena_take(arena, (size_t)box_count, sizeof drag->others[0]);
    drag->solids = arena_take(arena, (size_t)box_count, sizeof drag->solids[0]);
    drag->turns = arena_take(arena, (size_t)box_count, sizeof drag->turns[0]);
    drag->poses = arena_take(arena, (size_t)link_count, sizeof drag->poses[0]);
    drag->hidden = create_hidden(box_count, arena);
    if (arena->is_exhausted)
        return ERR_MEMORY;
    for (int i = 0; i < box_count; i++) {
        ENSURE(boxes[i].link >= 0 && boxes[i].link < link_count, "box %d is of link %d of %d", i,
               boxes[i].link, link_count);
        drag->turns[i] = quaternion_matrix(quaternion_normalised(boxes[i].turn));
    }
    find_places(drag, links);
    spatial_drag_set_law(drag, law);
    return 0;
}

/* Places the boxes; returns 1 if they are there, bit for bit, since the last time. A step asks more
 * than once at one pose. */
static int place_boxes(const struct spatial_drag *drag, const struct spatial_tree *tree)
{
    int is_known = drag->stretches == NULL;
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        struct spatial_drag_pose *pose = &drag->poses[i];
        is_known &= memcmp(&pose->turned, &l->turned, sizeof l->turned) == 0 &&
                    memcmp(&pose->at, &l->at, sizeof l->at) == 0;
        pose->turned = l->turned;
        pose->at = l->at;
    }
    if (is_known)
        return 1;
    forget_hidden(drag);
    for (int i = 0; i < drag->box_count; i++) {
        const struct spatial_tree_link *l = &tree->links[drag->boxes[i].link];
        place_box(drag, i, &l->turned, l->at);
    }
    return 0;
}

void spatial_drag_set(const struct spatial_drag *drag, struct spatial_tree *tree)
{
    int has_own =
        spatial_drag_is_constant(&drag->law) && !drag->law.has_exposure && !drag->stretches;
    ENSURE(tree->count == drag->link_count, "drag of %d links for a tree of %d", drag->link_count,
           tree->count);
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        l->drag = has_own ? turned(&drag->own[i], &l->turned) : (struct spatial_tensor){.nn = {0}};
    }
    if (has_own)
        return;
    int is_known = place_boxes(drag, tree);
    if (is_known && spatial_drag_is_constant(&drag->law)) {
        for (int i = 0; i < tree->count; i++)
            tree->links[i].drag = drag->poses[i].tensor;
        return;
    }
    for (int i = 0; i < drag->box_count; i++) {
        struct spatial_tree_link *l = &tree->links[drag->boxes[i].link];
        if (!drag->boxes[i].is_dry)
            add_box(&l->drag, drag, i, l->at, &l->velocity);
    }
    for (int i = 0; i < tree->count; i++)
        drag->poses[i].tensor = tree->links[i].drag;
}
