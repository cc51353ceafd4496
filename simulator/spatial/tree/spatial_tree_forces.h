/* Trees of rigid links in space by the articulated-body algorithm (Featherstone, Rigid Body
 * Dynamics Algorithms, 2008, chapter 7): what forces and impulses do to them. O(links) per call;
 * nothing is allocated. */
#ifndef SIMULATOR_SPATIAL_TREE_SPATIAL_TREE_FORCES_H
#define SIMULATOR_SPATIAL_TREE_SPATIAL_TREE_FORCES_H

#include "simulator/links/spatial_tree.h"

/* Articulated inertias at the pose. `extra` is added to what each freedom yields to, for implicit
 * servos, and half_step times its drag to each link's inertia. */
void spatial_tree_factor(struct spatial_tree *tree, const double *extra, double half_step);
/* Accelerations under joint torques (of slides: forces) tau, the links' loads and gravity, at the
 * pose and the velocity, after spatial_tree_factor(). */
void spatial_tree_accelerate(struct spatial_tree *tree, const double *tau, double *qdd);
/* The change of the rates by impulses on joints and on links (about their origins; NULL: no
 * impulse), after spatial_tree_factor(), which gave the mass matrix: M^-1 (tau + J' wrench). Driven
 * freedoms yield by `drive`. */
void spatial_tree_respond(struct spatial_tree *tree, const double *tau,
                          const struct spatial_wrench *wrenches, double *dqd);
/* Factors of the mass matrix alone, M = L L', of the freedoms that are not driven. L is never
 * written down: */
void spatial_tree_factor_mass(struct spatial_tree *tree);
/* Adds L^-1 J' of `count` impulses on a link, wrenches about its origin, each to a row. The rates
 * that it reaches join those from *from to one before *to, where *to > 0. Rows are an even number
 * of numbers long. */
void spatial_tree_whiten(struct spatial_tree *tree, int link, const struct spatial_wrench *on,
                         int count, double *rows, int stride, int *from, int *to);
/* Whitens an impulse on the joint that ends at the link, along each of its axes. Numbers of its own
 * rates are put. */
void spatial_tree_whiten_joint(struct spatial_tree *tree, int link, const double *joint,
                               double *row, int *from, int *to);
/* L^-T of a row: a change of the rates. */
void spatial_tree_unwhiten(struct spatial_tree *tree, const double *row, double *dqd);

#endif
