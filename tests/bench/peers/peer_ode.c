/* ODE behind peers.h: dWorldStep, the direct solver (not the iterative one), as in its manual for accuracy.
 * Bodies are boxes in three dimensions, held in the plane z = 0 by joints of the kind meant for that. */
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#include "tests/bench/peers/peers.h"

enum { CONTACTS_MAX = 4 };
#define DEPTH_M 0.1

struct world {
    const struct peer_scene *scene;
    double dt_s;
    dWorldID ode;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID bodies[PEER_BODIES_MAX];
    dJointID joints[PEER_BODIES_MAX];
    double angles[PEER_BODIES_MAX]; /* unwrapped, as last read */
};

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

/* Contacts that say the same thing twice make the direct solver complain; it goes on nevertheless. */
static void ignore_message(int number, const char *message, va_list arguments)
{
}

static void *create(const struct peer_scene *scene, double hz)
{
    static int is_initialised;
    struct world *w = calloc(1, sizeof *w);
    if (!w || (!is_initialised && !dInitODE2(0)))
        return NULL;
    is_initialised = 1;
    dSetMessageHandler(ignore_message);
    w->scene = scene;
    w->dt_s = 1 / hz;
    w->ode = dWorldCreate();
    w->space = dSimpleSpaceCreate(0);
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->ode, 0, -scene->gravity_m_s2, 0);
    if (scene->has_ground)
        dCreatePlane(w->space, 0, 1, 0, 0);
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

static void touch(void *self, dGeomID a, dGeomID b)
{
    struct world *w = self;
    dContact contacts[CONTACTS_MAX];
    dBodyID one = dGeomGetBody(a), other = dGeomGetBody(b);
    if (one && other && dAreConnected(one, other))
        return;
    int count = dCollide(a, b, CONTACTS_MAX, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = FIXED_FRICTION};
        dJointAttach(dJointCreateContact(w->ode, w->contacts, &contacts[i]), one, other);
    }
}

/* What the manual asks for with joints of the kind Plane2D: no turn out of the plane adds up. */
static void flatten(dBodyID body)
{
    const dReal *turn = dBodyGetQuaternion(body);
    dQuaternion flat = {turn[0], 0, 0, turn[3]};
    dBodySetQuaternion(body, flat);
    dBodySetAngularVel(body, 0, 0, dBodyGetAngularVel(body)[2]);
}

static void step(void *self, const double *targets, const double *rates)
{
    struct world *w = self;
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        dJointSetHingeParam(
            w->joints[i], dParamVel,
            peer_motor_speed(targets[i], rates[i], dJointGetHingeAngle(w->joints[i])));
    if (w->scene->bodies[0].width_m > 0)
        dSpaceCollide(w->space, w, touch);
    dWorldStep(w->ode, w->dt_s);
    dJointGroupEmpty(w->contacts);
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

static void destroy(void *self)
{
    struct world *w = self;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->ode);
    free(w);
}

static const char *version(void)
{
    return dODE_VERSION;
}

const struct peer_engine peer_ode = {"ODE", "direct", version, create, step, read_states, destroy};
