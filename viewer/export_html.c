#include "viewer/export.h"
int export_html(const struct export_job *job, const char *path, struct error *error)
{
    return error_set(error, ERR_IO, "none");
}
