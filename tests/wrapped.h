/* Functions of the product that the linker wraps; the Makefile names them. */
#ifndef TESTS_WRAPPED_H
#define TESTS_WRAPPED_H

/* Begins the function __wrap_NAME(), which others call for NAME(), and declares __real_NAME(). */
#define WRAP(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

#endif
