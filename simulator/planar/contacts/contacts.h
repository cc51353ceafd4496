/* Contacts and joint limits of articulated bodies: what could act in a step, and the impulses that
 * keep parts from passing through one another, through the ground and beyond their joints' limits.
 *
 * Each body has contacts of its own, for the steps that it takes alone. Bodies that may touch one
 * another take a step with contacts that they share: M^-1 has a block for each body, and only
 * contacts between two bodies couple the blocks. One body alone is by far the most of the work:
 * functions for a number of bodies are compiled for one, too.
 *
 * A midpoint step, planar_step_midpoint.c, calls, in this order: contacts_find, contacts_prepare,
 * contacts_solve (again after contacts_change_free where velocity products changed), contacts_book,
 * contacts_keep. Signorini's conditions with Newton's restitution and Coulomb's friction (Jean and
 * Moreau 1992; Jean 1999), solved by impulses.h. */
#ifndef SIMULATOR_PLANAR_CONTACTS_CONTACTS_H
#define SIMULATOR_PLANAR_CONTACTS_CONTACTS_H

#include "simulator/contact/collide.h"
#include "simulator/body/dynamics.h"
#include "simulator/planar/contacts/impulses.h"
#include "simulator/planar/tree/tree.h"

/* A contact point (two rows: normal, tangent) or a joint limit (one row). */
struct contact {
    int part, other;               /* parts; other as in contact_point; part -1 = a joint limit */
    int of_a, of_b;                /* whose they are: bodies of the system; -1: the world's */
    const struct tree_link *a, *b; /* links that feel it: +, -; NULL: none */
    int joint;                     /* limit: its link */
    double sign;                   /* limit: +1 lower, -1 upper */
    struct force_pair on_a, on_b;  /* normal and tangent, about the links' origins; opposite */
    double gap;                    /* m or rad; negative = penetration */
    double elasticity;
    double radius[2]; /* as in struct manifold */
    int is_impact;
    int has_slip;     /* what its rows gain by turning depends on how it slips */
    int is_bouncing;  /* it is one that leaves again: its law is for the instant after it */
    int is_gaining;   /* an impact that is judged gives its island energy */
    double depth_max; /* deeper, it would be pushed out on the other side */
    /* how long after the middle of the step its impulse acts, s: 0 but for impacts and what answers
     * them */
    double late;
    struct warm_start *warm; /* what remembers the impulses */
    int feature;             /* what touches what: impulses are remembered only for the same */
    struct vec2 at, normal;
    int first_row; /* in `impulses`, whose law of the same index is the contact's */
};

/* A contact's memory from one step to the next. */
struct warm_start {
    uint64_t step; /* when; only the last step counts */
    int feature;
    double impulse[2];
};

/* A part, the circle around it, and its speed: parts that are far apart are not looked at any
 * closer. */
struct mover {
    const struct tree_link *link;
    int is_fixed;
    double local_x, local_y, cos, sin;                             /* the part in its link */
    double local_across_x, local_across_y, across_cos, across_sin; /* turned by a right angle */
    double radius;
    double thin;    /* half of its shortest side */
    struct box box; /* x from the root's origin, y above the ground */
    double vx, vy;  /* velocity of its centre */
    double turn;    /* how fast the rim moves besides */
    double reach;   /* the radius, and how far its points get against the root's origin, at most */
};
FOLLOWS(mover, local_x, local_y);
FOLLOWS(mover, cos, sin);
FOLLOWS(mover, local_across_x, local_across_y);
FOLLOWS(mover, across_cos, across_sin);
FOLLOWS(mover, vx, vy);
FOLLOWS(box, x, y);
FOLLOWS(box, half_width, half_height);
FOLLOWS(box, cos, sin);
struct part_pair {
    const struct mover *a, *b;
};

/* An upright rectangle around something. */
struct span {
    double low_x, low_y, high_x, high_y;
};

/* The rates of a body in a midpoint step: at its start; just before the impulses in its middle,
 * NULL: the mean of those at the start and the free ones; as guessed in its middle, with which the
 * tree's last accelerations were found; free ones, at its end without the impulses; those at which
 * contacts work. */
