/* See constraint.h. Every contact is a corner against a line that belongs to the ground or to a
 * link: then its distance is a smooth function of the coordinates, with the derivatives that a
 * constraint needs. Derivation for a corner p of link a, a unit vector e fixed in link b, r = p -
 * c_b:
 *
 *   D   = e . r                      e' = w_b (e turned by 90 degrees) = w_b f
 *   D'  = e . u + w_b f . r,         u = r' = v_p - v_b
 *   D'' = e . (a_p - a_b) + alpha_b f . r + 2 w_b f . u - w_b^2 e . r
 *   a_p = a_a + alpha_a x s - w_a^2 s,   s = p - c_a
 *
 * The terms without accelerations are the row's curvature. On a ground with relief corners and
 * lowest points of faces touch; see relief.h. */
#include <math.h>
#include <stddef.h>

#include "common/math/detmath.h"
#include "simulator/reference/plane/constraint.h"

/* Boxes deeper in each other than this touch along one direction only. */
#define DEEP_M 1e-3
/* What touches a crest wanders no faster, m/s. */
#define WANDERING_M_S 100.0
/* A disk's centre this near to a point, m, has no direction from it. */
#define NEAREST_M 1e-12

static struct vec2 turn(const struct place *p, struct vec2 v)
{
    return (struct vec2){p->cos * v.x - p->sin * v.y, p->sin * v.x + p->cos * v.y};
}

void touch_place_box(const struct constraint *c, int part, struct box *box)
{
    const struct part *p = &c->phenotype->parts[part];
    const struct place *l = &c->places[p->link];
    struct vec2 centre = c->phenotype->links[p->link].centre;
    struct vec2 arm = turn(l, (struct vec2){p->local.x - centre.x, p->local.y - centre.y});
    *box = (struct box){.x = l->x + arm.x,
                        .y = l->y + arm.y,
                        .half_width = p->width_m / 2,
                        .half_height = p->height_m / 2,
                        .shape = p->shape,
                        .cos = l->cos * c->part_cos[part] - l->sin * c->part_sin[part],
                        .sin = l->sin * c->part_cos[part] + l->cos * c->part_sin[part]};
}

void touch_place(struct constraint *c, const double *y)
{
    for (int i = 0; i < c->links; i++) {
        const double *at = y + 3 * i, *v = y + 3 * (c->links + i);
        struct place *p = &c->places[i];
        *p = (struct place){
            .x = at[0], .y = at[1], .angle = at[2], .vx = v[0], .vy = v[1], .w = v[2]};
        det_sincos(p->angle, &p->sin, &p->cos);
    }
}

double touch_top_speed(const struct constraint *c)
{
    double top = 0;
    for (int i = 0; i < c->parts; i++) {
        const struct place *p = &c->places[c->phenotype->parts[i].link];
        double reach = 0;
        for (int k = 0; k < 4; k++) {
            struct vec2 corner = c->corners[4 * i + k];
            reach = fmax(reach, corner.x * corner.x + corner.y * corner.y);
        }
        reach = sqrt(reach);
        if (c->phenotype->parts[i].shape == PART_DISK)
            reach += c->part_radius[i];
        top = fmax(top, sqrt(p->vx * p->vx + p->vy * p->vy) + fabs(p->w) * reach);
    }
    return top;
}

void touch_set_row(const struct constraint *c, struct row *row, int a, struct vec2 s, int b,
                   struct vec2 r, struct vec2 e)
{
    const struct place *p = &c->places[a];
    *row = (struct row){.a = a, .b = b, .ja = {e.x, e.y, s.x * e.y - s.y * e.x}};
    row->rate = e.x * p->vx + e.y * p->vy + row->ja[2] * p->w;
    row->curvature = -p->w * p->w * (s.x * e.x + s.y * e.y);
    if (b < 0)
        return;
    const struct place *o = &c->places[b];
    struct vec2 f = {-e.y, e.x};
    double ux = p->vx - p->w * s.y - o->vx, uy = p->vy + p->w * s.x - o->vy;
    row->jb[0] = -e.x;
    row->jb[1] = -e.y;
    row->jb[2] = f.x * r.x + f.y * r.y;
    row->rate += row->jb[0] * o->vx + row->jb[1] * o->vy + row->jb[2] * o->w;
    row->curvature += 2 * o->w * (f.x * ux + f.y * uy) - o->w * o->w * (e.x * r.x + e.y * r.y);
}

