/* What stands behind dynamics.h where a struct space_solver moves the body, whichever that is: a
 * creature of boxes, a scene in space, and by the reference what moves in the plane. Functions are
 * those of struct dynamics_solver. */
#ifndef SIMULATOR_BODY_SPACE_DYNAMICS_SPACE_H
#define SIMULATOR_BODY_SPACE_DYNAMICS_SPACE_H

#include "simulator/body/dynamics_solver.h"
#include "simulator/body/space/space_solver.h"

/* The front of such dynamics. */
struct dynamics_space {
    struct dynamics base;
    const struct phenotype *phenotype;
    struct space_state *space;
    struct space_world world;
    /* per rate of dynamics_qd(): that of `space`, or -1 where nothing moves; NULL: the same */
    const int *rate_of;
    struct contact_point *points; /* of the last step */
    int point_room;
    struct arena *arena;
};

struct dynamics_space *dynamics_space_of(const struct dynamics *dynamics);

void dynamics_space_set_target(struct dynamics *dynamics, int drive, double target, double rate);
void dynamics_space_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo);
const struct servo *dynamics_space_servo(const struct dynamics *dynamics, int drive);
void dynamics_space_set_effectors(struct dynamics *dynamics, enum effector_state state);
void dynamics_space_set_joint_damping(struct dynamics *dynamics, double rate_1_s);
void dynamics_space_set_push_out(struct dynamics *dynamics, double speed_m_s);
int dynamics_space_step(struct dynamics *dynamics);
void dynamics_space_reset_ledger(struct dynamics *dynamics);
const struct ledger *dynamics_space_ledger(struct dynamics *dynamics);
int dynamics_space_contacts(const struct dynamics *dynamics, const struct contact_point **contacts);
double dynamics_space_penetration(const struct dynamics *dynamics);
double dynamics_space_law_miss(const struct dynamics *dynamics);
void dynamics_space_step_counts(const struct dynamics *dynamics, uint64_t *steps,
                                uint64_t *rk4_steps);

#endif
