/* The sounds of creatures: calls of their emitters, and blows. */
#include <math.h>

#include "common/genome/sensor.h"
#include "viewer/replay/replay.h"

/* A creature of 1 kg calls so high, Hz; the pitch falls with the mass to the power of 0.4, as in
 * animals (Fletcher 2004, "A simple frequency-scaling rule for animal communication"). */
#define VOICE_HZ       400.0
#define VOICE_EXPONENT (-0.4)
#define VOICE_LEAST_HZ 70.0
#define VOICE_MOST_HZ  1400.0

double replay_voice_hz(double mass_kg)
{
    double hz = VOICE_HZ * pow(fmax(mass_kg, 1e-6), VOICE_EXPONENT);
    return fmin(fmax(hz, VOICE_LEAST_HZ), VOICE_MOST_HZ);
}

void replay_put_sound(struct replay_sound *sound, const struct evaluate_view *view,
                      const struct params *params, double *lost_before_j)
{
    double lost_j = view->ledger->loss_impact_j + view->ledger->loss_limit_j;
    double blow_j = *lost_before_j < 0 ? 0 : fmax(lost_j - *lost_before_j, 0);
    double loudest = 0;
    for (int i = 0; i < view->phenotype->emitter_count; i++)
        if (view->phenotype->emitters[i].kind == EMITTER_SOUND)
            loudest = fmax(loudest, view->emitted[i]);
    *lost_before_j = lost_j;
    sound->call = (float)fmin(loudest, 1);
    sound->blow = (float)(blow_j / (blow_j + params->sound_blow_j));
}