void touch_set_slide_row(const struct constraint *c, struct row *row, int a, struct vec2 own, int b,
                         struct vec2 others, struct vec2 direction)
{
    const struct place *p = &c->places[a], *o = &c->places[b];
    struct vec2 s = turn(p, own), e = turn(o, direction);
    struct vec2 r = {(p->x - o->x) + s.x, (p->y - o->y) + s.y};
    touch_set_row(c, row, a, s, b, r, e);
    row->deviation = (e.x * r.x + e.y * r.y) - (direction.x * others.x + direction.y * others.y);
}

void touch_set_joint_row(const struct constraint *c, int link, struct row *row)
{
    const struct body *body = &c->bodies[link];
    const struct place *p = &c->places[link], *o = &c->places[body->parent];
    if (body->is_linear) {
        touch_set_slide_row(c, row, link, body->own, body->parent, body->parents, body->axis);
        return;
    }
    *row = (struct row){.a = link, .b = body->parent, .ja = {0, 0, 1}, .jb = {0, 0, -1}};
    row->deviation = p->angle - o->angle;
    row->rate = p->w - o->w;
}

/* The gap to a limit, which the coordinate's row measures one way or the other. */
static void update_limit(const struct constraint *c, struct touch *t)
{
    struct row *row = &t->rows[0];
    touch_set_joint_row(c, t->a, row);
    row->deviation =
        t->side > 0 ? row->deviation - c->lower[t->a] : c->upper[t->a] - row->deviation;
    if (t->side > 0)
        return;
    row->rate = -row->rate;
    row->curvature = -row->curvature;
    for (int k = 0; k < 3; k++) {
        row->ja[k] = -row->ja[k];
        row->jb[k] = -row->jb[k];
    }
}

/* Where a disk of radius R is on a line, the material point below the centre counts for friction:
 * its velocity along the line is that of the centre plus R (w_a - w_b), which is the rate of
 * rolling. */
static void add_rolling(const struct constraint *c, struct row *row, double radius)
{
    const struct place *p = &c->places[row->a];
    row->ja[2] += radius;
    row->rate += radius * p->w;
    row->deviation += radius * p->angle;
    if (row->b < 0)
        return;
    const struct place *o = &c->places[row->b];
    row->jb[2] -= radius;
    row->rate -= radius * o->w;
    row->deviation -= radius * o->angle;
}

/* A disk's centre p at arm s, and a point q at arm r of link b: with d = p - q, u = d', n = d / |d|
 *
 *   D  = |d| - R - R_b,  D' = n . u,  D'' = n . u' + (t . u)^2 / |d|
 *   tangent: t . u + R w_a + R_b w_b,  with  n' = (t . u / |d|) t,  t' = -(t . u / |d|) n
 *
 * The way that one rolls on the other has no formula, so sliding is not corrected, only its
 * rate. */
static void update_point(const struct constraint *c, struct touch *t)
{
    const struct place *p = &c->places[t->a], *o = &c->places[t->b];
    struct vec2 s = turn(p, c->corners[4 * t->part]);
    struct vec2 r = turn(o, c->corners[4 * t->other + t->face]);
    int is_disk = c->phenotype->parts[t->other].shape == PART_DISK;
    double own = c->part_radius[t->part], others = is_disk ? c->part_radius[t->other] : 0;
    double dx = (p->x + s.x) - (o->x + r.x), dy = (p->y + s.y) - (o->y + r.y);
    double length = sqrt(dx * dx + dy * dy);
    struct vec2 n = {0, 1};
    if (length > NEAREST_M)
        n = (struct vec2){dx / length, dy / length};
    struct vec2 along = {n.y, -n.x};
    double ux = (p->vx - p->w * s.y) - (o->vx - o->w * r.y);
    double uy = (p->vy + p->w * s.x) - (o->vy + o->w * r.x);
    double drift = (along.x * ux + along.y * uy) / fmax(length, NEAREST_M);
    const struct vec2 directions[2] = {n, along};
    for (int k = 0; k < 2; k++) {
        struct vec2 e = directions[k];
        struct row *row = &t->rows[k];
        *row = (struct row){.a = t->a, .b = t->b};
        row->ja[0] = e.x, row->ja[1] = e.y, row->ja[2] = s.x * e.y - s.y * e.x;
        row->jb[0] = -e.x, row->jb[1] = -e.y, row->jb[2] = -(r.x * e.y - r.y * e.x);
        row->rate = e.x * ux + e.y * uy;
        row->curvature =
            -p->w * p->w * (s.x * e.x + s.y * e.y) + o->w * o->w * (r.x * e.x + r.y * e.y);
    }
    t->rows[0].deviation = length - own - others;
    t->rows[0].curvature += drift * drift * length;
    t->rows[1].curvature -= drift * (n.x * ux + n.y * uy);
    t->rows[1].ja[2] += own;
    t->rows[1].jb[2] += others;
    t->rows[1].rate += own * p->w + others * o->w;
    t->along = 0;
    t->at = (struct vec2){p->x + s.x - own * n.x, p->y + s.y - own * n.y};
    t->normal = n;
}

