#include "simulator/body/signal.h"

#include "common/math/detmath.h"

/* The spline's second derivatives m obey, with steps h and slopes d between the points,
 *
 *   h0/3 m0 + h0/6 m1 = d0 - 0,   h_i/6 m_i + (h_i + h_i+1)/3 m_i+1 + h_i+1/6 m_i+2 = d_i+1 - d_i,
 *   h_n/6 m_n + h_n/3 m_n+1 = 0 - d_n
 *
 * (de Boor, A Practical Guide to Splines, chapter IV; clamped with slope 0). Tridiagonal: one sweep
 * down, in which scratch holds the quotients, and one up. */
void signal_bend(struct signal *s, double *scratch)
{
    const double *t = s->times_s, *y = s->values;
    double *m = s->bends;
    int last = s->count - 1;
    for (int i = 0; i <= last; i++) {
        double before = i > 0 ? t[i] - t[i - 1] : 0, after = i < last ? t[i + 1] - t[i] : 0;
        double slope_before = i > 0 ? (y[i] - y[i - 1]) / before : 0;
        double slope_after = i < last ? (y[i + 1] - y[i]) / after : 0;
        double diagonal = (before + after) / 3, right = slope_after - slope_before;
        if (i > 0) {
            diagonal -= before / 6 * scratch[i - 1];
            right -= before / 6 * m[i - 1];
        }
        scratch[i] = diagonal > 0 ? after / 6 / diagonal : 0;
        m[i] = diagonal > 0 ? right / diagonal : 0;
    }
    for (int i = last - 1; i >= 0; i--)
        m[i] -= scratch[i] * m[i + 1];
}

/* The table's part. */
static struct signal_value table_at(const struct signal *s, double time)
{
    int low = 0, high = s->count - 1;
    if (time <= s->times_s[low] || high == 0)
        return (struct signal_value){s->values[low], 0, 0};
    if (time >= s->times_s[high])
        return (struct signal_value){s->values[high], 0, 0};
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (time < s->times_s[middle])
            high = middle;
        else
            low = middle;
    }
    double h = s->times_s[high] - s->times_s[low], b = (time - s->times_s[low]) / h, a = 1 - b;
    double slope = (s->values[high] - s->values[low]) / h;
    struct signal_value v = {a * s->values[low] + b * s->values[high], slope, 0};
    if (s->table == SIGNAL_LINES)
        return v;
    double m0 = s->bends[low], m1 = s->bends[high];
    v.value += ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6;
    v.rate += ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0) * h / 6;
    v.acceleration = a * m0 + b * m1;
    return v;
}

struct signal_value signal_at(const struct signal *s, double time)
{
    struct signal_value v = {0, 0, 0};
    if (s->count > 0)
        v = table_at(s, time);
    v.value += s->offset + s->slope * time;
    v.rate += s->slope;
    if (s->amplitude != 0) {
        double sine, cosine, w = s->rate_rad_s;
        det_sincos(w * time + s->phase_rad, &sine, &cosine);
        v.value += s->amplitude * sine;
        v.rate += s->amplitude * w * cosine;
        v.acceleration -= s->amplitude * w * w * sine;
    }
    return v;
}
