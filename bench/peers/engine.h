/* An engine behind the workloads of peers.h, in the plane, or of space_peers.h: each is one file,
 * and peer_frame.c measures them in turns. A scene and a state are what the one header or the other
 * says. Also C++. */
#ifndef BENCH_PEERS_ENGINE_H
#define BENCH_PEERS_ENGINE_H

enum { PEER_TICKS_HZ = 60 };

struct peer_scene;
struct peer_state;

struct peer_engine {
    const char *name;
    const char *setting; /* what else there is to choose; "" if nothing */
    const char *(*version)(void);
    /* 1 / hz: the step. NULL: no memory. */
    void *(*create)(const struct peer_scene *scene, double hz);
    /* One step. Targets of the joints' angles, two for each joint, and their rates at the start of
     * the step, when there are motors: the header of the scene says how an engine follows them. */
    void (*step)(void *world, const double (*targets)[2], const double (*rates)[2]);
    void (*read)(void *world, struct peer_state *states);
    void (*destroy)(void *world);
};

#endif