double touch_friction(const struct constraint *c, const struct touch *t)
{
    int is_own = phenotype_is_own_contact(c->phenotype, t->part, t->other);
    return is_own ? c->world.own_friction : c->world.friction;
}

double touch_elasticity(const struct constraint *c, const struct touch *t)
{
    int is_own = phenotype_is_own_contact(c->phenotype, t->part, t->other);
    return is_own ? c->world.own_elasticity : c->world.elasticity;
}

/* Middle and outward normal of an obstacle's face, and how long and how thick it is there. */
struct wall {
    struct vec2 middle, normal;
    double half_length, thickness;
};

static struct wall obstacle_wall(const struct constraint *c, int other, int face)
{
    static const double face_x[4] = {1, 0, -1, 0}, face_y[4] = {0, 1, 0, -1};
    const struct box *box = &c->obstacles[CONTACT_OBSTACLE - other];
    int is_end = face == FACE_RIGHT || face == FACE_LEFT;
    double depth = is_end ? box->half_width : box->half_height;
    struct vec2 n = {box->cos * face_x[face] - box->sin * face_y[face],
                     box->sin * face_x[face] + box->cos * face_y[face]};
    return (struct wall){.middle = {box->x + depth * n.x, box->y + depth * n.y},
                         .normal = n,
                         .half_length = is_end ? box->half_height : box->half_width,
                         .thickness = 2 * depth};
}

/* A corner p of an obstacle on a face of link a, e a unit vector fixed in the link, f = e turned by
 * 90 degrees: D = e . r, r = p - c_a, D' = w f . r - e . v, D'' = alpha f . r - e . a +
 * curvature. */
static void update_edge(const struct constraint *c, struct touch *t)
{
    const struct edge *face = &c->faces[4 * t->part + t->face];
    const struct place *p = &c->places[t->a];
    struct vec2 at, n = turn(p, face->normal), along = {n.y, -n.x};
    collide_box_corner(&c->obstacles[CONTACT_OBSTACLE - t->other], t->corner, &at.x, &at.y);
    struct vec2 r = {at.x - p->x, at.y - p->y};
    const struct vec2 directions[2] = {n, along};
    for (int k = 0; k < 2; k++) {
        struct vec2 e = directions[k], f = {-e.y, e.x};
        struct row *row = &t->rows[k];
        double turning = f.x * r.x + f.y * r.y;
        *row = (struct row){.a = t->a, .b = -1, .ja = {-e.x, -e.y, turning}};
        row->rate = turning * p->w - (e.x * p->vx + e.y * p->vy);
        row->curvature =
            -2 * p->w * (f.x * p->vx + f.y * p->vy) - p->w * p->w * (e.x * r.x + e.y * r.y);
        row->deviation = e.x * r.x + e.y * r.y;
    }
    t->along = t->rows[1].deviation;
    t->rows[0].deviation -= face->normal.x * face->middle.x + face->normal.y * face->middle.y;
    t->at = at;
    t->normal = (struct vec2){-n.x, -n.y};
}

