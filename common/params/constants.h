/* Numbers that are the same in every run, though they could be others: NUMBER (double) and COUNT (int64_t) of section,
 * name, value, scope (as in params.h) and meaning. Each is a field of struct params, section_name, like a parameter, so that tests may
 * try another value. It has no key: a parameter file may name it as long as it says this value. */
#ifndef COMMON_PARAMS_CONSTANTS_H
#define COMMON_PARAMS_CONSTANTS_H

#define CONSTANTS(NUMBER, COUNT)                                                                   \
    NUMBER(archive, trial_share, 0.5, 'S',                                                         \
           "a new body is tried from this share of its cell's fitness")                            \
    NUMBER(archive, frozen, 0.2, 'S', "last share of the run, without new bodies")                 \
    COUNT(breeding, crossover_points_max, 3, 'S', "crossing points, at most")                      \
    NUMBER(mutation, more_continue, 0.5, 'S', "chance of each after the second")                   \
    NUMBER(mutation, mated_scale, 1, 'S', "children of two parents: factor of the mutated share")  \
    NUMBER(mutation, breeding_method, 0.5, 'S', "rate per genome: its method, if inherited")       \
    NUMBER(mutation, body_limits, 0.6, 'S', "rate per joint: a limit")                             \
    NUMBER(mutation, effector, 0.6, 'S', "rate per joint: input, weight, strength")                \
    NUMBER(mutation, neuron_function, 0.2, 'S', "rate per neuron: function")                       \
    NUMBER(mutation, neuron_weight, 1, 'S', "rate per neuron: a weight or constant")               \
    NUMBER(mutation, emitter, 0.3, 'S',                                                            \
           "rate per body gene: gains, loses or changes what makes sound or scent")                \
    NUMBER(mutation, stretch, 0.4, 'S', "rate per body gene: gains, loses or changes its stretch") \
    NUMBER(mutation, body_mouth, 0.1, 'S', "rate per body gene: its mouth, in a preserve")         \
    NUMBER(mutation, neuron_input, 0.4, 'S', "rate per neuron: an input's source")                 \
    NUMBER(mutation, connection_placement, 1, 'S', "rate per connection: face, position, angle")   \
    NUMBER(mutation, connection_flags, 0.3, 'S',                                                   \
           "rate per connection: reflected or terminal-only")                                      \
    NUMBER(mutation, connection_target, 0.2, 'S',                                                  \
           "rate per connection: leads to another body gene")                                      \
    COUNT(initial, neurons_max, 3, 'S', "neurons per body gene, besides the drive, at most")       \
    COUNT(initial, central_max, 2, 'S', "central neurons, at most")                                \
    NUMBER(initial, linear, 0.2, 'S', "share of linear joints among the others")                   \
    NUMBER(initial, limit_max_rad, 1.6, 'S', "largest joint limit")                                \
    NUMBER(initial, extension_max, 0.8, 'S',                                                       \
           "largest limit of a linear joint, by the part's longer side")                           \
    COUNT(creature, depth_max, 8, 'E', "parts from root to tip, at most")                          \
    NUMBER(creature, side_max_m, 1, 'E', "largest grown side")                                     \
    NUMBER(creature, extension_max, 1, 'E',                                                        \
           "greatest extension of linear joints by the longest side of part and parent; 0 = off")  \
    NUMBER(creature, servo_rad_s, 30, 'E', "natural frequency of position servos")                 \
    NUMBER(creature, joint_speed_m_s, 2, 'E', "the same of linear joints")                         \
    NUMBER(creature, joint_damping_1_s, 0, 'E', "passive damping of joints")                       \
    NUMBER(rectangles, density_kg_m2, 1, 'E', "mass by area")                                      \
    NUMBER(rectangles, linear_strength_n_m, 25, 'E',                                               \
           "greatest force of linear joints by larger cross-section, N/m")                         \
    NUMBER(boxes, mass_ratio_max, 40, 'E',                                                         \
           "mass by the parent's; lighter parts are enlarged, heavier shrunk; 0 = off")            \
    NUMBER(boxes, overlap_max_m, 0.001, 'E',                                                       \
           "parts that would grow deeper into others are not made; 0 = off")                       \
    NUMBER(boxes, linear_strength_n_m2, 3500, 'E',                                                 \
           "greatest force of linear joints by larger cross-section, N/m2")                        \
    NUMBER(spheres, radius_min_m, 0.02, 'E', "smallest grown radius")                              \
    NUMBER(spheres, radius_max_m, 0.5, 'E', "largest grown radius")                                \
    NUMBER(spheres, bone_min_m, 0.05, 'E', "shortest grown bone")                                  \
    NUMBER(spheres, bone_max_m, 2, 'E', "longest grown bone")                                      \
    COUNT(spheres, bones_max, 64, 'E', "bones and braces, at most")                                \
    NUMBER(spheres, muscle_strength_n_m, 400, 'E',                                                 \
           "greatest force of a muscle by its larger diameter, N/m")                               \
    NUMBER(spheres, muscle_speed_m_s, 2, 'E', "greatest speed of a muscle")                        \
    NUMBER(spheres, drive_strength_n, 40, 'E',                                                     \
           "greatest torque of a drive by the larger diameter, N m/m")                             \
    NUMBER(spheres, drive_speed_rad_s, 6, 'E', "greatest speed of a drive")                        \
    NUMBER(spheres, rolling_resistance, 0.01, 'E',                                                 \
           "lever of the load against rolling, by the radius")                                     \
    NUMBER(spheres, spin_resistance, 0.05, 'E',                                                    \
           "radius of the patch that a rolling one stands on, by its own")                         \
    NUMBER(spheres, initial_radius_min_m, 0.04, 'S', "smallest sphere")                            \
    NUMBER(spheres, initial_radius_max_m, 0.15, 'S', "largest sphere")                             \
    NUMBER(spheres, initial_bone_min_m, 0.15, 'S', "shortest bone")                                \
    NUMBER(spheres, initial_bone_max_m, 0.6, 'S', "longest bone")                                  \
    NUMBER(spheres, initial_muscles, 0.5, 'S', "share of muscles among bones and braces")          \
    NUMBER(spheres, initial_braces, 1.5, 'S', "braces per body gene")                              \
    NUMBER(spheres, initial_held, 0.3, 'S', "share of spheres whose joint is not free")            \
    COUNT(spheres, substeps, 2, 'E', "substeps in a step; more where bones need them")             \
    NUMBER(spheres, guard_strain, 0.25, 'E', "share by which bones are off their length; 0 = off") \
    NUMBER(spheres, mutation_surface, 0.2, 'S', "rate per sphere: friction, rolling, head")        \
    NUMBER(spheres, mutation_axis, 0.3, 'S', "rate per hinge and saddle: its axis")                \
    NUMBER(spheres, mutation_drive, 0.4, 'S', "rate per hinge and saddle: its drive")              \
    NUMBER(spheres, mutation_bone_length, 0.8, 'S', "rate per bone: length")                       \
    NUMBER(spheres, mutation_bone_muscle, 0.6, 'S',                                                \
           "rate per bone: muscle or not, range, rate, gain")                                      \
    NUMBER(spheres, mutation_bone_brace, 0.3, 'S', "rate per brace: where it leads")               \
    NUMBER(spheres, mutation_add_brace, 0.4, 'S', "rate per sphere gene: a new brace")             \
    NUMBER(simulation, constraint_tau_s, 0.01, 'E',                                                \
           "constraint: time in which deviations decay; 0 or step = dt_s")                         \
    NUMBER(simulation, rtol, 1e-8, 'E', "constraint: tolerance of its steps")                      \
    NUMBER(simulation, brain_hz, 60, 'E', "brain ticks per second, two thinks each")               \
    COUNT(world, relief_seed, 1, 'E', "directions and phases of the waves")                        \
    NUMBER(world, depth_m, 1.5, 'E', "obstacles reach from minus to plus half of this in z")       \
    NUMBER(light, speed_m_s, 0.1, 'E', "moving: greatest speed of its drift")                      \
    NUMBER(light, brightness, 1, 'E', "what the level sensor reads beside it")                     \
    NUMBER(scent, cell_m, 0.25, 'E',                                                               \
           "side of a cell of scent, which spreads by cell^2 / 8 a tick")                          \
    NUMBER(scent, range_m, 6, 'E', "contests: from the middle to the scent's edge")                \
    NUMBER(scent, fade_s, 5, 'E', "1 - 1/e of a scent decays in this time")                        \
    NUMBER(sound, speed_m_s, 340, 'E', "of sound")                                                 \
    NUMBER(sound, hold_s, 0.3, 'E', "1 - 1/e of what an ear heard fades in this time")             \
    NUMBER(sound, blow_j, 0.1, 'E',                                                                \
           "a blow that loses this energy in a tick is half as loud as a full voice")              \
    NUMBER(guard, speed_m_s, 30, 'E', "speed of a part; 0 = off")                                  \
    NUMBER(guard, turn_rad, 0.25, 'E', "turn in a step, for 3 steps; 0 = off")                     \
    NUMBER(guard, penetration_m, 0.02, 'E', "penetration for 50 ms; 0 = off")                      \
    NUMBER(guard, momentum_share, 1e-9, 'E',                                                       \
           "momentum from nowhere, by impulses + mass x (1 m/s + speed); 0 = off")                 \
    NUMBER(guard, mass_ratio, 50, 'E', "ratio of the masses at a joint; 0 = off")                  \
    NUMBER(guard, reversals_hz, 20, 'E', "reversals of a joint per second; 0 = off")               \
    NUMBER(guard, joint_speed_rad_s, 20, 'E', "rate of a joint for 50 ms; 0 = off")                \
    NUMBER(guard, joint_speed_m_s, 5, 'E', "the same of linear joints; 0 = off")                   \
    NUMBER(guard, joint_pulse_s, 0.02, 'E',                                                        \
           "(rate / bound - 1) x time of a faster pulse; 0 = off")                                 \
    COUNT(guard, perturbed_runs, 2, 'J',                                                           \
          "trials from perturbed starts, half of them of the first in rank alone")                 \
    COUNT(guard, fine_runs, 1, 'J', "at a quarter of the step, of the first in rank; 0 = off")     \
    NUMBER(guard, motionless_m, 0.01, 'E', "motion below this does not count")                     \
    NUMBER(preserve, scent_w, 1, 'E', "what a full signal gives off of a scent")                   \
    NUMBER(preserve, sound_w, 1, 'E', "what a full signal of a sound costs")                       \
    NUMBER(exam, friction_share, 0.1, 'J', "share by which friction and drag are more, or less")   \
    NUMBER(exam, line_share, 0.5, 'J',                                                             \
           "contests: lines are farther from the middle, by at most this share")                   \
    NUMBER(fitness, slip_weight, 0.85, 'J', "stride: what sliding all the way takes away")         \
    NUMBER(fitness, belly_weight, 1, 'J', "stride: what lying on the belly takes away")

#endif
