/* Whether there is a display that a window could open on. */
#ifndef COMMON_SYSTEM_DISPLAY_H
#define COMMON_SYSTEM_DISPLAY_H

/* 0 where the environment names none: on Linux neither one of X11 nor of Wayland, nor a driver of
 * SDL. 1: there may be one. */
int display_may_exist(void);

#endif
