#include "viewer/draw/overlay.h"

#include <string.h>

const struct overlay_info overlay_table[] = {
#define X(id, bit, name, text) {bit, name, text},
    OVERLAYS(X)
#undef X
};
const int overlay_count = sizeof overlay_table / sizeof overlay_table[0];

int overlay_parse(const char *text, unsigned *overlays, struct error *error)
{
    *overlays = 0;
    if (!strcmp(text, "none"))
        return 0;
    for (const char *name = text;; name++) {
        size_t length = strcspn(name, ",");
        unsigned bit = 0;
        for (int i = 0; i < overlay_count; i++)
            if (strlen(overlay_table[i].name) == length &&
                !strncmp(overlay_table[i].name, name, length))
                bit = overlay_table[i].bit;
        if (!bit)
            return error_set(error, ERR_UNKNOWN, "'%.*s' is not an overlay",
                             length < 40 ? (int)length : 40, name);
        *overlays |= bit;
        name += length;
        if (!*name)
            return 0;
    }
}
