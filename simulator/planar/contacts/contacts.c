/* See contacts.h: creation, bodies that share contacts, and what must hold of them. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"

/* Points between bodies that are remembered, at most; each is looked for among all. A hundred
 * bodies that swarm have some hundreds. */
#define MET_MAX 16384
/* Sweeps of projected Jacobi, the last resort: the worst of 15000 systems of C12 misses its laws by
 * 4e-2 m/s after 300 of them and by 2e-7 m/s after 3000. */
#define SWEEPS_MAX 3000

/* The memory for one body, with so many points at once. */
static int take_body_memory(struct contact_body *own, struct arena *arena)
{
    size_t parts = (size_t)own->parts, links = (size_t)own->links, pairs = parts * (parts - 1) / 2;
    size_t walls = (size_t)own->obstacle_room, even = (links + 1) & ~(size_t)1;
    size_t slots = 4 * parts + 2 * pairs + links + 2 * parts * walls;
    own->lower = arena_take(arena, even, sizeof(double));
    own->upper = arena_take(arena, even, sizeof(double));
    own->movers = arena_take(arena, parts, sizeof own->movers[0]);
    own->pairs = arena_take(arena, pairs, sizeof own->pairs[0]);
    own->obstacles = arena_take(arena, walls, sizeof own->obstacles[0]);
    own->spans = arena_take(arena, walls, sizeof own->spans[0]);
    own->near = arena_take(arena, walls, sizeof own->near[0]);
    own->kick_shares = arena_take(arena, even, sizeof(double));
    own->shift = arena_take(arena, (size_t)own->dof, sizeof(double));
    own->warm = arena_take(arena, slots, sizeof own->warm[0]);
    own->relief_warm = arena_take(arena, RELIEF_POINTS_MAX * parts, sizeof own->relief_warm[0]);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

static int row_room(const struct contacts *s, int room)
{
    return 2 * room + s->limit_room;
}

/* Any body can be any one of a step. */
static const struct tree *widest_tree(const struct contacts *s)
{
    const struct tree *widest = s->all[0]->tree;
    for (int k = 1; k < s->body_room; k++)
        widest = s->all[k]->tree->count > widest->count ? s->all[k]->tree : widest;
    return widest;
}

/* Kept per contact, limit and row, but for the impulses. */
static int take_rows(struct contacts *s, int room)
{
    size_t rows = (size_t)row_room(s, room), even_rows = (rows + 2) & ~(size_t)1;
    size_t laws = (size_t)(room + s->limit_room);
    struct contact *list = arena_extend(s->arena, s->list, (size_t)s->count, laws, sizeof list[0]);
    double *start = arena_take(s->arena, 6 * even_rows, sizeof(double));
    double *block =
        arena_take(s->arena, s->body_room > 1 ? even_rows * even_rows : 0, sizeof(double));
    if (!list || !start || !block)
        return ERR_MEMORY;
    for (int k = 0; k < s->share_room; k++)
        if (tree_create_rows(widest_tree(s), &s->shares[k], (int)rows, s->arena) != 0)
            return ERR_MEMORY;
    s->list = list;
    s->block = block;
    s->start = start;
    s->middle = s->start + even_rows;
    s->drift = s->middle + even_rows;
    s->work = s->drift + even_rows;
    s->loads = s->work + even_rows;
    s->load_changes = s->loads + even_rows;
    return 0;
}

/* The memory for a system of `room` contacts, for which there is limit_room and share_room, and so
 * many rates; `all` is there. */
static int take_memory(struct contacts *s, int rates, int sweeps)
{
    s->shares = arena_take(s->arena, (size_t)s->body_room, sizeof s->shares[0]);
    s->bodies = arena_take(s->arena, (size_t)s->body_room, sizeof s->bodies[0]);
    if (!s->shares || !s->bodies || take_rows(s, s->room) != 0)
        return ERR_MEMORY;
    return impulses_create(&s->impulses, s->room + s->limit_room, row_room(s, s->room), rates,
                           sweeps > 0 ? sweeps : SWEEPS_MAX, s->arena);
}

int contacts_make_room(struct contacts *s, int room)
{
    if (take_rows(s, room) != 0 || impulses_extend(&s->impulses, s->count, s->rows,
                                                   room + s->limit_room, row_room(s, room)) != 0)
        return ERR_MEMORY;
    s->room = room;
    return 0;
}

int contacts_end_gathering(struct contacts *s)
{
    int limits = 0, most = 0;
    for (int k = 0; k < s->body_count; k++)
        limits += s->bodies[k]->links;
    if (limits <= s->limit_room && s->body_count <= s->share_room)
        return 0;
    for (int k = 0; k < s->body_room; k++)
        most += s->all[k]->links;
    if (limits > s->limit_room)
        s->limit_room = 2 * limits < most ? 2 * limits : most;
    if (s->body_count > s->share_room)
        s->share_room = 2 * s->body_count < s->body_room ? 2 * s->body_count : s->body_room;
    return contacts_make_room(s, s->room);
}

int contacts_extend_met(struct contacts *s)
{
    size_t room = 2 * (size_t)s->met_room + CONTACTS_ROOM;
    if (room > MET_MAX) {
        s->arena->is_exhausted = 1;
        return ERR_LIMIT;
    }
    struct met *before = s->met;
    struct met *met = arena_extend(s->arena, before, (size_t)s->met_count, room, sizeof met[0]);
    if (!met)
        return ERR_MEMORY;
    for (int i = 0; i < s->count; i++)
        if (is_between_bodies(&s->list[i])) {
            size_t at = (size_t)((char *)s->list[i].warm - (char *)before) / sizeof before[0];
            s->list[i].warm = &met[at].warm;
        }
    s->met = met;
    s->met_room = (int)room;
    return 0;
}

static void init_mover(struct contact_body *own, int i)
{
    const struct part *part = &own->phenotype->parts[i];
    double width = part->width_m, height = part->height_m;
    struct mover *m = &own->movers[i];
    *m = (struct mover){.link = &own->tree->links[part->link],
                        .is_fixed = phenotype_is_fixed(own->phenotype, i),
                        .local_x = part->local.x,
                        .local_y = part->local.y};
    det_sincos(part->local_angle_rad, &m->sin, &m->cos);
    XY(m->cos) = part->is_reversed ? -XY(m->cos) : XY(m->cos);
    XY(m->local_across_x) = plane_turn(XY(m->local_x));
    XY(m->across_cos) = plane_turn(XY(m->cos));
    m->radius = part->shape == PART_DISK    ? width / 2
                : part->shape == PART_PLANE ? COLLIDE_PLANE_RADIUS_M
                                            : sqrt(width * width + height * height) / 2;
    m->thin = part->shape == PART_PLANE ? HUGE_VAL : det_min(width, height) / 2;
    m->box = (struct box){.half_width = width / 2,
                          .half_height = height / 2,
                          .shape = part->shape,
                          .is_left_handed = part->is_reversed};
}

static void init_obstacle(struct contact_body *own, int i, const struct obstacle *obstacle)
{
    struct span *span = &own->spans[i];
    struct box *box = &own->obstacles[i];
    collide_place_obstacle(obstacle, box);
    double width = fabs(box->cos) * box->half_width + fabs(box->sin) * box->half_height;
    double height = fabs(box->sin) * box->half_width + fabs(box->cos) * box->half_height;
    *span = (struct span){box->x - width, box->y - height, box->x + width, box->y + height};
}

/* One contact a corner and two a pair at most. */
static int contact_room(const struct contact_body *own)
{
    int parts = own->parts, walls = own->obstacle_room;
    int points = 4 * parts + parts * (parts - 1) + 2 * parts * walls;
    return points < CONTACTS_ROOM ? points : CONTACTS_ROOM;
}

static int create_body(struct contact_body *own, struct arena *arena)
{
    const struct phenotype *phenotype = own->phenotype;
    if (take_body_memory(own, arena) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < own->links + own->links % 2; i++) {
        int is_joint = i > 0 && i < own->links && !own->tree->links[i].is_driven;
        own->lower[i] = is_joint ? phenotype->body->links[i].lower[0] : -HUGE_VAL;
        own->upper[i] = is_joint ? phenotype->body->links[i].upper[0] : HUGE_VAL;
    }
    for (int i = 0; i < own->parts; i++) {
        init_mover(own, i);
        own->has_stretch |= own->movers[i].link->stretch != NULL;
        for (int j = 0; j < i; j++)
            if (!phenotype_is_neighbour(phenotype, j, i))
                own->pairs[own->pair_count++] =
                    (struct part_pair){&own->movers[j], &own->movers[i]};
    }
    own->touched_part = -1;
    for (int i = 0; i < own->obstacle_room; i++)
        init_obstacle(own, i, &own->world->obstacles.list[i]);
    return 0;
}

int contacts_create(struct contacts *s, struct dynamics *dynamics,
                    const struct phenotype *phenotype, struct tree *tree, const struct world *world,
                    const struct dynamics_settings *settings, struct arena *arena)
{
    *s = (struct contacts){.arena = arena,
                           .world = world,
                           .dt_s = settings->dt_s,
                           .restitution_speed = dynamics_bouncing_speed(settings),
                           .own = {.dynamics = dynamics,
                                   .phenotype = phenotype,
                                   .tree = tree,
                                   .world = world,
                                   .dt_s = settings->dt_s,
                                   .parts = phenotype->part_count,
                                   .links = phenotype->body->link_count,
                                   .obstacle_room = world->obstacles.count,
                                   .dof = tree->dof},
                           .body_count = 1,
                           .body_room = 1,
                           .share_room = 1,
                           .limit_room = phenotype->body->link_count,
                           .mass = tree->mass};
    struct contact_body *own = &s->own;
    dynamics->touches = (struct touches){.arena = arena};
    if (create_body(own, arena) != 0)
        return ERR_MEMORY;
    s->room = contact_room(own);
    s->all = arena_take(arena, 1, sizeof s->all[0]);
    if (!s->all)
        return ERR_MEMORY;
    s->all[0] = own;
    if (take_memory(s, own->dof, settings->contact_sweeps) != 0)
        return ERR_MEMORY;
    s->bodies[0] = own;
    contacts_forget(s);
    return 0;
}

int contacts_create_shared(struct contacts *s, struct contacts *const *all, int count,
                           const struct dynamics_settings *settings, struct arena *arena)
{
    int rates = 0;
    *s = (struct contacts){.arena = arena,
                           .dt_s = settings->dt_s,
                           .restitution_speed = dynamics_bouncing_speed(settings),
                           .room = CONTACTS_ROOM,
                           .body_room = count};
    s->all = arena_take(arena, (size_t)count, sizeof s->all[0]);
    if (!s->all)
        return ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        s->all[k] = &all[k]->own;
        rates += all[k]->own.dof;
    }
    return take_memory(s, rates, settings->contact_sweeps);
}

