/* Chipmunk behind peers.h: 10 iterations, its default; nothing sleeps. */
#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdlib.h>

#include "bench/peers/peers.h"

/* Each joint has a pivot, a limit and a motor. */
enum { CONSTRAINTS_MAX = 3 * PEER_BODIES_MAX };

struct world {
    const struct peer_scene *scene;
    double dt_s;
    cpSpace *space;
    cpBody *bodies[PEER_BODIES_MAX];
    cpShape *shapes[PEER_BODIES_MAX + 1];
    cpConstraint *constraints[CONSTRAINTS_MAX], *motors[PEER_BODIES_MAX];
    int shape_count, constraint_count;
};

static void add_shape(struct world *w, cpShape *shape)
{
    /* two surfaces rub with the product of their numbers */
    cpShapeSetFriction(shape, sqrt(FIXED_FRICTION));
    w->shapes[w->shape_count++] = cpSpaceAddShape(w->space, shape);
}

static cpConstraint *add_constraint(struct world *w, cpConstraint *constraint)
{
    cpConstraintSetCollideBodies(constraint, cpFalse);
    w->constraints[w->constraint_count++] = cpSpaceAddConstraint(w->space, constraint);
    return constraint;
}

static cpBody *add_body(struct world *w, const struct peer_body *from)
{
    cpBody *body = cpSpaceAddBody(w->space, cpBodyNew(from->mass_kg, from->inertia_kg_m2));
    cpBodySetPosition(body, cpv(from->x_m, from->y_m));
    cpBodySetVelocity(body, cpv(from->vx_m_s, from->vy_m_s));
    cpBodySetAngularVelocity(body, from->omega_rad_s);
    if (from->width_m > 0)
        add_shape(w, cpBoxShapeNew(body, from->width_m, from->height_m, 0));
    return body;
}

static void *create(const struct peer_scene *scene, double hz)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->scene = scene;
    w->dt_s = 1 / hz;
    w->space = cpSpaceNew();
    cpSpaceSetIterations(w->space, 10);
    cpSpaceSetGravity(w->space, cpv(0, -scene->gravity_m_s2));
    cpBody *ground = cpSpaceGetStaticBody(w->space);
    if (scene->has_ground)
        add_shape(w, cpSegmentShapeNew(ground, cpv(-500, 0), cpv(500, 0), 0));
    for (int i = 0; i < scene->body_count; i++)
        w->bodies[i] = add_body(w, &scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++) {
        const struct peer_joint *from = &scene->joints[i];
        cpBody *a = from->parent < 0 ? ground : w->bodies[from->parent],
               *b = w->bodies[from->child];
        add_constraint(w, cpPivotJointNew(a, b, cpv(from->x_m, from->y_m)));
        if (scene->has_limits)
            add_constraint(w, cpRotaryLimitJointNew(a, b, -FIXED_LIMIT_RAD, FIXED_LIMIT_RAD));
        if (scene->has_motors) {
            w->motors[i] = add_constraint(w, cpSimpleMotorNew(a, b, 0));
            cpConstraintSetMaxForce(w->motors[i], FIXED_STRENGTH_N_M);
        }
    }
    return w;
}

static void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    struct world *w = self;
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++) {
        const struct peer_joint *joint = &w->scene->joints[i];
        double angle =
            cpBodyGetAngle(w->bodies[joint->child]) - cpBodyGetAngle(w->bodies[joint->parent]);
        cpSimpleMotorSetRate(w->motors[i], -peer_motor_speed(targets[i][0], rates[i][0], angle));
    }
    cpSpaceStep(w->space, w->dt_s);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    for (int i = 0; i < w->scene->body_count; i++) {
        cpVect at = cpBodyGetPosition(w->bodies[i]), v = cpBodyGetVelocity(w->bodies[i]);
        states[i] = (struct peer_state){at.x, at.y, cpBodyGetAngle(w->bodies[i]),
                                        v.x,  v.y,  cpBodyGetAngularVelocity(w->bodies[i])};
    }
}

static void destroy(void *self)
{
    struct world *w = self;
    for (int i = 0; i < w->constraint_count; i++) {
        cpSpaceRemoveConstraint(w->space, w->constraints[i]);
        cpConstraintFree(w->constraints[i]);
    }
    for (int i = 0; i < w->shape_count; i++) {
        cpSpaceRemoveShape(w->space, w->shapes[i]);
        cpShapeFree(w->shapes[i]);
    }
    for (int i = 0; i < w->scene->body_count; i++) {
        cpSpaceRemoveBody(w->space, w->bodies[i]);
        cpBodyFree(w->bodies[i]);
    }
    cpSpaceFree(w->space);
    free(w);
}

static const char *version(void)
{
    return cpVersionString;
}

const struct peer_engine peer_chipmunk = {"Chipmunk", "10 iterations", version, create,
                                          step,       read_states,     destroy};
