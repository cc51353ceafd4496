/* See contacts.h. The effects of the impulses: work by kind, what a body gets from others, and the
 * points that others see. */
#include "simulator/planar/contacts/contacts_private.h"

double contacts_work(const struct contacts *s)
{
    double work = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < row_count(&s->list[i]); k++)
            work += row_work(s, &s->list[i], k);
    return work;
}

/* Books one contact's work, of which the share counts. */
static inline void book_contact(const struct contacts *s, int i, double share, struct ledger *l)
{
    const struct contact *c = &s->list[i];
    const double *row_works = s->work + c->first_row;
    double normal = share * row_works[0];
    double tangent = c->part < 0 ? 0 : share * row_works[1];
    ledger_book_touch(l, c->part < 0, s->impulses.laws[i].is_push_out, normal, tangent);
}

/* The work of all rows, as row_work() has it. */
static void find_work(const struct contacts *s)
{
    const double *middle = s->middle, *velocity = s->impulses.velocity, *free = s->impulses.free;
    const double *impulse = s->impulses.impulse;
    double *work = s->work;
    for (int i = 0, rows = s->rows; i < rows; i += 2)
        PAIR(work, i) =
            PAIR(impulse, i) * (PAIR(middle, i) + 0.5 * (PAIR(velocity, i) - PAIR(free, i)));
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c) && c->late != 0; k++)
            work[c->first_row + k] = row_work(s, c, k);
    }
}

static inline double found_work(const struct contacts *s, const struct contact *c)
{
    const double *work = s->work + c->first_row;
    return work[0] + (c->part < 0 ? 0 : work[1]);
}

/* Bodies that meet book half of their common loss each. The rest of the work on a body is from the
 * others. */
static void book_shared(const struct contacts *s, int i, double share)
{
    const struct contact *c = &s->list[i];
    struct ledger *a = &s->bodies[c->of_a]->dynamics->ledger;
    const double *impulse = s->impulses.impulse + c->first_row;
    double work = found_work(s, c);
    if (!is_between_bodies(c)) {
        book_contact(s, i, share, a);
        a->exchange_j += (1 - share) * work;
        return;
    }
    struct ledger *b = &s->bodies[c->of_b]->dynamics->ledger;
    double half = share / 2;
    double work_a = pair_sum(SINGLES(impulse, 0) * forces_velocity(&c->on_a, c->a));
    book_contact(s, i, half, a);
    book_contact(s, i, half, b);
    a->exchange_j += work_a - half * work;
    b->exchange_j += work - work_a - half * work;
}

/* The positive work of a contact that pushing out does, J; the contact passes the rest on. */
static inline double push_out_work(const struct contacts *s, int i, double work)
{
    const struct impulse_law *law = &s->impulses.laws[i];
    double most = s->impulses.impulse[s->list[i].first_row] * law->bound;
    return !law->is_push_out ? 0 : most < work ? most : work;
}

static inline double share_of(const struct contacts *s, int i, struct work_shares shares)
{
    double work = found_work(s, &s->list[i]);
    if (work <= 0)
        return shares.losses;
    double pushed = push_out_work(s, i, work);
    return (pushed + shares.gains * (work - pushed)) / work;
}

void contacts_book(const struct contacts *s)
{
    double gains = 0, losses = 0;
    find_work(s);
    for (int i = 0; i < s->count; i++) {
        double work = found_work(s, &s->list[i]);
        if (work <= 0)
            losses -= work;
        else
            gains += work - push_out_work(s, i, work);
    }
    struct work_shares shares = work_shares_of(gains, losses);
    if (s->body_count == 1) {
        for (int i = 0; i < s->count; i++)
            book_contact(s, i, share_of(s, i, shares), &s->bodies[0]->dynamics->ledger);
        return;
    }
    set_velocities(s, PLANE_WORKING, s->body_count);
    for (int i = 0; i < s->count; i++)
        book_shared(s, i, share_of(s, i, shares));
}