/* A point of a face wanders while the face rolls: sliding is not corrected there, only its rate. */
static void update_relief(const struct constraint *c, struct touch *t)
{
    const struct relief *relief = &c->world.relief;
    const struct place *p = &c->places[t->a];
    struct box box;
    struct relief_shape shape;
    double along[2] = {t->along, 0};
    touch_place_box(c, t->part, &box);
    struct solid solid = collide_solid(&box, 0);
    struct relief_feature f = relief_feature_of(&solid, t->corner);
    relief_descend(relief, &f, along);
    struct vec3 at = relief_place(&f, along);
    relief_shape_at(relief, at.x, at.z, &shape);
    struct vec3 normal = relief_normal(&shape);
    struct vec2 s = {at.x - p->x, at.y - p->y}, n = {normal.x, normal.y};
    struct vec3 u = {p->vx - p->w * s.y, p->vy + p->w * s.x, 0};
    touch_set_row(c, &t->rows[0], t->a, s, -1, s, n);
    touch_set_row(c, &t->rows[1], t->a, s, -1, s, (struct vec2){n.y, -n.x});
    t->rows[0].curvature +=
        relief_motion_of(&shape, &f, u, (struct vec3){0, 0, p->w}, WANDERING_M_S).turning;
    t->rows[0].deviation = normal.y * (at.y - shape.height);
    t->along = along[0];
    t->at = (struct vec2){at.x, at.y};
    t->normal = n;
}

void touch_update(const struct constraint *c, struct touch *t)
{
    if (t->part < 0) {
        update_limit(c, t);
        return;
    }
    if (t->kind == TOUCH_POINT) {
        update_point(c, t);
        return;
    }
    if (t->kind == TOUCH_EDGE) {
        update_edge(c, t);
        return;
    }
    if (t->kind == TOUCH_RELIEF) {
        update_relief(c, t);
        return;
    }
    const struct place *p = &c->places[t->a];
    struct vec2 s = turn(p, c->corners[4 * t->part + t->corner]);
    struct vec2 at = {p->x + s.x, p->y + s.y}, n = {0, 1}, r = at;
    double offset = 0;
    if (t->b >= 0) {
        const struct edge *f = &c->faces[4 * t->other + t->face];
        const struct place *o = &c->places[t->b];
        n = turn(o, f->normal);
        r = (struct vec2){at.x - o->x, at.y - o->y};
        offset = f->normal.x * f->middle.x + f->normal.y * f->middle.y;
    } else if (t->other <= CONTACT_OBSTACLE) {
        struct wall wall = obstacle_wall(c, t->other, t->face);
        n = wall.normal;
        r = (struct vec2){at.x - wall.middle.x, at.y - wall.middle.y};
    }
    struct vec2 along = {n.y, -n.x};
    touch_set_row(c, &t->rows[0], t->a, s, t->b, r, n);
    touch_set_row(c, &t->rows[1], t->a, s, t->b, r, along);
    t->rows[0].deviation = n.x * r.x + n.y * r.y - offset;
    t->rows[1].deviation = t->along = along.x * r.x + along.y * r.y;
    t->at = at;
    t->normal = n;
    if (t->kind == TOUCH_DISK) {
        double radius = c->part_radius[t->part];
        t->rows[0].deviation -= radius;
        t->at = (struct vec2){at.x - radius * n.x, at.y - radius * n.y};
        add_rolling(c, &t->rows[1], radius);
    }
}

/* Distance of the corner, or of a disk's centre, from the middle of its face, along it. */
static double off_middle(const struct constraint *c, const struct touch *t)
{
    int part = t->kind == TOUCH_EDGE ? t->part : t->other;
    const struct edge *f = &c->faces[4 * part + t->face];
    return fabs(t->along - (f->middle.x * f->normal.y - f->middle.y * f->normal.x));
}

/* 1 if the disk's centre is beyond both faces that meet in the corner. */
static int is_before_corner(const struct constraint *c, const struct touch *t)
{
    static const int faces[4][2] = {{FACE_RIGHT, FACE_TOP},
                                    {FACE_LEFT, FACE_TOP},
                                    {FACE_LEFT, FACE_BOTTOM},
                                    {FACE_RIGHT, FACE_BOTTOM}};
    double length = t->rows[0].deviation + c->part_radius[t->part];
    for (int k = 0; k < 2; k++) {
        const struct edge *face = &c->faces[4 * t->other + faces[t->face][k]];
        struct vec2 n = turn(&c->places[t->b], face->normal);
        if (length * (n.x * t->normal.x + n.y * t->normal.y) < -c->epsilon_m)
            return 0;
    }
    return 1;
}

