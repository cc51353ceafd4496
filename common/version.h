/* Versions of the program, of what it computes and of what it writes. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#define BESTIARY_VERSION "0.35.0"

/* Changes whenever the same genotype, parameters and seed may give another digest. */
#define SIMULATOR_VERSION 36

/* 2: linear joints, 3: spheres, 4: boxes, 5: copies that lag, 6: sensors of others,
 * 7: sensors of sound, scent and more, and emitters; 8: parts that stretch, and their sensor;
 * 9: mouths; 10: heads of boxes and rectangles; files without are of version 1. */
#define CREATURE_FORMAT_VERSION 10
#define PROTOCOL_VERSION        19

#endif
