#include "common/judge/epoch.h"

const char *const epoch_fact_names[EPOCH_FACT_COUNT] = {
#define X(name) #name,
    EPOCH_FACTS(X)
#undef X
};

const char *const epoch_cause_names[EPOCH_CAUSE_COUNT] = {"hunger", "age", "bitten", "guard"};
