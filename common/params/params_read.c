/* Parameter files and remarks on records: the part of parameters that reads files and prints. */
#include "common/params/params.h"

#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/system/file.h"
#include "common/system/output.h"

#define FILE_BYTES_MAX (1 << 20)
enum { TOLD_MAX = 16 };

int params_read_file(struct params *params, const char *path, struct error *error)
{
    char *text;
    size_t length;
    int rc = file_read(path, FILE_BYTES_MAX, &text, &length, error);
    if (rc != 0)
        return file_kind_explain(path, FILE_PARAMS, error);
    if (memchr(text, '\0', length))
        rc = error_set(error, ERR_FORMAT, "%s: not a text file", path);
    else
        rc = params_read_text(params, text, path, error);
    free(text);
    return rc == 0 ? 0 : file_kind_explain(path, FILE_PARAMS, error);
}

void params_tell_remark(const struct params_remark *remark)
{
    static struct params_remark told[TOLD_MAX];
    int i = 0;
    if (!remark->text[0])
        return;
    while (i < TOLD_MAX && told[i].text[0])
        if (strcmp(told[i++].text, remark->text) == 0)
            return;
    if (i < TOLD_MAX)
        told[i] = *remark;
    output_print(stderr, "%s\n", remark->text);
}