/* Whether a touch with an obstacle still holds. */
static int is_on_wall(const struct constraint *c, const struct touch *t)
{
    const struct part *part = &c->phenotype->parts[t->part];
    double half = c->faces[4 * t->part + t->face].half_length, off, thickness;
    if (t->kind == TOUCH_EDGE) {
        off = off_middle(c, t);
        thickness = t->face % 2 == 0 ? part->width_m : part->height_m;
    } else {
        struct wall wall = obstacle_wall(c, t->other, t->face);
        off = fabs(t->along);
        half = wall.half_length;
        thickness = wall.thickness;
    }
    return off <= half + c->epsilon_m && -t->rows[0].deviation <= thickness / 2 + c->epsilon_m;
}

static int is_on_side(const struct constraint *c, const struct touch *t)
{
    struct solid solid = collide_solid(&c->boxes[t->part], 0);
    struct relief_feature f = relief_feature_of(&solid, t->corner);
    return f.sides == 0 || (t->along >= 0 && t->along <= f.length[0]);
}

int touch_is_on_face(const struct constraint *c, const struct touch *t)
{
    if (t->kind == TOUCH_RELIEF)
        return is_on_side(c, t);
    if (t->part >= 0 && t->other <= CONTACT_OBSTACLE)
        return is_on_wall(c, t);
    if (t->b < 0 || t->part < 0)
        return 1;
    const struct part *part = &c->phenotype->parts[t->other];
    if (part->shape == PART_PLANE)
        return 1;
    if (t->kind == TOUCH_POINT)
        return part->shape == PART_DISK || is_before_corner(c, t);
    double thickness = t->face % 2 == 0 ? part->width_m : part->height_m;
    return off_middle(c, t) <= c->faces[4 * t->other + t->face].half_length + c->epsilon_m &&
           -t->rows[0].deviation <= thickness / 2;
}

struct touch *touch_pressing(const struct constraint *c, int key)
{
    for (int i = 0; i < c->touch_count; i++)
        if (c->touches[i].key == key)
            return &c->touches[i];
    return NULL;
}

/* Adds a touch to found[] if it is close enough. */
static void consider(struct constraint *c, const struct touch *touch, double margin)
{
    struct touch t = *touch;
    touch_update(c, &t);
    if (!(t.rows[0].deviation < margin && touch_is_on_face(c, &t)))
        return;
    if (c->found_count < c->touch_room)
        c->found[c->found_count++] = t;
    else
        arena_refuse(c->arena);
}

/* How many lowest points of a feature are named before one: as of a touch which presses there, so
 * that its name stays while it wanders. */
static int rank_on_relief(const struct constraint *c, int part, const struct relief_point *point)
{
    int own = point->name % RELIEF_NAMES, last = -1;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        if (t->kind != TOUCH_RELIEF || t->part != part || t->corner != own)
            continue;
        if (fabs(t->along - point->s[0]) < RELIEF_SAME_SHARE * c->world.relief.wavelength_m)
            return t->face;
        last = t->face > last ? t->face : last;
    }
    return last + 1 + point->name / RELIEF_NAMES;
}

static void find_on_relief(struct constraint *c, int part, double margin)
{
    struct solid solid = collide_solid(&c->boxes[part], 0);
    struct relief_points points;
    relief_meet(&c->world.relief, &solid, margin, &points);
    for (int i = 0; i < points.count; i++) {
        int own = points.list[i].name % RELIEF_NAMES,
            rank = rank_on_relief(c, part, &points.list[i]);
        struct touch t = {.key =
                              -2 - 2 * c->links - ((rank * c->parts + part) * RELIEF_NAMES + own),
                          .kind = TOUCH_RELIEF,
                          .part = part,
                          .corner = own,
                          .face = rank,
                          .along = points.list[i].s[0],
                          .other = CONTACT_GROUND,
                          .a = c->phenotype->parts[part].link,
                          .b = -1};
        consider(c, &t, margin);
    }
}

