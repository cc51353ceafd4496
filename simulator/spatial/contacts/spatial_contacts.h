/* Contacts of boxes in space, with the ground, with fixed boxes and with one another, in a midpoint
 * step; joints' limits act together with them.
 *
 * Each body has contacts of its own, for the steps that it takes alone. Bodies that may touch one
 * another take a step with contacts that they share: M^-1 has a block for each body, and only
 * contacts between two bodies couple the blocks.
 *
 * The step calls, in this order: spatial_contacts_find() at the pose in the middle, _prepare(),
 * _solve(), and for each body spatial_contacts_book() and spatial_contacts_keep(). A row is what a
 * velocity of a contact is of the rates, so that a contact between two bodies, or within one, is no
 * other thing than one with the ground. Signorini's conditions with Newton's restitution and
 * Coulomb's friction (Moreau 1988; Jean 1999), solved by contact_solver.h. */
#ifndef SIMULATOR_SPATIAL_CONTACTS_SPATIAL_CONTACTS_H
#define SIMULATOR_SPATIAL_CONTACTS_SPATIAL_CONTACTS_H

#include "simulator/contact/contact_solver.h"
#include "simulator/links/spatial_state.h"
#include "simulator/spatial/tree/spatial_limits.h"

/* The rates of a body in a midpoint step: at its start, as guessed in its middle, at its end. */
enum space_moment { SPACE_START, SPACE_MIDDLE, SPACE_END, SPACE_MOMENTS };

/* Two that may touch, and what is remembered of them from one step to the next. */
struct spatial_pair {
    struct spatial_mover *one, *two;         /* two: NULL where b is no box */
    int a, b;                                /* boxes; b: also as `other` in struct contact_point */
    unsigned char meeting;                   /* of boxes of one body: which half of one is there */
    struct solid_manifold held;              /* of the last step */
    struct vec3 impulses[SOLIDS_POINTS_MAX]; /* of its points, in the world */
    struct solid_manifold found;             /* of this step */
    struct vec3
        *normals;    /* of the points found, on a ground with relief; else NULL: found.normal */
    uint64_t step;   /* of the body of `one`, when it was held; only the last step counts */
    uint64_t search; /* that found it, of those that bodies share */
};

/* A box, the sphere around it, and how fast it moves. */
struct spatial_mover {
    const struct spatial_contact_body *body;
    const struct spatial_tree_link *link;
    struct mat3 turn; /* of the box in its link */
    struct vec3 local;
    struct vec3 half;
    int is_round;
    double radius, thin; /* its least half side */
    struct solid solid;
    struct vec3 velocity; /* of its centre */
    double turning;       /* how fast its corners move besides, at most */
};

struct spatial_contact {
    struct spatial_pair *pair;
    int point; /* of pair->found */
    struct vec3 at, normal, tangents[2];
    double gap, elasticity;
    struct vec3
        velocity_two; /* of the second body's point at the start, where there are two bodies ... */
    double work_two;  /* ... and the work on that body */
    int is_impact;
    int island, is_gaining; /* of an impact that is judged */
};

/* Everything that belongs to one body alone. */
struct spatial_contact_body {
    /* filled in by the caller; `rates` by enum space_moment */
    struct dynamics *dynamics; /* its number among those that it meets, ledger and touches */
    struct spatial_tree *tree;
    struct spatial_limits *limits;
    const struct spatial_surfaces *surfaces;
    double *rates[SPACE_MOMENTS];

    const struct body_box *boxes;
    struct spatial_mover *movers; /* per box */
    int box_count;
    struct vec3 *normals; /* per box SOLIDS_POINTS_MAX: room for those of a ground with relief */
    struct spatial_pair *pairs; /* with ground, fixed boxes and itself */
    int pair_count, touched;    /* the pair that may have touched last */
    uint64_t step;
    uint64_t limit_step; /* for which what limits gave is known: only the last step counts */
    /* in the step: its first column, its first limit among those of all, and how many there are */
    int column, first_limit, limit_count;
};

