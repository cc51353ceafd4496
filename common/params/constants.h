/* Numbers that are the same in every run, though they could be others: NUMBER (double) and COUNT (int64_t) of section,
 * name, value and meaning. Each is a field of struct params, section_name, like a parameter, so that tests may
 * try another value. It has no key: a parameter file may name it as long as it says this value. */
#ifndef COMMON_PARAMS_CONSTANTS_H
#define COMMON_PARAMS_CONSTANTS_H

#define CONSTANTS(NUMBER, COUNT)                                                                   \
    NUMBER(archive, trial_share, 0.5, "a new body is tried from this share of its cell's fitness") \
    NUMBER(archive, frozen, 0.2, "last share of the run, without new bodies")                      \
    COUNT(breeding, crossover_points_max, 3, "crossing points, at most")                           \
    NUMBER(mutation, more_continue, 0.5, "chance of each after the second")                        \
    NUMBER(mutation, mated_scale, 1, "children of two parents: factor of the mutated share")       \
    NUMBER(mutation, breeding_method, 0.5, "rate per genome: its method, if inherited")            \
    NUMBER(mutation, body_limits, 0.6, "rate per joint: a limit")                                  \
    NUMBER(mutation, effector, 0.6, "rate per joint: input, weight, strength")                     \
    NUMBER(mutation, neuron_function, 0.2, "rate per neuron: function")                            \
    NUMBER(mutation, neuron_weight, 1, "rate per neuron: a weight or constant")                    \
    NUMBER(mutation, emitter, 0.3,                                                                 \
           "rate per body gene: gains, loses or changes what makes sound or scent")                \
    NUMBER(mutation, stretch, 0.4, "rate per body gene: gains, loses or changes its stretch")      \
    NUMBER(mutation, body_mouth, 0.1, "rate per body gene: its mouth, in a preserve")              \
    NUMBER(mutation, neuron_input, 0.4, "rate per neuron: an input's source")                      \
    NUMBER(mutation, connection_placement, 1, "rate per connection: face, position, angle")        \
    NUMBER(mutation, connection_flags, 0.3, "rate per connection: reflected or terminal-only")     \
    NUMBER(mutation, connection_target, 0.2, "rate per connection: leads to another body gene")    \
    COUNT(initial, neurons_max, 3, "neurons per body gene, besides the drive, at most")            \
    COUNT(initial, central_max, 2, "central neurons, at most")                                     \
    NUMBER(initial, linear, 0.2, "share of linear joints among the others")                        \
    NUMBER(initial, limit_max_rad, 1.6, "largest joint limit")                                     \
    NUMBER(initial, extension_max, 0.8,                                                            \
           "largest limit of a linear joint, by the part's longer side")                           \
    COUNT(creature, depth_max, 8, "parts from root to tip, at most")                               \
    NUMBER(creature, side_max_m, 1, "largest grown side")                                          \
    NUMBER(creature, extension_max, 1,                                                             \
           "greatest extension of linear joints by the longest side of part and parent; 0 = off")  \
    NUMBER(creature, servo_rad_s, 30, "natural frequency of position servos")                      \
    NUMBER(creature, joint_speed_m_s, 2, "the same of linear joints")                              \
    NUMBER(creature, joint_damping_1_s, 0, "passive damping of joints")                            \
    NUMBER(rectangles, density_kg_m2, 1, "mass by area")                                           \
    NUMBER(rectangles, linear_strength_n_m, 25,                                                    \
           "greatest force of linear joints by larger cross-section, N/m")                         \
    NUMBER(boxes, mass_ratio_max, 40,                                                              \
           "mass by the parent's; lighter parts are enlarged, heavier shrunk; 0 = off")            \
    NUMBER(boxes, overlap_max_m, 0.001,                                                            \
           "parts that would grow deeper into others are not made; 0 = off")                       \
    NUMBER(boxes, linear_strength_n_m2, 3500,                                                      \
           "greatest force of linear joints by larger cross-section, N/m2")                        \
    NUMBER(spheres, radius_min_m, 0.02, "smallest grown radius")                                   \
    NUMBER(spheres, radius_max_m, 0.5, "largest grown radius")                                     \
    NUMBER(spheres, bone_min_m, 0.05, "shortest grown bone")                                       \
    NUMBER(spheres, bone_max_m, 2, "longest grown bone")                                           \
    COUNT(spheres, bones_max, 64, "bones and braces, at most")                                     \
    NUMBER(spheres, muscle_strength_n_m, 400,                                                      \
           "greatest force of a muscle by its larger diameter, N/m")                               \
    NUMBER(spheres, muscle_speed_m_s, 2, "greatest speed of a muscle")                             \
    NUMBER(spheres, drive_strength_n, 40,                                                          \
           "greatest torque of a drive by the larger diameter, N m/m")                             \
    NUMBER(spheres, drive_speed_rad_s, 6, "greatest speed of a drive")                             \
    NUMBER(spheres, rolling_resistance, 0.01, "lever of the load against rolling, by the radius")  \
    NUMBER(spheres, spin_resistance, 0.05,                                                         \
           "radius of the patch that a rolling one stands on, by its own")                         \
    NUMBER(spheres, initial_radius_min_m, 0.04, "smallest sphere")                                 \
    NUMBER(spheres, initial_radius_max_m, 0.15, "largest sphere")                                  \
    NUMBER(spheres, initial_bone_min_m, 0.15, "shortest bone")                                     \
    NUMBER(spheres, initial_bone_max_m, 0.6, "longest bone")                                       \
    NUMBER(spheres, initial_muscles, 0.5, "share of muscles among bones and braces")               \
    NUMBER(spheres, initial_braces, 1.5, "braces per body gene")                                   \
    NUMBER(spheres, initial_held, 0.3, "share of spheres whose joint is not free")                 \
    COUNT(spheres, substeps, 2, "substeps in a step; more where bones need them")                  \
    NUMBER(spheres, guard_strain, 0.25, "share by which bones are off their length; 0 = off")      \
    NUMBER(spheres, mutation_surface, 0.2, "rate per sphere: friction, rolling, head")             \
    NUMBER(spheres, mutation_axis, 0.3, "rate per hinge and saddle: its axis")                     \
    NUMBER(spheres, mutation_drive, 0.4, "rate per hinge and saddle: its drive")                   \
    NUMBER(spheres, mutation_bone_length, 0.8, "rate per bone: length")                            \
    NUMBER(spheres, mutation_bone_muscle, 0.6, "rate per bone: muscle or not, range, rate, gain")  \
    NUMBER(spheres, mutation_bone_brace, 0.3, "rate per brace: where it leads")                    \
    NUMBER(spheres, mutation_add_brace, 0.4, "rate per sphere gene: a new brace")                  \
    NUMBER(simulation, constraint_tau_s, 0.01,                                                     \
           "constraint: time in which deviations decay; 0 or step = dt_s")                         \
    NUMBER(simulation, rtol, 1e-8, "constraint: tolerance of its steps")                           \
    NUMBER(simulation, brain_hz, 60, "brain ticks per second, two thinks each")                    \
    COUNT(world, relief_seed, 1, "directions and phases of the waves")                             \
    NUMBER(world, depth_m, 1.5, "obstacles reach from minus to plus half of this in z")            \
    NUMBER(light, speed_m_s, 0.1, "moving: greatest speed of its drift")                           \
    NUMBER(light, brightness, 1, "what the level sensor reads beside it")                          \
    NUMBER(scent, cell_m, 0.25, "side of a cell of scent, which spreads by cell^2 / 8 a tick")     \
    NUMBER(scent, range_m, 6, "contests: from the middle to the scent's edge")                     \
    NUMBER(scent, fade_s, 5, "1 - 1/e of a scent decays in this time")                             \
    NUMBER(sound, speed_m_s, 340, "of sound")                                                      \
    NUMBER(sound, hold_s, 0.3, "1 - 1/e of what an ear heard fades in this time")                  \
    NUMBER(sound, blow_j, 0.1,                                                                     \
           "a blow that loses this energy in a tick is half as loud as a full voice")              \
    NUMBER(guard, speed_m_s, 30, "speed of a part; 0 = off")                                       \
    NUMBER(guard, turn_rad, 0.25, "turn in a step, for 3 steps; 0 = off")                          \
    NUMBER(guard, penetration_m, 0.02, "penetration for 50 ms; 0 = off")                           \
    NUMBER(guard, momentum_share, 1e-9,                                                            \
           "momentum from nowhere, by impulses + mass x (1 m/s + speed); 0 = off")                 \
    NUMBER(guard, mass_ratio, 50, "ratio of the masses at a joint; 0 = off")                       \
    NUMBER(guard, reversals_hz, 20, "reversals of a joint per second; 0 = off")                    \
    NUMBER(guard, joint_speed_rad_s, 20, "rate of a joint for 50 ms; 0 = off")                     \
    NUMBER(guard, joint_speed_m_s, 5, "the same of linear joints; 0 = off")                        \
    NUMBER(guard, joint_pulse_s, 0.02, "(rate / bound - 1) x time of a faster pulse; 0 = off")     \
    COUNT(guard, perturbed_runs, 2,                                                                \
          "trials from perturbed starts, half of them of the first in rank alone")                 \
    COUNT(guard, fine_runs, 1, "at a quarter of the step, of the first in rank; 0 = off")          \
    NUMBER(guard, motionless_m, 0.01, "motion below this does not count")                          \
    NUMBER(preserve, scent_w, 1, "what a full signal gives off of a scent")                        \
    NUMBER(preserve, sound_w, 1, "what a full signal of a sound costs")                            \
    NUMBER(exam, friction_share, 0.1, "share by which friction and drag are more, or less")        \
    NUMBER(exam, line_share, 0.5,                                                                  \
           "contests: lines are farther from the middle, by at most this share")                   \
    NUMBER(fitness, size_floor_m, 0.5, "walk, stride: smaller creatures count as this size")       \
    NUMBER(fitness, slip_weight, 0.5, "stride: what sliding all the way takes away")               \
    NUMBER(fitness, belly_weight, 1, "stride: what lying on the belly takes away")

#endif
