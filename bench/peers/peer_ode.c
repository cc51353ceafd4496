/* ODE behind peers.h: dWorldStep, the direct solver (not the iterative one), as in its manual for
 * accuracy. Bodies are boxes in three dimensions, held in the plane z = 0 by joints of the kind
 * meant for that. */
#include <math.h>

#include "bench/peers/peers.h"

#include "bench/peers/ode_world.h"

#define DEPTH_M 0.1

static dBodyID add_body(struct world *w, const struct peer_body *from)
{
    dBodyID body = dBodyCreate(w->ode);
    dMass mass;
    dMassSetParameters(&mass, from->mass_kg, 0, 0, 0, from->inertia_kg_m2, from->inertia_kg_m2,
                       from->inertia_kg_m2, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from->x_m, from->y_m, 0);
    dBodySetLinearVel(body, from->vx_m_s, from->vy_m_s, 0);
    dBodySetAngularVel(body, 0, 0, from->omega_rad_s);
    dJointAttach(dJointCreatePlane2D(w->ode, 0), body, 0);
    if (from->width_m > 0)
        dGeomSetBody(dCreateBox(w->space, from->width_m, from->height_m, DEPTH_M), body);
    return body;
}

static void *create(const struct peer_scene *scene, double hz)
{
    struct world *w = ode_create(scene, hz, FIXED_FRICTION, 4);
    if (!w)
        return NULL;
    for (int i = 0; i < scene->body_count; i++)
        w->bodies[i] = add_body(w, &scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++) {
        const struct peer_joint *from = &scene->joints[i];
        dJointID joint = w->joints[i] = dJointCreateHinge(w->ode, 0);
        dJointAttach(joint, w->bodies[from->child], from->parent < 0 ? 0 : w->bodies[from->parent]);
        dJointSetHingeAnchor(joint, from->x_m, from->y_m, 0);
        dJointSetHingeAxis(joint, 0, 0, 1);
        if (scene->has_limits) {
            dJointSetHingeParam(joint, dParamLoStop, -FIXED_LIMIT_RAD);
            dJointSetHingeParam(joint, dParamHiStop, FIXED_LIMIT_RAD);
        }
        if (scene->has_motors)
            dJointSetHingeParam(joint, dParamFMax, FIXED_STRENGTH_N_M);
    }
    return w;
}

/* What the manual asks for with joints of the kind Plane2D: no turn out of the plane adds up. */
static void flatten(dBodyID body)
{
    const dReal *turn = dBodyGetQuaternion(body);
    dQuaternion flat = {turn[0], 0, 0, turn[3]};
    dBodySetQuaternion(body, flat);
    dBodySetAngularVel(body, 0, 0, dBodyGetAngularVel(body)[2]);
}

static void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    struct world *w = self;
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        dJointSetHingeParam(
            w->joints[i], dParamVel,
            peer_motor_speed(targets[i][0], rates[i][0], dJointGetHingeAngle(w->joints[i])));
    ode_step(w, w->scene->bodies[0].width_m > 0, dWorldStep);
    for (int i = 0; i < w->scene->body_count; i++)
        flatten(w->bodies[i]);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    for (int i = 0; i < w->scene->body_count; i++) {
        const dReal *at = dBodyGetPosition(w->bodies[i]), *v = dBodyGetLinearVel(w->bodies[i]);
        const dReal *turn = dBodyGetQuaternion(w->bodies[i]);
        double angle = 2 * atan2(turn[3], turn[0]);
        w->angles[i] += remainder(angle - w->angles[i], FIXED_TWO_PI);
        states[i] = (struct peer_state){at[0], at[1], w->angles[i],
                                        v[0],  v[1],  dBodyGetAngularVel(w->bodies[i])[2]};
    }
}

const struct peer_engine peer_ode = {"ODE", "direct",    ode_version, create,
                                     step,  read_states, ode_destroy};
