/* A trace as CSV.
 *
 * One line per brain tick (60 a second), about 200 bytes for each part. Numbers have 17 digits, so
 * that they read back exactly; the columns depend on the creature's parts and joints only, so that
 * traces of one creature can be laid side by side. The ledger's columns and the parts' columns are
 * tables: header and rows cannot fall out of step. */
#include "simulator/tools/trace.h"

/* The columns of one part. */
#define TRACE_PART(X)                                                                              \
    TRACE_MOTION(X)                                                                                \
    X(z_m, z_m, state.at_m.z)                                                                      \
    X(vz_m_s, vz_m_s, state.velocity_m_s.z)                                                        \
    X(omega_x_rad_s, omega_x_rad_s, state.spin_rad_s.x)                                            \
    X(omega_y_rad_s, omega_y_rad_s, state.spin_rad_s.y)                                            \
    TRACE_JOINT(X)

static const char *const phase_names[] = {
    [PHASE_PUSH_APART] = "push-apart", [PHASE_SETTLE] = "settle", [PHASE_SCORE] = "score"};

static void trace_print_header(FILE *file, const struct phenotype *phenotype)
{
    fputs("time_s,phase,com_x_m,com_y_m,com_z_m", file);
#define X(field) fputs("," #field, file);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < phenotype->part_count; i++) {
        int drive = phenotype_find_drive(phenotype, i, 0);
        int is_linear = drive >= 0 && phenotype->drives[drive].is_linear;
#define X(name, linear, field) fprintf(file, ",p%d_%s", i, is_linear ? #linear : #name);
        TRACE_PART(X)
#undef X
    }
    fputc('\n', file);
}

static void trace_read_contacts(struct trace_part *row, const struct evaluate_view *view, int part)
{
    const struct contact_point *contacts;
    int count = dynamics_contacts(view->dynamics, &contacts);
    for (int i = 0; i < count; i++) {
        int is_other = contact_is_inner(&contacts[i]) && contacts[i].other == part;
        if (contacts[i].part != part && !is_other)
            continue;
        row->contacts += 1;
        row->normal_n_s += contacts[i].normal_impulse_n_s;
        row->friction_n_s += contacts[i].friction_impulse_n_s;
    }
}

static void trace_print_part(FILE *file, const struct evaluate_view *view, int part)
{
    struct trace_part row = {0};
    int drive = phenotype_find_drive(view->phenotype, part, 0);
    dynamics_part_state(view->dynamics, part, &row.state);
    if (drive >= 0)
        dynamics_drive_state(view->dynamics, drive, &row.joint);
    trace_read_contacts(&row, view, part);
#define X(name, linear, field) fprintf(file, ",%.17g", row.field);
    TRACE_PART(X)
#undef X
}

int trace_observe(void *context, const struct evaluate_view *view)
{
    struct trace *trace = context;
    FILE *file = trace->file;
    if (!trace->has_header)
        trace_print_header(file, view->phenotype);
    trace->has_header = 1;
    struct vec3 centre = dynamics_centre_of_mass(view->dynamics);
    fprintf(file, "%.17g,%s,%.17g,%.17g,%.17g", view->time_s, phase_names[view->phase], centre.x,
            centre.y, centre.z);
#define X(field) fprintf(file, ",%.17g", view->ledger->field);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < view->phenotype->part_count; i++)
        trace_print_part(file, view, i);
    fputc('\n', file);

    /* A full disk must not change the result: the evaluation goes on to its end. */
    return 0;
}
