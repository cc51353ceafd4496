/* See contacts.h. Rows are spatial vectors about the root's origin, so J v of a row is a dot
 * product with the velocity of a link, and a column of X = M^-1 J' is one impulse through the tree.
 * Typical: 2 to 8 contacts, 4 to 16 rows. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

/* The constants of contact_rules.h, for the limits of hinges; those of linear joints are as contacts. */
#define LIMIT_SLOP_RAD       2e-3
#define LIMIT_PUSH_OUT_RAD_S 0.5
/* Fast impacts without restitution have an instant if the bodies turn and go less in a step. The
 * others are stopped half way. */
#define PLASTIC_TURN_RAD 0.02
#define PLASTIC_WAY_M    5e-3

/* A bounce acts in the middle of the step. */
static void set_rebound(struct contacts *s, struct contact *c, struct impulse_law *law)
{
    double rebound = -c->elasticity * s->start[c->first_row];
    c->is_impact = rebound > law->bound;
    if (c->is_impact)
        set_impact_law(s, c, law, rebound);
}

/* How fast the links of a contact turn and stretch. */
static double turning_of_link(const struct tree_link *l)
{
    return l->stretch ? fabs(l->velocity.w) + fabs(l->rate) : fabs(l->velocity.w);
}

/* The least normal velocity after the step. */
static void set_bound(struct contacts *s, int i)
{
    struct contact *c = &s->list[i];
    struct impulse_law *law = &s->impulses.laws[i];
    double h = s->dt_s;
    int is_limit = c->part < 0;
    int is_of_hinge = is_limit && !s->bodies[c->of_a]->tree->links[c->joint].is_linear;
    law->bound = is_of_hinge ? push_out_bound(c->gap, h, LIMIT_SLOP_RAD, LIMIT_PUSH_OUT_RAD_S)
                             : contact_bound(c->gap, h, is_limit ? 0 : s->push_out_speed);
    law->is_push_out = law->bound > 0;
    c->late = 0;
    double slow = c->elasticity > 0 ? s->restitution_speed : PLASTIC_SPEED_M_S;
    c->is_impact = !is_limit && s->start[c->first_row] < -slow;
    if (c->is_impact && c->elasticity <= 0) {
        double turning = turning_of_link(c->a) + (c->b ? turning_of_link(c->b) : 0);
        c->is_impact =
            h * turning < PLASTIC_TURN_RAD && h * -s->start[c->first_row] < PLASTIC_WAY_M;
    }
    if (c->is_impact && !s->has_instants)
        set_rebound(s, c, law);
}

/* The rows of a contact in a body's tree; rows that do not touch it are 0. */
ALWAYS_INLINE static inline void carry(const struct tree *tree, struct tree_rows *rows, int of,
                                       const struct contact *c, int is_alone)
{
    int row = c->first_row, is_of_a = is_alone || c->of_a == of;
    int has_b = is_alone ? c->b != NULL : c->of_b == of;
    if (is_of_a && c->part < 0)
        tree_carry_joint(tree, c->joint, c->sign, rows, row);
    else if (is_of_a)
        tree_carry(tree, c->a->index, &c->on_a, has_b ? c->b->index : -1, &c->on_b, rows, row);
    else if (c->of_b == of)
        tree_carry(tree, c->b->index, &c->on_b, -1, NULL, rows, row);
    else
        tree_leave_rows(rows, row, row_count(c));
}

/* The shares of the rows and the matrix W = J M^-1 J': the sum of what each body gives to it. */
ALWAYS_INLINE static inline void build_system(struct contacts *s, int count)
{
    struct impulses *system = &s->impulses;
    impulses_begin(system, s->rows);
    system->work += (uint64_t)(count - 1) * (uint64_t)(system->stride * system->stride);
    for (int of = 0; of < count; of++) {
        double *block = of > 0 ? s->block : system->w;
        tree_clear_rows(&s->shares[of], s->rows);
        for (int i = 0; i < s->count; i++)
            carry(s->bodies[of]->tree, &s->shares[of], of, &s->list[i], count == 1);
        tree_couple(s->bodies[of]->tree, &s->shares[of], s->rows, system->stride, block);
        for (int i = 0; of > 0 && i < system->stride * system->stride; i++)
            system->w[i] += block[i];
    }
    double mass = s->mass;
    for (int row = 0, rows = s->rows; row < rows; row++) {
        double w = system->w[row * system->stride + row];
        system->inverse[row] = w * mass > ROW_MOBILITY ? 1 / w : 0;
    }
}

/* Starts from the impulses of the last step where the features are the same. */
static void take_warm_starts(struct contacts *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const struct warm_start *w = c->warm;
        int is_same = w->step == s->bodies[c->of_a]->step && w->feature == c->feature;
        for (int k = 0; k < row_count(c); k++)
            s->impulses.impulse[c->first_row + k] = is_same ? w->impulse[k] : 0;
    }
}

