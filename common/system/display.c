#include "common/system/display.h"

#include <stdlib.h>

int display_may_exist(void)
{
#ifdef __linux__
    static const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return 1;
    }
    return 0;
#else
    return 1;
#endif
}