struct force contacts_outer_impulse(const struct contacts *s, int of, struct vec2 *late)
{
    struct force sum = {0, 0, 0};
    struct vec2 late_sum = {0, 0};
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const double *impulse = s->impulses.impulse + c->first_row;
        if (c->part < 0 || c->of_a == c->of_b || (c->of_a != of && c->of_b != of))
            continue;
        const struct force_pair *on = c->of_a == of ? &c->on_a : &c->on_b;
        const struct tree_link *l = c->of_a == of ? c->a : c->b;
        double x = on->x[0] * impulse[0] + on->x[1] * impulse[1];
        double y = on->y[0] * impulse[0] + on->y[1] * impulse[1];
        double n = on->n[0] * impulse[0] + on->n[1] * impulse[1];
        sum.n += n + (l->px * y - l->py * x);
        sum.x += x;
        sum.y += y;
        late_sum.x += c->late * x;
        late_sum.y += c->late * y;
    }
    *late = late_sum;
    return sum;
}

/* Where a contact acts: for one that is late, as far along its tangent as gives the moment that its
 * impulse has about the centre of mass, which goes on until then. */
static struct vec2 acting_point(const struct contact *c, const double *impulse,
                                struct vec2 velocity)
{
    if (c->late == 0 || impulse[0] == 0)
        return c->at;
    double tx = c->normal.y, ty = -c->normal.x;
    double x = c->normal.x * impulse[0] + tx * impulse[1];
    double y = c->normal.y * impulse[0] + ty * impulse[1];
    double way = c->late * (velocity.x * y - velocity.y * x) / (tx * y - ty * x);
    return (struct vec2){c->at.x + way * tx, c->at.y + way * ty};
}

/* As seen from a side of it. */
static inline void set_point(struct contact_point *point, const struct contact *c,
                             const double *impulse, struct vec2 velocity, double gap_m, int is_b)
{
    double sign = is_b ? -1 : 1;
    point->part = is_b ? c->other : c->part;
    point->other = is_b ? c->part : c->other;
    point->at = vec3_of_plane(acting_point(c, impulse, velocity));
    point->normal = (struct vec3){sign * c->normal.x, sign * c->normal.y, 0};
    point->gap_m = gap_m;
    point->normal_impulse_n_s = impulse[0];
    point->friction_impulse_n_s = impulse[1];
}

int contacts_keep(struct contacts *s, int of, struct vec2 velocity)
{
    struct contact_body *own = s->bodies[of];
    struct touches *touches = &own->dynamics->touches;
    int is_pressing = 0;
    own->step++;
    if (!own->is_going_on)
        touches_clear(touches);
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const double *impulse = s->impulses.impulse + c->first_row;
        if (c->of_a == of) {
            double friction = c->part < 0 ? 0 : impulse[1];
            *c->warm = (struct warm_start){own->step, c->feature, {impulse[0], friction}};
        } else if (c->of_b != of) {
            continue;
        }
        is_pressing |= impulse[0] > 0;
        if (c->part < 0)
            continue;
        /* impacts happen where the gap is used up, wherever it is in the middle of the step */
        double gap = c->is_impact && c->late != 0 && c->gap < 0 ? 0 : c->gap;
        double miss = s->dt_s * impulses_miss(&s->impulses, i);
        if (!(miss <= touches->law_miss_m))
            touches->law_miss_m = miss;
        if (-gap > touches->penetration_m)
            touches->penetration_m = -gap;
        struct contact_point *point = impulse[0] > 0 || gap < SLOP_M ? touches_add(touches) : NULL;
        if (!point)
            continue;
        int is_b = c->of_a != of, others = is_b ? c->of_a : c->of_b;
        set_point(point, c, impulse, velocity, gap, is_b);
        point->creature = own->dynamics->creature;
        point->other_creature = others < 0 ? -1 : s->bodies[others]->dynamics->creature;
    }
    return is_pressing;
}
