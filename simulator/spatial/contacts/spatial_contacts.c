/* See spatial_contacts.h: creation, bodies that share contacts, what must hold; the other files are
 * listed in spatial_contacts_private.h. Typical: 4 to 24 contacts, 12 to 72 rows, 10 to 30 rates. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"

#include "common/error.h"

/* ---------------------------------------------------------------- creation */

static void list_pair(void *body, int a, int b)
{
    struct spatial_contact_body *own = body;
    struct spatial_mover *two = b >= 0 ? &own->movers[b] : NULL;
    int has_relief = b == CONTACT_GROUND && own->surfaces->relief.depth_m > 0;
    own->pairs[own->pair_count++] = (struct spatial_pair){
        .one = &own->movers[a],
        .two = two,
        .a = a,
        .b = b,
        .meeting = pair_meeting(own->surfaces->meetings, own->box_count, a, b),
        .normals = has_relief ? &own->normals[SOLIDS_POINTS_MAX * a] : NULL};
}

static void list_pairs(struct spatial_contact_body *own)
{
    spatial_surfaces_list(own->surfaces, own->tree, own->boxes, own->box_count, list_pair, own);
}

static void init_mover(struct spatial_contact_body *own, int i, const struct body_box *box)
{
    struct spatial_mover *m = &own->movers[i];
    m->body = own;
    m->link = &own->tree->links[box->link];
    m->turn = quaternion_matrix(quaternion_normalised(box->turn));
    m->local = box->centre;
    m->half = vec3_scale(box->size_m, 0.5);
    m->is_round = box->is_round;
    m->radius = box->is_round ? m->half.x : vec3_length(m->half);
    m->thin = det_min(m->half.x, det_min(m->half.y, m->half.z));
}

/* Columns of a body; an even number. */
static int column_count(const struct spatial_contact_body *body)
{
    return (body->tree->rates + 1) & ~1;
}

static int row_room(const struct spatial_contacts *s, int room)
{
    return 3 * room + s->limit_room;
}

/* Kept per contact, and per row but for the cones. */
static int take_rows(struct spatial_contacts *s, int room)
{
    size_t rows = (size_t)row_room(s, room);
    struct spatial_contact *list =
        arena_extend(s->arena, s->list, (size_t)s->count, (size_t)room, sizeof list[0]);
    double *numbers = arena_take(s->arena, 5 * rows, sizeof(double));
    if (!list || !numbers)
        return ERR_MEMORY;
    s->list = list;
    s->start = numbers;
    s->work = s->start + rows;
    s->drift = s->work + rows;
    s->loads = s->drift + rows;
    s->given = s->loads + rows;
    return 0;
}

/* The memory for a system of `room` contacts and so many limits and rates. */
static int take_memory(struct spatial_contacts *s, int limits, int rates)
{
    s->limit_room = limits;
    s->bodies = arena_take(s->arena, (size_t)s->body_room, sizeof s->bodies[0]);
    s->change = arena_take(s->arena, (size_t)rates, sizeof(double));
    if (!s->bodies || !s->change || take_rows(s, s->room) != 0)
        return ERR_MEMORY;
    return contact_solver_create(&s->cones, s->room + limits, row_room(s, s->room), rates,
                                 s->arena);
}

int spatial_contacts_extend(struct spatial_contacts *s)
{
    int room = 2 * s->room;
    if (take_rows(s, room) != 0 ||
        contact_solver_extend(&s->cones, room + s->limit_room, row_room(s, room), s->arena) != 0)
        return ERR_MEMORY;
    s->room = room;
    return 0;
}

int spatial_contacts_extend_met(struct spatial_contacts *s)
{
    size_t room = (size_t)s->met_room;
    struct spatial_pair *before = s->met,
                        *met = arena_extend(s->arena, before, room, 2 * room, sizeof met[0]);
    if (!met)
        return ERR_MEMORY;
    for (int i = 0; i < s->count; i++)
        if (is_between_bodies(&s->list[i]))
            s->list[i].pair = met + (s->list[i].pair - before);
    s->met = met;
    s->met_room *= 2;
    return 0;
}

int spatial_contacts_create(struct spatial_contacts *s, const struct spatial_contact_body *body,
                            const struct body_box *boxes, int box_count,
                            const struct dynamics_settings *settings, struct arena *arena)
{
    struct spatial_contact_body *own = &s->own;
    size_t n = (size_t)box_count, pairs = n * (n + 1 + (size_t)body->surfaces->fixed_count);
    *s = (struct spatial_contacts){.arena = arena,
                                   .dt_s = settings->dt_s,
                                   .restitution_speed = dynamics_bouncing_speed(settings),
                                   .body_room = 1,
                                   .own = *body};
    own->dynamics->touches = (struct touches){.arena = arena};
    own->boxes = boxes;
    own->box_count = box_count;
    own->movers = arena_take(arena, n, sizeof own->movers[0]);
    own->pairs = arena_take(arena, pairs, sizeof own->pairs[0]);
    own->normals = arena_take(arena, n * SOLIDS_POINTS_MAX, sizeof own->normals[0]);
    if (!own->movers || !own->pairs || !own->normals)
        return ERR_MEMORY;
    for (int i = 0; i < box_count; i++)
        init_mover(own, i, &boxes[i]);
    list_pairs(own);
    s->room = SOLIDS_POINTS_MAX * own->pair_count;
    s->room = s->room < CONTACTS_ROOM ? s->room : CONTACTS_ROOM;
    if (take_memory(s, own->limits->row_max, own->tree->rates) != 0)
        return ERR_MEMORY;
    spatial_contacts_gather(s, s);
    return 0;
}