enum plane_moment {
    PLANE_START,
    PLANE_BEFORE,
    PLANE_MIDDLE,
    PLANE_FREE,
    PLANE_WORKING,
    PLANE_MOMENTS
};

/* Everything that belongs to one body alone. */
struct contact_body {
    struct dynamics *dynamics; /* its number in the world, ledger and touches */
    const struct phenotype *phenotype;
    struct tree *tree;
    const struct world *world;
    double dt_s;
    int parts, links, dof;
    /* the vectors of the step, filled in by the caller; `rates` by enum plane_moment */
    double *q_middle, *q_end; /* coordinates */
    double *rates[PLANE_MOMENTS];
    double *kick;    /* contacts_solve() puts M^-1 J' impulses here: the change of the rates */
    int has_stretch; /* a part stretches */
    double *lower, *upper; /* limits per link, rad or m */

    struct mover *movers;    /* per part */
    struct part_pair *pairs; /* parts that may collide */
    int pair_count;
    int touched_limit, touched_part; /* what may have touched last: link, part; 0, -1: none */
    int obstacle_room; /* obstacles of the world at creation: there may be fewer, but not more */
    struct box *obstacles;
    struct span *spans;    /* of the obstacles, in the world */
    int *near, near_count; /* obstacles that the body could reach when it was last looked at */

    double *kick_shares;            /* per link: of all impulses together */
    double *shift;                  /* scratch of dof numbers */
    struct warm_start *warm;        /* parts x 4 corners, pairs x 2, links */
    struct warm_start *relief_warm; /* parts x RELIEF_POINTS_MAX, of a ground with relief */
    uint64_t step;                  /* count of steps, for warm starts; a gap forgets them */
    int is_going_on;                /* the points of the parts before of this step stay */
};

/* A point between two bodies: creature and part on either side, and number of the point. */
struct met {
    int creature, part, other_creature, other, point;
    uint64_t tick;          /* in which it was found the last time */
    struct warm_start warm; /* its step is the creature's */
};

struct contacts {
    struct arena *arena; /* of what it takes on the way; where that is exhausted, steps fail */
    const struct world *world;
    double dt_s;
    double restitution_speed;
    int has_instants, is_waiting; /* see contacts_prepare() and contacts_has_instants() */
    int has_push_out, has_impact; /* contacts_prepare() found one; solving may have ended it */
    int has_gained;               /* impacts that have instants of their own did */
    int has_slip;                 /* one of the contacts has */
    int may_be_shorter;           /* the step may be taken in parts, ... */
    int is_too_long;              /* ... and is to be: else impacts would lose their restitution */
    int may_pass;                 /* contacts_find() found something thinner than its way */
    double push_out_speed;        /* 0: normal; else see dynamics_set_push_out() */

    struct contact_body own;      /* of contacts that one body has for itself */
    struct contact_body **all;    /* those that there are */
    struct contact_body **bodies; /* those of the step */
    int body_count, body_room;
    double mass; /* of them all */

    struct contact *list;
    int count, room, rows;      /* room for contacts, without limits */
    int limit_room, share_room; /* for limits; for bodies that are in one step */
    struct impulses impulses;
    double *start;  /* per row: velocities at the start of the step, at this pose */
    double *middle; /* ... and just before the impulses, in the middle of the step */
    double *drift;  /* ... and what they gain from there to the end by turning alone */
    double *work;   /* scratch */
    double *loads,
        *load_changes; /* per row: impulses without those of impacts, and what they change */
    double instants;   /* of the impacts that act, summed; their number */
    int impact_count;
    struct tree_rows *shares; /* per body and row: what the joints take of a unit impulse */
    double *block;            /* of W: of one body, where there are several */

    struct met *met; /* shared contacts of this tick and the last, and older ones */
    int met_count, met_room;
    uint64_t tick; /* in each, any number of groups may meet, one after the other */
};

/* The steps that a state allows. */
struct clearance {
    int is_violated; /* something touches or is beyond its limit */
    int may_touch;   /* something could within a step */
};

/* Contacts whose rows, bodies or forces do not fit one another are a bug. */
void contacts_check(const struct contacts *contacts);
/* Contacts of one body, whose touches they fill. Takes everything from the arena, on the way, too;
 * ERR_MEMORY when it is full. Pointers are kept. */