static void find_on_ground(struct constraint *c, int part, double margin)
{
    if (c->boxes[part].y - c->part_radius[part] >= margin)
        return;
    if (c->world.relief.depth_m > 0) {
        find_on_relief(c, part, margin);
        return;
    }
    int is_disk = c->phenotype->parts[part].shape == PART_DISK;
    for (int k = 0; k < (is_disk ? 1 : 4); k++) {
        struct touch t = {.key = 4 * part + k,
                          .kind = is_disk ? TOUCH_DISK : TOUCH_CORNER,
                          .part = part,
                          .corner = k,
                          .other = -1,
                          .a = c->phenotype->parts[part].link,
                          .b = -1};
        consider(c, &t, margin);
    }
}

static void consider_pair(struct constraint *c, enum touch_kind kind, int part, int corner,
                          int other, int face, double margin)
{
    /* a disk has no corners: the kind takes their place */
    int own = kind == TOUCH_CORNER ? corner : kind == TOUCH_DISK ? 0 : 1;
    struct touch t = {.key = 4 * c->parts + ((4 * part + own) * c->parts + other) * 4 + face,
                      .kind = kind,
                      .part = part,
                      .corner = corner,
                      .other = other,
                      .face = face,
                      .a = c->phenotype->parts[part].link,
                      .b = c->phenotype->parts[other].link};
    consider(c, &t, margin);
}

static void consider_corner(struct constraint *c, int part, int corner, int other, int face,
                            double margin)
{
    consider_pair(c, TOUCH_CORNER, part, corner, other, face, margin);
}

/* All corners, or the disk, on a half-plane. */
static void find_on_plane(struct constraint *c, int part, int plane, double margin)
{
    const struct part *p = &c->phenotype->parts[part];
    if (p->shape == PART_DISK)
        consider_pair(c, TOUCH_DISK, part, 0, plane, FACE_TOP, margin);
    for (int k = 0; k < 4 && p->shape == PART_BOX; k++)
        consider_corner(c, part, k, plane, FACE_TOP, margin);
}

/* A disk touches what of the other is nearest to its centre. */
static void find_on_disk(struct constraint *c, int disk, int other, double margin)
{
    struct nearest nearest = {.is_corner = 1};
    if (c->phenotype->parts[other].shape == PART_BOX)
        collide_nearest(&c->boxes[other], c->boxes[disk].x, c->boxes[disk].y, &nearest);
    consider_pair(c, nearest.is_corner ? TOUCH_POINT : TOUCH_DISK, disk, 0, other, nearest.index,
                  margin);
}

/* The face between a corner and the next one; the first corner of a face. */
static const int incident_face[4] = {FACE_TOP, FACE_LEFT, FACE_BOTTOM, FACE_RIGHT};
static const int end_corner[4] = {
    [FACE_TOP] = 0, [FACE_LEFT] = 1, [FACE_BOTTOM] = 2, [FACE_RIGHT] = 3};

/* The features of collide_boxes() name the reference face and the incident corners: those corners
 * stand against that face, and the ends of that face against the incident one. Of boxes deep inside
 * each other only the first is taken where there is one: two directions would be at odds. */
static void find_between(struct constraint *c, int first, int second, double margin)
{
    enum part_shape a = c->phenotype->parts[first].shape, b = c->phenotype->parts[second].shape;
    if (a == PART_PLANE || b == PART_PLANE) {
        find_on_plane(c, b == PART_PLANE ? first : second, b == PART_PLANE ? second : first,
                      margin);
        return;
    }
    if (a == PART_DISK || b == PART_DISK) {
        find_on_disk(c, a == PART_DISK ? first : second, a == PART_DISK ? second : first, margin);
        return;
    }
    struct manifold m;
    collide_boxes(&c->boxes[first], &c->boxes[second], margin, &m);
    if (m.count == 0)
        return;
    int feature = m.points[0].feature;
    int reference = feature >= 32 ? second : first, incident = feature >= 32 ? first : second;
    int face = feature % 32 / 8, corner = feature % 8 / 2, end = end_corner[face];
    int before = c->found_count;
    for (int i = 0; i < 2; i++)
        consider_corner(c, incident, (corner + i) % 4, reference, face, margin);
    if (c->found_count > before && fmin(m.points[0].gap, m.points[m.count - 1].gap) < -DEEP_M)
        return;
    for (int i = 0; i < 2; i++)
        consider_corner(c, reference, (end + i) % 4, incident, incident_face[corner], margin);
}