void contacts_gather(struct contacts *s, const struct contacts *body)
{
    ENSURE(s->body_count < s->body_room, "more than the %d bodies that share contacts",
           s->body_room);
    s->world = body->world;
    s->bodies[s->body_count++] = body->bodies[0];
    s->mass += body->mass;
}

void contacts_forget(struct contacts *s)
{
    struct contact_body *own = &s->own;
    own->step += 2;
    s->count = own->near_count = 0;
    touches_clear(&own->dynamics->touches);
}

static void check_body(const struct contacts *s, int of)
{
    const struct contact_body *own = s->bodies[of];
    const struct touches *touches = &own->dynamics->touches;
    ENSURE(own->tree->count == own->links && own->links == own->phenotype->body->link_count,
           "a tree of %d links for contacts of %d", own->tree->count, own->links);
    ENSURE(touches->count <= touches->room, "%d points where there is room for %d", touches->count,
           touches->room);
    ENSURE(s->shares[of].stride >= own->links, "shares of %d links in lines of %d", own->links,
           s->shares[of].stride);
}

static void check_contact(const struct contacts *s, const struct contact *c)
{
    ENSURE(c->of_a >= 0 && c->of_a < s->body_count && c->of_b >= -1 && c->of_b < s->body_count,
           "a contact of bodies %d and %d of %d", c->of_a, c->of_b, s->body_count);
    const struct contact_body *own = s->bodies[c->of_a];
    ENSURE(c->part >= -1 && c->part < own->parts, "a contact of part %d of %d", c->part,
           own->parts);
    ENSURE(c->warm != NULL, "a contact that nothing remembers");
    if (c->part < 0) {
        ENSURE(c->joint > 0 && c->joint < own->links, "a limit of joint %d of %d", c->joint,
               own->links);
        return;
    }
    ENSURE(c->a == own->movers[c->part].link, "part %d is pushed at another link", c->part);
    ENSURE((c->b == NULL) == (c->of_b < 0), "a contact with the world has another link");
    double size = c->normal.x * c->normal.x + c->normal.y * c->normal.y;
    ENSURE(!(fabs(size - 1) > 1e-9), "a normal of length^2 %g", size);
    /* a state that is no longer finite is found after the step */
    for (int k = 0; k < 2 && c->b; k++)
        ENSURE(!(fabs(c->on_a.x[k] + c->on_b.x[k]) > 0 || fabs(c->on_a.y[k] + c->on_b.y[k]) > 0),
               "action and reaction are not opposite");
}

void contacts_check(const struct contacts *s)
{
    int rows = 0;
    ENSURE(s->body_count >= 1 && s->body_count <= s->body_room, "%d bodies of %d", s->body_count,
           s->body_room);
    for (int of = 0; of < s->body_count; of++)
        check_body(s, of);
    for (int i = 0; i < s->count; i++) {
        ENSURE(s->list[i].first_row == rows && s->impulses.laws[i].row == rows,
               "contact %d has row %d instead of %d", i, s->list[i].first_row, rows);
        check_contact(s, &s->list[i]);
        rows += row_count(&s->list[i]);
    }
    ENSURE(s->rows == rows, "%d rows of %d contacts, that have %d", s->rows, s->count, rows);
}
