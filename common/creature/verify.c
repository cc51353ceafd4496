/* See verify.h. */
#include "common/creature/verify.h"

#include <stdio.h>

#include "common/judge/behaviour.h"
#include "common/version.h"

double verify_own_fitness(const struct creature *creature, int verdict,
                          const struct measures *measures)
{
    return behaviour_fitness(verdict, measures, &creature->params);
}

void verify_put(struct creature *creature, int verdict, uint64_t digest,
                const struct measures *measures)
{
    creature->has_evaluation = 1;
    creature->verdict = verdict;
    creature->measures = *measures;
    creature->fitness = verify_own_fitness(creature, verdict, measures);
    creature->digest = digest;
    creature->genome_hash = genome_hash(&creature->genome);
    creature->simulator_version = SIMULATOR_VERSION;
}

/* Nothing: there is none. */
static void describe_difference(const struct creature *creature, int verdict, uint64_t digest,
                                const struct measures *measures, char *detail, size_t size)
{
    int measure = measures_find_difference(&creature->measures, measures);
    double own = verify_own_fitness(creature, verdict, measures);
    detail[0] = '\0';
    if (genome_hash(&creature->genome) != creature->genome_hash)
        snprintf(detail, size, "the genome is not the one that was evaluated");
    else if (creature->verdict != verdict)
        snprintf(detail, size, "recorded verdict %s, now %s", verdict_name(creature->verdict),
                 verdict_name(verdict));
    else if (creature->digest != digest)
        snprintf(detail, size, "it moves otherwise than recorded");
    else if (measure >= 0)
        snprintf(detail, size, "%s: recorded %.9g, now %.9g", measure_table[measure].name,
                 measures_get(&creature->measures, measure), measures_get(measures, measure));
    else if (!behaviour_can_record(creature->fitness, own, &creature->params))
        snprintf(detail, size, "fitness: recorded %.9g, now %.9g", creature->fitness, own);
}

enum record_status verify_compare(const struct creature *creature, int verdict, uint64_t digest,
                                  const struct measures *measures, char detail[RECORD_DETAIL_SIZE])
{
    int is_ours = creature->simulator_version == SIMULATOR_VERSION, used = 0;
    detail[0] = '\0';
    if (!creature->has_evaluation)
        return RECORD_UNRECORDED;
    if (creature->params.evolution_behaviour == BEHAVIOUR_CONTEST) {
        snprintf(detail, RECORD_DETAIL_SIZE, "what is recorded is of its contests");
        return RECORD_UNRECORDED;
    }
    if (!is_ours)
        used = snprintf(detail, RECORD_DETAIL_SIZE,
                        "recorded by simulator version %d, this is version %d; ",
                        creature->simulator_version, SIMULATOR_VERSION);
    describe_difference(creature, verdict, digest, measures, detail + used,
                        (size_t)(RECORD_DETAIL_SIZE - used));
    if (detail[used])
        return is_ours ? RECORD_DIFFERS : RECORD_OTHER_VERSION;
    detail[0] = '\0';
    double own = verify_own_fitness(creature, verdict, measures);
    if (creature->fitness == own || creature->fitness > 0)
        return RECORD_VERIFIED;
    snprintf(detail, RECORD_DETAIL_SIZE,
             "fitness: recorded 0, now %.9g: a refusal by the referee is not repeated", own);
    return RECORD_REFUSED;
}
