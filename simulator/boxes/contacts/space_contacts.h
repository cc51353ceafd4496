/* Contacts of boxes in space, with the ground, with fixed boxes and with one another, in a midpoint step; joints'
 * limits act together with them.
 *
 * The step calls, in this order: space_contacts_find() at the pose in the middle, space_contacts_solve(),
 * space_contacts_book(), space_contacts_keep(). A row is what a velocity of a contact is of the rates, so that a
 * contact between two bodies, or within one, is no other thing than one with the ground. Signorini's
 * conditions with Newton's restitution and Coulomb's friction (Moreau 1988; Jean 1999), solved by cones.h. */
#ifndef SIMULATOR_BOXES_CONTACTS_SPACE_CONTACTS_H
#define SIMULATOR_BOXES_CONTACTS_SPACE_CONTACTS_H

#include "simulator/body/dynamics.h"
#include "simulator/boxes/contacts/cones.h"
#include "simulator/boxes/contacts/solids.h"
#include "simulator/boxes/tree/space_limits.h"

/* Contacts in a step; of more the deepest act. */
enum { SPACE_CONTACTS_MAX = 64 };

/* What boxes touch, and how: against ground and fixed boxes, and among themselves. */
struct space_surfaces {
    int has_ground; /* y = 0 */
    double friction, elasticity;
    double own_friction, own_elasticity;
    const struct solid *fixed;
    int fixed_count;
    /* boxes x boxes: 1 where two never collide, besides those of joined links; or NULL */
    const unsigned char *passes;
};

/* Two that may touch, and what is remembered of them from one step to the next. */
struct space_pair {
    int a, b;                                /* boxes; b: also as `other` in struct contact_point */
    struct solid_manifold held;              /* of the last step */
    struct vec3 impulses[SOLIDS_POINTS_MAX]; /* of its points, in the world */
    struct vec3 expected[SOLIDS_POINTS_MAX]; /* in the next step */
    struct solid_manifold found;             /* of this step */
    uint64_t step;                           /* when it was held; only the last step counts */
};

/* A box, the sphere around it, and how fast it moves. */
struct space_mover {
    const struct space_tree_link *link;
    struct mat3 turn; /* of the box in its link */
    struct vec3 local;
    struct vec3 half;
    double radius;
    struct solid solid;
    struct vec3 velocity; /* of its centre */
    double turning;       /* how fast its corners move besides, at most */
};

struct space_contact {
    struct space_pair *pair;
    int point; /* of pair->found */
    struct vec3 at, normal, tangents[2];
    double gap, elasticity;
    int is_impact;
    int island, is_gaining; /* of an impact that is judged */
};

struct space_contacts {
    struct space_tree *tree;
    const struct space_surfaces *surfaces;
    double dt_s, restitution_speed;
    int is_whole;               /* the step is no part of one that was split */
    double push_out_speed;      /* 0: normal; else see dynamics_set_push_out() */
    struct space_mover *movers; /* per box */
    int box_count;
    struct space_pair *pairs;
    int pair_count, touched; /* the pair that may have touched last */
    struct space_contact *list;
    int count, room, rows; /* contacts; their rows and those of limits */
    struct space_limits *limits;
    struct cones cones;   /* law i: contact i, then the limits */
    double *start, *work; /* per row: velocity at the start of the step; work */
    double *drift;        /* per row: what its velocity gains in half a step by turning alone */
    double *change;       /* of the rates */
    double
        instant; /* of the first impact that is not in the middle, since the start of the step, s */
    uint64_t step;
    struct contact_point *points; /* of the last step */
    int point_count;
    double penetration; /* m, in the last step */
};

/* Boxes, surfaces, tree and limits must outlive it. ERR_MEMORY when the arena is full. */
int space_contacts_create(struct space_contacts *contacts, struct space_tree *tree,
                          struct space_limits *limits, const struct space_box *boxes, int box_count,
                          const struct space_surfaces *surfaces,
                          const struct dynamics_settings *settings, struct arena *arena);
/* The surfaces have other properties, or fewer of the fixed: those of creation are the most there may be. */
void space_contacts_set_surfaces(struct space_contacts *contacts);
/* Forgets warm starts and the points of the last step. */
void space_contacts_forget(struct space_contacts *contacts);
/* 1 if, from the tree's pose and with its velocities, something could touch within a step. */
int space_contacts_may_touch(struct space_contacts *contacts);
/* Lists what could act at the tree's pose with these rates at the end of the step; returns their number. */
int space_contacts_find(struct space_contacts *contacts, const double *rates);
/* Adds to the rates what the impulses of the contacts found, and of the limits found, do. start, middle: the rates at
 * the start and in the middle of the step. The tree's velocities are those of the rates, and it has the factors of its mass matrix alone. Returns the residual of the law, m/s. */
double space_contacts_solve(struct space_contacts *contacts, const double *start,
                            const double *middle, double *rates);
/* After that: 1 if one of the contacts found was an impact. */
int space_contacts_had_impact(const struct space_contacts *contacts);
/* How long the first part of the step should be, if it is to be taken in two, for an impact to be in
 * the middle of one of them, s; 0: as it is. */
double space_contacts_split(const struct space_contacts *contacts);
/* Books the work of contacts and limits: losses by kind, and what is positive in sum as unearned gain. */
void space_contacts_book(const struct space_contacts *contacts, struct ledger *ledger);
/* What contacts gave the tree of a root, sum and moment about a point. */
void space_contacts_impulse(const struct space_contacts *contacts, int root, struct vec3 about,
                            struct vec3 *linear, struct vec3 *angular);
/* Remembers impulses for the next step and fills points and penetration; 1 if something presses. */
int space_contacts_keep(struct space_contacts *contacts);

#endif