struct spatial_contacts {
    struct arena *arena; /* of what it takes on the way; where that is exhausted, steps fail */
    double dt_s, restitution_speed;
    int is_whole;          /* the step is no part of one that was split */
    int may_be_shorter;    /* the step may be taken in parts, ... */
    int is_too_long;       /* ... and is to be: else impacts would lose their restitution */
    double push_out_speed; /* 0: normal; else see dynamics_set_push_out() */
    struct spatial_contact_body own;      /* of contacts that one body has for itself */
    struct spatial_contact_body **bodies; /* those of the step */
    int body_count, body_room;
    int columns, links; /* of them all */
    double mass;
    struct spatial_contact *list;
    int count, room, rows;       /* contacts; their rows and those of limits */
    int limit_room;              /* of the limits of all bodies */
    struct contact_solver cones; /* law i: contact i, then the limits */
    double *start, *work;        /* per row: velocity at the start of the step; work */
    double *drift; /* per row: what its velocity gains in half a step by turning alone */
    double *loads,
        *given;     /* per row, with impacts: impulses without them; and the velocity they give */
    double *change; /* of the rates of a body */
    double
        instant; /* of the first impact that is not in the middle, since the start of the step, s */
    /* shared contacts: pairs of boxes of two bodies that touched, and how often such were searched
     * for */
    struct spatial_pair *met;
    int met_room;
    uint64_t search;
};

/* A broken invariant is a bug. */
void spatial_contacts_check(const struct spatial_contacts *contacts);
/* Contacts of one body. Boxes, surfaces, tree, limits and rates must outlive it, and so must the
 * arena. ERR_MEMORY when that is full. */
int spatial_contacts_create(struct spatial_contacts *contacts,
                            const struct spatial_contact_body *own, const struct body_box *boxes,
                            int box_count, const struct dynamics_settings *settings,
                            struct arena *arena);
/* Contacts that several bodies can share, which have contacts of their own: `all`. */
int spatial_contacts_create_shared(struct spatial_contacts *contacts,
                                   struct spatial_contacts *const *all, int count,
                                   const struct dynamics_settings *settings, struct arena *arena);
/* One more body, with contacts of its own, joins those of the step; and after the step they
 * part. */
void spatial_contacts_gather(struct spatial_contacts *contacts, struct spatial_contacts *body);
void spatial_contacts_part(struct spatial_contacts *contacts);
/* The surfaces have other properties, or fewer of the fixed: those of creation are the most there
 * may be. */
void spatial_contacts_set_surfaces(struct spatial_contacts *contacts);
/* Forgets a body's warm starts and the points of the last step. */
void spatial_contacts_forget(struct spatial_contacts *contacts);
/* 1 if there is something that could ever touch. */
int spatial_contacts_has_pairs(const struct spatial_contacts *contacts);
/* Widens bounds to where a body's boxes could be within a step, and somewhat beyond, at the tree's
 * pose and velocities. */
void spatial_contacts_sweep(struct spatial_contacts *contacts, struct vec3 *low, struct vec3 *high);
/* 1 if, from the tree's pose and with its velocities, a body could touch something or itself within
 *   a step. */
int spatial_contacts_may_touch(struct spatial_contacts *contacts);
/* How long the bodies of the step, at their trees' poses and velocities, can go on before something
 * thinner than its way could pass something else, s: at most time_s, at least least_s. */
double spatial_contacts_stride(struct spatial_contacts *contacts, double time_s, double least_s);
/* Lists what could act at the trees' poses with the rates at the end of the step; returns their
 * number. */
int spatial_contacts_find(struct spatial_contacts *contacts);
/* Velocities of what was found, contacts and limits, and the laws of contacts. */
void spatial_contacts_measure(struct spatial_contacts *contacts);
/* After that: how long the first part of the step should be, if it is to be taken in two, for an
 * impact to be in the middle of one of them, s; 0: as it is. */
double spatial_contacts_split(const struct spatial_contacts *contacts);
/* After that: rows and warm starts, and the laws of limits. The trees have the factors of their
 * mass matrices alone. */
void spatial_contacts_prepare(struct spatial_contacts *contacts);
/* After that: adds to the rates at the end what the impulses of the contacts found, and of the
 * limits found, do. Returns the residual of the law, m/s. */
double spatial_contacts_solve(struct spatial_contacts *contacts);
/* After that: 1 if one of the contacts found was an impact on the body. */
int spatial_contacts_had_impact(const struct spatial_contacts *contacts,
                                const struct spatial_contact_body *body);
/* Books the work of contacts and limits on a body: losses by kind, and a positive sum as unearned
 * gain. Of what two bodies lose together each books half; their work on one another is their
 * exchange. */
void spatial_contacts_book(const struct spatial_contacts *contacts,
                           const struct spatial_contact_body *body);
/* The impulses of contacts on the tree of a body's root, sum and moment about a point. */
void spatial_contacts_impulse(const struct spatial_contacts *contacts,
                              const struct spatial_contact_body *body, int root, struct vec3 about,
                              struct vec3 *linear, struct vec3 *angular);
/* Remembers impulses for the next step and fills the body's points and penetration; 1 if something
 * presses on it. */
int spatial_contacts_keep(struct spatial_contacts *contacts, struct spatial_contact_body *body);

#endif
