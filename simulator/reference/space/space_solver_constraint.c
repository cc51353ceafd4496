#include "simulator/boxes/space_solver.h"
#include "simulator/reference/space/space_constraint.h"

SPACE_SOLVER(space_solver_constraint, space_constraint);
