#include "simulator/boxes/space_solver.h"

SPACE_SOLVER(space_solver_articulated, space_dynamics);
