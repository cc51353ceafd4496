/* What the files of ODE in the plane and in space do alike; the scene's header comes before this
 * one. */
#ifndef BENCH_PEERS_ODE_WORLD_H
#define BENCH_PEERS_ODE_WORLD_H

#include <ode/ode.h>
#include <stdlib.h>

enum { ODE_CONTACTS_MAX = 8 };

struct world {
    const struct peer_scene *scene;
    double dt_s, friction;
    int contacts_max; /* of two bodies */
    dWorldID ode;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID bodies[PEER_BODIES_MAX];
    dJointID joints[PEER_BODIES_MAX];
    double angles[PEER_BODIES_MAX]; /* in the plane: unwrapped, as last read */
};

/* Contacts that say the same thing twice make the direct solver complain; it goes on
 * nevertheless. */
static void ode_ignore_message(int number, const char *message, va_list arguments)
{
}

/* A world with gravity and ground, at most ODE_CONTACTS_MAX contacts of two bodies; NULL: no
 * memory. */
static struct world *ode_create(const struct peer_scene *scene, double hz, double friction,
                                int contacts_max)
{
    static int is_initialised;
    struct world *w = calloc(1, sizeof *w);
    if (!w || (!is_initialised && !dInitODE2(0)))
        return NULL;
    is_initialised = 1;
    dSetMessageHandler(ode_ignore_message);
    w->scene = scene;
    w->dt_s = 1 / hz;
    w->friction = friction;
    w->contacts_max = contacts_max;
    w->ode = dWorldCreate();
    w->space = dSimpleSpaceCreate(0);
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->ode, 0, -scene->gravity_m_s2, 0);
    if (scene->has_ground)
        dCreatePlane(w->space, 0, 1, 0, 0);
    return w;
}

static void ode_touch(void *self, dGeomID a, dGeomID b)
{
    struct world *w = self;
    dContact contacts[ODE_CONTACTS_MAX];
    dBodyID one = dGeomGetBody(a), other = dGeomGetBody(b);
    if (one && other && dAreConnected(one, other))
        return;
    int count = dCollide(a, b, w->contacts_max, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = w->friction};
        dJointAttach(dJointCreateContact(w->ode, w->contacts, &contacts[i]), one, other);
    }
}

/* One step, by dWorldStep or dWorldQuickStep. */
static void ode_step(struct world *w, int has_shapes, int (*solve)(dWorldID, dReal))
{
    if (has_shapes)
        dSpaceCollide(w->space, w, ode_touch);
    solve(w->ode, w->dt_s);
    dJointGroupEmpty(w->contacts);
}

static void ode_destroy(void *self)
{
    struct world *w = self;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->ode);
    free(w);
}

static const char *ode_version(void)
{
    return dODE_VERSION;
}

#endif
