/* Versions of the program, of what it computes and of what it writes. */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#define BESTIARY_VERSION "0.19.0"

/* Changes whenever the same genotype, parameters and seed may give another digest. */
#define SIMULATOR_VERSION 22

/* 2: linear joints, 3: spheres, 4: boxes, 5: copies that lag; files without are of version 1. */
#define CREATURE_FORMAT_VERSION 6
#define PROTOCOL_VERSION        13

#endif
