/* Steps of Runge-Kutta's method for trees of hinges that touch nothing, two links at a time.
 *
 * The formulas are those of tree_accelerate.c with explicit torques and drag, laid out for vectors
 * of two numbers: a creature's limbs come in pairs, and links whose parents are done go together. A
 * step is one pass a stage over little memory, with angles, torques, accelerations and the powers
 * for the ledger. Trees with linear or driven joints, and drag that changes with the velocity, go
 * another way. Vectors of two are everywhere the same arithmetic, so results are the same on all
 * machines.
 *
 * 2 to 16 links; nothing is allocated after flight_create(). */
#ifndef SIMULATOR_PLANAR_STEPS_FLIGHT_H
#define SIMULATOR_PLANAR_STEPS_FLIGHT_H

#include "simulator/planar/tree/tree.h"

/* Two links. */
struct flight_pair;

/* Numbers of a hinge's drive: torque = aim - kp q - kd qd, no more than muscle_most() (servo.h) of
 * the last three, - damping qd. */
struct flight_law {
    double kp, kd, damping, most, hill_n_m, hill_s_rad;
};

/* Places in the works of a step, where q has those of the root: losses by drag and by damping, work
 * of driven joints. From 2 + 1 on come the effectors'. */
enum flight_work { WORK_DRAG, WORK_DAMPING, WORK_DRIVES };

/* A step; indices as in q. */
struct flight_step {
    const double *from_q, *from_qd;
    double *q, *qd;           /* after the step; may be from_q and from_qd */
    double *work;             /* added to: places as in enum flight_work, and 2 + i: of effectors */
    double *acceleration;     /* at the last stage */
    double *torque;           /* of effectors, likewise; per link */
    const double *aim[3];     /* at the start, in the middle and at the end */
    double gravity_m_s2, h_s; /* h_s: length of the step */
    struct force drag;        /* after: its impulse, about where the root's origin was */
};

struct flight {
    int count; /* of pairs */
    int links;
    int *place;   /* of each link: twice its pair, and its lane */
    char **lanes; /* of each link: its pair, as many bytes ahead as its lane */
    int is_root_fixed, has_drag, has_damping;
    int has_curve; /* hinges' torques fall with their rates */
    int is_ready;  /* the pose is that at the end of the last step */
    double gravity_x;
    struct flight_pair *pairs;
    struct solver root[2]; /* inertia of all, of even and odd stages */
};

/* 1 if a tree can go this way as it is now. */
int flight_suits(const struct tree *tree);
/* Takes everything from the arena; ERR_MEMORY when it is full. */
int flight_create(struct flight *flight, const struct tree *tree, struct arena *arena);
void flight_set_law(struct flight *flight, int link, const struct flight_law *law);
/* Takes gravity and the links' drag from the tree. */
void flight_set_world(struct flight *flight, const struct tree *tree);
/* The next step does not go on from the last one: poses are found anew. */
void flight_forget(struct flight *flight);
/* One step, after which the tree has angles, sines and cosines of the end: for tree_place(). */
void flight_advance(struct flight *flight, struct tree *tree, struct flight_step *step);

#endif
