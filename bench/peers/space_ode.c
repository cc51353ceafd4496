/* ODE behind space_peers.h, by both of its solvers: dWorldQuickStep with its 20 sweeps, and the
 * direct dWorldStep. The servo's torque is that of the step's start. */
#include <string.h>

#include "bench/peers/space_peers.h"

#include "bench/peers/ode_world.h"

static dBodyID add_body(struct world *w, const struct peer_body *from)
{
    dBodyID body = dBodyCreate(w->ode);
    const double *inertia = from->inertia_kg_m2;
    dMass mass;
    dMassSetParameters(&mass, from->mass_kg, 0, 0, 0, inertia[0], inertia[1], inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from->at_m[0], from->at_m[1], from->at_m[2]);
    dBodySetQuaternion(body, from->turn);
    dBodySetLinearVel(body, from->v_m_s[0], from->v_m_s[1], from->v_m_s[2]);
    dBodySetAngularVel(body, from->w_rad_s[0], from->w_rad_s[1], from->w_rad_s[2]);
    if (from->size_m[0] > 0)
        dGeomSetBody(dCreateBox(w->space, from->size_m[0], from->size_m[1], from->size_m[2]), body);
    return body;
}

/* Angles are those of the first body against the second. */
static void add_joint(struct world *w, int i)
{
    const struct peer_joint *from = &w->scene->joints[i];
    const double *at = from->at_m, *a = from->axes[0], *b = from->axes[1];
    dBodyID child = w->bodies[from->child], parent = from->parent < 0 ? 0 : w->bodies[from->parent];
    dJointID joint;
    if (from->kind == PEER_BALL) {
        joint = dJointCreateBall(w->ode, 0);
        dJointAttach(joint, child, parent);
        dJointSetBallAnchor(joint, at[0], at[1], at[2]);
    } else if (from->kind == PEER_UNIVERSAL) {
        joint = dJointCreateUniversal(w->ode, 0);
        dJointAttach(joint, child, parent);
        dJointSetUniversalAnchor(joint, at[0], at[1], at[2]);
        dJointSetUniversalAxis1(joint, b[0], b[1], b[2]);
        dJointSetUniversalAxis2(joint, a[0], a[1], a[2]);
    } else {
        joint = dJointCreateHinge(w->ode, 0);
        dJointAttach(joint, child, parent);
        dJointSetHingeAnchor(joint, at[0], at[1], at[2]);
        dJointSetHingeAxis(joint, a[0], a[1], a[2]);
    }
    w->joints[i] = joint;
}

/* The axis of a joint that a parameter is of: ODE's first axis of a universal joint is our
 * second. */
static int group_of(const struct peer_joint *joint, int k)
{
    return joint->kind == PEER_UNIVERSAL && k == 0 ? dParamGroup2 : dParamGroup1;
}

static void set_param(struct world *w, int i, int k, int param, double value)
{
    const struct peer_joint *joint = &w->scene->joints[i];
    if (joint->kind == PEER_UNIVERSAL)
        dJointSetUniversalParam(w->joints[i], group_of(joint, k) + param, value);
    else
        dJointSetHingeParam(w->joints[i], param, value);
}

/* The servo's torques. */
static void pull(struct world *w, int i, const double *targets, const double *rates)
{
    dJointID joint = w->joints[i];
    if (w->scene->joints[i].kind == PEER_HINGE) {
        dJointAddHingeTorque(joint, space_peer_torque(w->scene, i, 0, targets[0], rates[0],
                                                      dJointGetHingeAngle(joint),
                                                      dJointGetHingeAngleRate(joint)));
        return;
    }
    double first =
        space_peer_torque(w->scene, i, 0, targets[0], rates[0], dJointGetUniversalAngle2(joint),
                          dJointGetUniversalAngle2Rate(joint));
    double second =
        space_peer_torque(w->scene, i, 1, targets[1], rates[1], dJointGetUniversalAngle1(joint),
                          dJointGetUniversalAngle1Rate(joint));
    dJointAddUniversalTorques(joint, second, first);
}

static void *create(const struct peer_scene *scene, double hz)
{
    struct world *w = ode_create(scene, hz, PEER_FRICTION, 8);
    if (!w)
        return NULL;
    for (int i = 0; i < scene->body_count; i++)
        w->bodies[i] = add_body(w, &scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++) {
        add_joint(w, i);
        for (int k = 0; scene->joints[i].kind != PEER_BALL && k < (int)scene->joints[i].kind; k++) {
            if (scene->has_limits) {
                set_param(w, i, k, dParamLoStop, -PEER_LIMIT_RAD);
                set_param(w, i, k, dParamHiStop, PEER_LIMIT_RAD);
            }
        }
    }
    return w;
}

static void move(struct world *w, const double (*targets)[2], const double (*rates)[2],
                 int (*solve)(dWorldID, dReal))
{
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        pull(w, i, targets[i], rates[i]);
    ode_step(w, w->scene->bodies[0].size_m[0] > 0, solve);
}

static void step_quick(void *self, const double (*targets)[2], const double (*rates)[2])
{
    move(self, targets, rates, dWorldQuickStep);
}

static void step_exact(void *self, const double (*targets)[2], const double (*rates)[2])
{
    move(self, targets, rates, dWorldStep);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    for (int i = 0; i < w->scene->body_count; i++) {
        memcpy(states[i].at_m, dBodyGetPosition(w->bodies[i]), sizeof states[i].at_m);
        memcpy(states[i].turn, dBodyGetQuaternion(w->bodies[i]), sizeof states[i].turn);
        memcpy(states[i].v_m_s, dBodyGetLinearVel(w->bodies[i]), sizeof states[i].v_m_s);
        memcpy(states[i].w_rad_s, dBodyGetAngularVel(w->bodies[i]), sizeof states[i].w_rad_s);
    }
}

const struct peer_engine space_peer_ode_quick = {"ODE",      "quick step", ode_version, create,
                                                 step_quick, read_states,  ode_destroy};
const struct peer_engine space_peer_ode_exact = {"ODE",      "direct",    ode_version, create,
                                                 step_exact, read_states, ode_destroy};