/* A corner of a part on an obstacle's face, or an obstacle's corner on a face of the part. */
static void consider_wall(struct constraint *c, enum touch_kind kind, int part, int corner,
                          int obstacle, int face, double margin)
{
    int is_edge = kind == TOUCH_EDGE;
    int name = (((obstacle * c->parts + part) * 2 + is_edge) * 4 + corner) * 4 + face;
    struct touch t = {.key = 4 * c->parts * (1 + 4 * c->parts) + name,
                      .kind = kind,
                      .part = part,
                      .corner = corner,
                      .other = CONTACT_OBSTACLE - obstacle,
                      .face = face,
                      .a = c->phenotype->parts[part].link,
                      .b = -1};
    consider(c, &t, margin);
}

/* As find_between(), the obstacle being the second. */
static void find_on_obstacle(struct constraint *c, int part, int obstacle, double margin)
{
    struct manifold m;
    const struct box *box = &c->obstacles[obstacle];
    if (collide_is_beyond(box, c->boxes[part].x, c->boxes[part].y, c->part_radius[part] + margin) ||
        collide_is_graze(box, &c->boxes[part], 2 * c->epsilon_m))
        return;
    collide_boxes(&c->boxes[part], box, margin, &m);
    if (m.count == 0)
        return;
    int feature = m.points[0].feature, is_theirs = feature >= 32;
    int face = feature % 32 / 8, corner = feature % 8 / 2, end = end_corner[face];
    enum touch_kind first = is_theirs ? TOUCH_CORNER : TOUCH_EDGE;
    enum touch_kind second = is_theirs ? TOUCH_EDGE : TOUCH_CORNER;
    int before = c->found_count;
    for (int i = 0; i < 2; i++)
        consider_wall(c, first, part, (corner + i) % 4, obstacle, face, margin);
    if (c->found_count > before && fmin(m.points[0].gap, m.points[m.count - 1].gap) < -DEEP_M)
        return;
    for (int i = 0; i < 2; i++)
        consider_wall(c, second, part, (end + i) % 4, obstacle, incident_face[corner], margin);
}

static void find_limits(struct constraint *c, double margin)
{
    for (int i = 1; i < c->links; i++)
        for (int k = 0; k < 2 && c->bodies[i].has_joint; k++) {
            struct touch t = {.key = -1 - (2 * i + k),
                              .part = -1,
                              .other = -1,
                              .a = i,
                              .b = c->bodies[i].parent,
                              .side = k ? -1 : 1};
            consider(c, &t, margin);
        }
}

/* Operations for each pair of things that may touch, most of which are far apart. */
enum { PAIR_WORK = 20 };

void touch_find(struct constraint *c, double margin)
{
    c->found_count = 0;
    if (c->settings.integrator == INTEGRATOR_RK4)
        return;
    c->base.work += (uint64_t)(PAIR_WORK * c->parts * (c->parts + c->world.obstacles.count + 1));
    find_limits(c, margin);
    for (int i = 0; i < c->parts; i++)
        touch_place_box(c, i, &c->boxes[i]);
    for (int i = 0; i < c->parts; i++) {
        if (c->world.has_ground && !phenotype_is_fixed(c->phenotype, i))
            find_on_ground(c, i, margin);
        for (int k = 0; k < c->world.obstacles.count && !phenotype_is_fixed(c->phenotype, i); k++)
            find_on_obstacle(c, i, k, margin);
        for (int j = 0; j < i; j++) {
            double dx = c->boxes[i].x - c->boxes[j].x, dy = c->boxes[i].y - c->boxes[j].y;
            double reach = c->part_radius[i] + c->part_radius[j] + margin;
            if (dx * dx + dy * dy < reach * reach && !phenotype_is_neighbour(c->phenotype, j, i))
                find_between(c, j, i, margin);
        }
    }
}