int spatial_contacts_create_shared(struct spatial_contacts *s, struct spatial_contacts *const *all,
                                   int count, const struct dynamics_settings *settings,
                                   struct arena *arena)
{
    int limits = 0, columns = 0;
    *s = (struct spatial_contacts){.arena = arena,
                                   .dt_s = settings->dt_s,
                                   .restitution_speed = dynamics_bouncing_speed(settings),
                                   .room = CONTACTS_ROOM,
                                   .body_room = count};
    for (int k = 0; k < count; k++) {
        limits += all[k]->own.limits->row_max;
        columns += column_count(&all[k]->own);
    }
    s->met_room = s->room;
    s->met = arena_take(arena, (size_t)s->met_room, sizeof s->met[0]);
    return s->met ? take_memory(s, limits, columns) : ERR_MEMORY;
}

void spatial_contacts_gather(struct spatial_contacts *s, struct spatial_contacts *body)
{
    struct spatial_contact_body *own = &body->own;
    ENSURE(s->body_count < s->body_room, "more than the %d bodies that share contacts",
           s->body_room);
    own->column = s->columns;
    s->bodies[s->body_count++] = own;
    s->columns += column_count(own);
    s->links += own->tree->count;
    s->mass += own->tree->mass;
}

void spatial_contacts_part(struct spatial_contacts *s)
{
    for (int k = 0; k < s->body_count; k++)
        s->bodies[k]->column = 0;
    s->body_count = s->columns = s->links = 0;
    s->mass = 0;
}

void spatial_contacts_set_surfaces(struct spatial_contacts *s)
{
    s->own.pair_count = s->own.touched = 0;
    list_pairs(&s->own);
    spatial_contacts_forget(s);
}

void spatial_contacts_forget(struct spatial_contacts *s)
{
    struct spatial_contact_body *own = &s->own;
    own->step += 2;
    s->count = 0;
    touches_clear(&own->dynamics->touches);
}

int spatial_contacts_has_pairs(const struct spatial_contacts *s)
{
    return s->body_count > 1 || s->bodies[0]->pair_count > 0;
}

/* ---------------------------------------------------------------- invariants */

static void check_body(const struct spatial_contacts *s, const struct spatial_contact_body *own,
                       int column)
{
    const struct touches *touches = &own->dynamics->touches;
    ENSURE(own->column == column && column + own->tree->rates <= s->cones.columns,
           "rates of a body begin in column %d of %d, not in %d", own->column, s->cones.columns,
           column);
    ENSURE(touches->count <= touches->room, "%d points where there is room for %d", touches->count,
           touches->room);
    ENSURE(own->pair_count == 0 || own->touched < own->pair_count, "pair %d of %d may touch",
           own->touched, own->pair_count);
    for (int i = 0; i < own->box_count; i++)
        ENSURE(own->movers[i].body == own, "box %d of a body is another's", i);
}

static int is_in_step(const struct spatial_contacts *s, const struct spatial_mover *m)
{
    for (int k = 0; k < s->body_count; k++)
        if (s->bodies[k] == m->body)
            return 1;
    return 0;
}

static void check_contact(const struct spatial_contacts *s, int i)
{
    const struct spatial_contact *c = &s->list[i];
    const struct cone_law *law = &s->cones.laws[i];
    int has_two = c->pair->two != NULL;
    double size = vec3_dot(c->normal, c->normal);
    ENSURE(is_in_step(s, c->pair->one) && (!has_two || is_in_step(s, c->pair->two)),
           "contact %d of a body that is not in the step", i);
    ENSURE(has_two == (c->pair->b >= 0), "contact %d with %d has %d boxes", i, c->pair->b,
           1 + has_two);
    ENSURE(c->pair->one == &c->pair->one->body->movers[c->pair->a], "contact %d of another box", i);
    ENSURE(c->point < c->pair->found.count, "contact %d of point %d of %d", i, c->point,
           c->pair->found.count);
    ENSURE(!(fabs(size - 1) > 1e-9), "contact %d has a normal of length^2 %g", i, size);
    ENSURE(law->row == 3 * i && law->size == 3, "contact %d has %d rows from %d on", i, law->size,
           law->row);
    for (int side = 0; side < 1 + has_two; side++) {
        const struct spatial_contact_body *own = side_of(c, side)->body;
        ENSURE(law->from < own->column + own->tree->rates && law->to > own->column,
               "contact %d, of columns %d to %d, does not move its body, of %d to %d", i, law->from,
               law->to, own->column, own->column + own->tree->rates);
    }
}

void spatial_contacts_check(const struct spatial_contacts *s)
{
    int column = 0, limits = 0;
    ENSURE(s->body_count >= 1 && s->body_count <= s->body_room, "%d bodies of %d", s->body_count,
           s->body_room);
    for (int k = 0; k < s->body_count; k++) {
        check_body(s, s->bodies[k], column);
        column += column_count(s->bodies[k]);
        limits += s->bodies[k]->limits->count;
    }
    ENSURE(s->count <= s->room, "%d contacts where there is room for %d", s->count, s->room);
    for (int i = 0; i < s->count; i++)
        check_contact(s, i);
    ENSURE(s->rows == 3 * s->count + limits, "%d rows of %d contacts and %d limits", s->rows,
           s->count, limits);
}