int contacts_create(struct contacts *contacts, struct dynamics *dynamics,
                    const struct phenotype *phenotype, struct tree *tree, const struct world *world,
                    const struct dynamics_settings *settings, struct arena *arena);
/* Contacts that several bodies can share, each with contacts of its own: `all`. */
int contacts_create_shared(struct contacts *contacts, struct contacts *const *all, int count,
                           const struct dynamics_settings *settings, struct arena *arena);
/* One body more, with the contacts of its own, joins the next group; body_count and mass of the
 * group before are 0 again. When all have joined there is to be room for them; ERR_MEMORY: they
 * cannot take the step. */
void contacts_gather(struct contacts *contacts, const struct contacts *body);
int contacts_end_gathering(struct contacts *contacts);
/* Forgets warm starts and the points of the last step. */
void contacts_forget(struct contacts *contacts);

/* Places a part's rectangle at the tree's pose: x relative to the root's origin (so that far from
 * the world's origin nothing is lost), y above the ground. */
void contacts_place_box(const struct contact_body *body, int part, struct box *box);
/* Deepest overlap of parts that are neither parent and child nor at rest on each other, m. */
double contacts_overlap(const struct contact_body *body);
/* Widens bounds to where the body's parts could be within a step, and somewhat beyond, in the world,
 * at the state that the tree has. */
void contacts_sweep(struct contact_body *body, struct vec3 *low, struct vec3 *high);
/* Judges the state q, qd, which the tree has. */
struct clearance contacts_examine(struct contact_body *body, const double *q, const double *qd);
/* contacts_examine().may_touch alone, for less. */
int contacts_may_touch(struct contact_body *body, const double *q, const double *qd);
/* How long the bodies of the step, at their trees' poses and velocities, can go on before something
 * thinner than its way could pass something else, s: at most time_s, at least least_s. */
double contacts_stride(struct contacts *contacts, double time_s, double least_s);

/* Lists what could act at the trees' poses, those in the middle of the step, with the free rates. */
void contacts_find(struct contacts *contacts);
/* Bounds and the system. has_instants: impacts that bounce act when they happen, else in the middle
 * of the step as all contacts do. */
void contacts_prepare(struct contacts *contacts, int has_instants);
/* The free rates have changed, for the same contacts: before contacts_prepare(); and after it, as
 * they are after an impact, without what they gain by turning. */
void contacts_set_free(struct contacts *contacts);
void contacts_change_free(struct contacts *contacts);
/* Solves, and sets the kicks of the bodies. */
void contacts_solve(struct contacts *contacts);
/* Work of all contacts, J. */
double contacts_work(const struct contacts *contacts);
/* 1 if an impact acts, or waits for, an instant of its own. */
int contacts_has_instants(const struct contacts *contacts);
/* 1 if impacts are to act in the middle, all at once: they gained energy at instants of their own,
 * or contacts that press answer impacts that bounce, and these have several. Without that a box
 * that another one hits turned by 1 mrad. */
int contacts_need_one_instant(const struct contacts *contacts);
/* The additional work of the impulses because of that, and the energy that they pass on, J. */
double contacts_instant_work(const struct contacts *contacts, double *size);
/* Adds to the coordinates at the end what the impulses of impacts do because they act before or
 * after the middle of the step. 1 if any does. */
int contacts_shift(const struct contacts *contacts);
/* Books the work of the contacts: losses by kind, and a positive sum as unearned gain. Of what two
 * bodies lose together each books half. Their work on one another, at the rates at which the
 * contacts work, is their exchange, 0 in sum. (Moves the velocities of several trees.) */
void contacts_book(const struct contacts *contacts);
/* The impulse of all others (ground, obstacles, other bodies) on one body, about the root's origin
 * at the tree's pose; `late`: the sum of the impulses times how late they act. */
struct force contacts_outer_impulse(const struct contacts *contacts, int body, struct vec2 *late);
/* Remembers impulses for the next step and fills the body's points and penetration; 1 if something
 * presses on it. A contact that acts late is placed where the body then is; `velocity` is that of
 * its centre of mass. */
int contacts_keep(struct contacts *contacts, int body, struct vec2 velocity);

#endif
