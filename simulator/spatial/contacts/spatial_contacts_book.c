/* Work and ledgers, what bodies were given, and what is kept for the next step. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"

/* Books one law's work, of which the share counts. */
static void book_law(const struct spatial_contacts *s, int i, double share, struct ledger *l)
{
    const struct cone_law *law = &s->cones.laws[i];
    const double *works = s->work + law->row;
    int is_limit = i >= s->count;
    double normal = share * works[0], tangent = is_limit ? 0 : share * (works[1] + works[2]);
    ledger_book_touch(l, is_limit, law->is_push_out, normal, tangent);
}

static double booked_work(const struct spatial_contacts *s, int i)
{
    const double *works = s->work + s->cones.laws[i].row;
    return works[0] + (i < s->count ? works[1] + works[2] : 0);
}

/* The share of a law's work that a body books: half where two touch. */
static double part_of(const struct spatial_contacts *s, int i,
                      const struct spatial_contact_body *body)
{
    int limit = i - s->count - body->first_limit;
    if (i >= s->count)
        return limit >= 0 && limit < body->limit_count;
    if (!is_of_body(&s->list[i], body))
        return 0;
    return is_between_bodies(&s->list[i]) ? 0.5 : 1;
}

/* Work of a law on a body that it is of. */
static double work_on(const struct spatial_contacts *s, int i,
                      const struct spatial_contact_body *body)
{
    double work = booked_work(s, i);
    if (i >= s->count || !is_between_bodies(&s->list[i]))
        return work;
    const struct spatial_contact *c = &s->list[i];
    return c->pair->two->body == body ? c->work_two : work - c->work_two;
}

/* Work beyond the share that counts is from the others. */
void spatial_contacts_book(const struct spatial_contacts *s,
                           const struct spatial_contact_body *body)
{
    struct ledger *l = &body->dynamics->ledger;
    double gains = 0, losses = 0;
    for (int i = 0; i < s->cones.count; i++) {
        double work = booked_work(s, i);
        if (work <= 0)
            losses -= work;
        else if (!s->cones.laws[i].is_push_out)
            gains += work;
    }
    struct work_shares shares = work_shares_of(gains, losses);
    for (int i = 0; i < s->cones.count; i++) {
        double work = booked_work(s, i), part = part_of(s, i, body);
        int is_push_out = s->cones.laws[i].is_push_out;
        double share = part * (work <= 0 ? shares.losses : is_push_out ? 1 : shares.gains);
        if (part == 0)
            continue;
        book_law(s, i, share, l);
        if (s->body_count > 1)
            l->exchange_j += work_on(s, i, body) - share * work;
    }
}

/* ---------------------------------------------------------------- what is left */

static int is_of_root(const struct spatial_mover *m, const struct spatial_contact_body *body,
                      int root)
{
    return m && m->body == body && m->link->root == root;
}

void spatial_contacts_impulse(const struct spatial_contacts *s,
                              const struct spatial_contact_body *body, int root, struct vec3 about,
                              struct vec3 *linear, struct vec3 *angular)
{
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        const struct spatial_contact *c = &s->list[i];
        int sign = is_of_root(c->pair->one, body, root) - is_of_root(c->pair->two, body, root);
        struct vec3 impulse = vec3_scale(impulse_of(s, i), sign);
        *linear = vec3_add(*linear, impulse);
        *angular = vec3_add(*angular, vec3_cross(vec3_sub(c->at, about), impulse));
    }
}

/* The manifold of this step takes the place of that of the last one; its points have given nothing
 * yet. */
static void hold_manifold(struct spatial_pair *p)
{
    for (int k = 0; k < p->found.count; k++)
        p->impulses[k] = (struct vec3){0, 0, 0};
    p->held = p->found;
    p->step = p->one->body->step;
}

/* A contact as one of its sides sees it. */
static struct contact_point point_of(const struct spatial_contacts *s, int i, int side)
{
    const struct spatial_contact *c = &s->list[i];
    const double *l = s->cones.impulse + 3 * i;
    const struct spatial_mover *one = side_of(c, side), *other = side_of(c, !side);
    return (struct contact_point){.creature = one->body->dynamics->creature,
                                  .part = side == 0 ? c->pair->a : c->pair->b,
                                  .other_creature = other ? other->body->dynamics->creature : -1,
                                  .other = side == 0 ? c->pair->b : c->pair->a,
                                  .at = c->at,
                                  .normal = vec3_scale(c->normal, side == 0 ? 1 : -1),
                                  .gap_m = c->gap,
                                  .normal_impulse_n_s = l[0],
                                  .friction_impulse_n_s = sqrt(l[1] * l[1] + l[2] * l[2])};
}

int spatial_contacts_keep(struct spatial_contacts *s, struct spatial_contact_body *own)
{
    struct touches *touches = &own->dynamics->touches;
    int is_pressing = 0;
    own->step++;
    touches_clear(touches);
    for (int i = 0; i < own->pair_count; i++)
        if (own->pairs[i].found.count > 0)
            hold_manifold(&own->pairs[i]);
    for (int i = 0; i < s->met_room; i++)
        if (s->met[i].search == s->search && s->met[i].one->body == own)
            hold_manifold(&s->met[i]);
    for (int i = 0; i < s->count; i++) {
        const struct spatial_contact *c = &s->list[i];
        int is_pressed = s->cones.impulse[3 * i] > 0, side = c->pair->one->body != own;
        if (!is_of_body(c, own))
            continue;
        if (side == 0)
            c->pair->impulses[c->point] = impulse_of(s, i);
        is_pressing |= is_pressed;
        if (-c->gap > touches->penetration_m)
            touches->penetration_m = -c->gap;
        struct contact_point *point = is_pressed || c->gap < SLOP_M ? touches_add(touches) : NULL;
        if (point)
            *point = point_of(s, i, side);
    }
    for (int i = s->count; i < s->cones.count; i++)
        is_pressing |= part_of(s, i, own) > 0 && s->cones.impulse[s->cones.laws[i].row] > 0;
    return is_pressing;
}
