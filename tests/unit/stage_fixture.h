/* The stage of a test's body. */
#ifndef TESTS_UNIT_STAGE_FIXTURE_H
#define TESTS_UNIT_STAGE_FIXTURE_H

#include "tests/unit/body_fixture.h"

static struct stage stage;

static inline void stage_set_up(void)
{
    stage_open(&stage);
}

#endif
