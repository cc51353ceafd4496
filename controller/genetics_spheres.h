/* The genetics that spheres and bones have of their own: their random genes and what mutates in them.
 * Everything else is shared with rectangles (genetics_random.c, genetics_mutate.c, genetics_mate.c). */
#ifndef CONTROLLER_GENETICS_SPHERES_H
#define CONTROLLER_GENETICS_SPHERES_H

#include "controller/genetics.h"

/* 1 if the effector of body `row` would move something: the bone that leads to it, or a brace from it, is
 * a muscle. */
int spheres_has_muscle(const struct genome *genome, int row);
/* 1 if something but the root's first growth leads to body `row`, so that its joint may count. */
int spheres_is_held(const struct genome *genome, int row);

/* Fills an appended row but for its id and what all bodies share. */
void spheres_draw_body(struct body_gene *body, const struct params *params, struct rng *rng);
/* The larger of the radius and a new one. */
void spheres_enlarge(struct body_gene *body, const struct params *params, struct rng *rng);
/* Fills an appended row whose id and ends are set: a bone that grows its child, or a brace. */
void spheres_draw_bone(struct connection_gene *connection, const struct params *params,
                       struct rng *rng);
void spheres_draw_brace(struct connection_gene *connection, const struct params *params,
                        struct rng *rng);

/* A joint's type by initial.held, not `except` (-1: any). */
int spheres_random_joint(const struct params *params, int except, struct rng *rng);
/* Another type of joint, with limits of its own; drives it cannot have are lost. */
void spheres_set_joint(struct body_gene *body, int joint, const struct params *params,
                       struct rng *rng);
/* Makes a bone a muscle. */
void spheres_draw_muscle(struct bone_gene *bone, struct rng *rng);
/* Makes it none. */
void spheres_clear_muscle(struct bone_gene *bone);

#endif
