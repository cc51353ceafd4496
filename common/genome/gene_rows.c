#include "common/genome/gene_rows.h"

_Static_assert(offsetof(struct body_gene, upper) ==
                   offsetof(struct body_gene, lower) + sizeof(double),
               "GENE_LIMITS is two doubles one after the other");

const struct gene_limit_form gene_flat_limit_forms[2] = {
    {"limits_rad", "lower_rad", "upper_rad", "rad"}, {"limits_m", "lower_m", "upper_m", "m"}};
const struct gene_limit_form gene_second_limit_form = {"limits_2_rad", "lower_2_rad", "upper_2_rad",
                                                       "rad"};

int gene_flat_limit_form(const void *gene)
{
    return ((const struct body_gene *)gene)->joint == JOINT_LINEAR;
}

double gene_assume_flat_limit(const void *gene)
{
    return gene_flat_limit_form(gene) ? genome_reach_m(gene) : GENE_ASSUMED_LIMIT_RAD;
}

struct gene_range gene_narrow_flat_limits(const void *gene)
{
    double most = genome_limit_max(((const struct body_gene *)gene)->joint);
    return (struct gene_range){-most, most};
}

struct gene_range gene_narrow_drives(const void *gene)
{
    return (struct gene_range){0, genome_drive_count(gene)};
}
