/// The interface between pipelines and a device that runs kernels: memory, command queues, launches, faults, the
/// clock, and the figures that estimates are made of.
///
/// The driver implements it in [dev.quarrel.cuda.gpu], the build of the kernels for the CPU in
/// [dev.quarrel.cuda.host].
package dev.quarrel.cuda.backend;