/* Velocities of the rows for the rates of a moment, at the trees' poses. */
ALWAYS_INLINE static inline void set_row_velocities(struct contacts *s, enum plane_moment moment,
                                                    double *velocities, int bodies)
{
    set_velocities(s, moment, bodies);
    for (int i = 0, count = s->count; i < count; i++) {
        const struct contact *c = &s->list[i];
        if (c->part < 0)
            velocities[c->first_row] = c->sign * s->bodies[c->of_a]->rates[moment][2 + c->joint];
        else
            PAIR(velocities, c->first_row) = contact_velocity(c);
    }
}

ALWAYS_INLINE static inline void prepare(struct contacts *s, int has_instants, int bodies)
{
    int is_before_known = s->bodies[0]->rates[PLANE_BEFORE] != NULL;
    s->has_instants = has_instants;
    s->push_out_speed = s->bodies[bodies - 1]->dynamics->push_out_m_s;
    s->is_waiting = s->impact_count = s->has_push_out = s->has_impact = 0;
    s->has_gained = s->is_too_long = 0;
    s->instants = 0;
    s->impulses.count = s->count;
    set_row_velocities(s, PLANE_START, s->start, bodies);
    if (is_before_known)
        set_row_velocities(s, PLANE_BEFORE, s->middle, bodies);
    double *at_middle = s->middle;
    const double *at_start = s->start, *free = s->impulses.free;
    for (int i = 0, rows = is_before_known ? 0 : s->rows; i < rows; i += 2)
        PAIR(at_middle, i) = 0.5 * (PAIR(at_start, i) + PAIR(free, i));
    contacts_add_drifts(s);
    for (int i = 0; i < s->count; i++) {
        set_bound(s, i);
        s->has_push_out |= s->impulses.laws[i].is_push_out;
        s->has_impact |= s->list[i].is_impact;
    }
    take_warm_starts(s);
    for (int of = 0; of < bodies; of++)
        tree_factor(s->bodies[of]->tree);
    build_system(s, bodies);
    if (s->has_impact && has_instants)
        contacts_set_impacts(s);
}

void contacts_prepare(struct contacts *s, int has_instants)
{
    if (s->body_count == 1)
        prepare(s, has_instants, 1);
    else
        prepare(s, has_instants, s->body_count);
}

void contacts_set_free(struct contacts *s)
{
    set_row_velocities(s, PLANE_FREE, s->impulses.free, s->body_count);
    for (int i = 0; i < s->count; i++)
        s->list[i].is_bouncing = 0;
}

/* Their drifts would be those of rates that drifts have changed: where a small part of a motion
 * turns contacts, as where parts are wedged, that grew from step to step. */
void contacts_change_free(struct contacts *s)
{
    set_row_velocities(s, PLANE_FREE, s->impulses.free, s->body_count);
    for (int i = 0; i < s->rows; i++)
        s->drift[i] = 0;
}

/* The change of a body's rates under impulses, two rows at a time. */
static void respond(const struct contacts *s, int of, const double *impulses, double *change)
{
    const struct contact_body *own = s->bodies[of];
    const struct tree_rows *rows = &s->shares[of];
    struct force root = {0, 0, 0};
    double *sums = own->kick_shares;
    int links = own->links, stride = rows->stride;
    for (int i = 0; i < links; i++)
        sums[i] = 0;
    for (int row = 0; row < s->rows; row += 2) {
        const double *shares = rows->shares + row * stride;
        double a = impulses[row], b = impulses[row + 1];
        if (a == 0 && b == 0)
            continue;
        for (int i = 0; i < links; i += 2)
            PAIR(sums, i) = PAIR(sums, i) + a * PAIR(shares, i) + b * PAIR(shares, stride + i);
        root.n = root.n + a * rows->n[row] + b * rows->n[row + 1];
        root.x = root.x + a * rows->x[row] + b * rows->x[row + 1];
        root.y = root.y + a * rows->y[row] + b * rows->y[row + 1];
    }
    tree_respond(own->tree, sums, root, change);
}

static void solve(struct contacts *s)
{
    if (s->impact_count > 0)
        contacts_solve_impacts(s);
    else
        impulses_solve(&s->impulses);
}

void contacts_solve(struct contacts *s)
{
    solve(s);
    contacts_take_back_push_outs(s);
    if (contacts_take_back_impacts(s))
        solve(s);
    for (int of = 0; of < s->body_count; of++)
        respond(s, of, s->impulses.impulse, s->bodies[of]->kick);
}

int contacts_shift(const struct contacts *s)
{
    int has_late = 0;
    for (int i = 0; i < s->count && s->impact_count > 0; i++)
        has_late |= s->list[i].late != 0;
    if (!has_late)
        return 0;
    double *lates = s->work;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            lates[c->first_row + k] = s->impulses.impulse[c->first_row + k] * c->late;
    }
    lates[s->rows] = 0;
    for (int of = 0; of < s->body_count; of++) {
        const struct contact_body *own = s->bodies[of];
        respond(s, of, lates, own->shift);
        for (int i = 0; i < own->dof; i++)
            own->q_end[i] -= own->shift[i];
    }
    return 1;
}
