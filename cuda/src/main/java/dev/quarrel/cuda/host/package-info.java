/// The kernels compiled by g++ for the CPU, as a backend: for tests, and for the GPU suite where there is no
/// GPU.
///
/// No engine finds this device by itself: whoever wants it passes [dev.quarrel.cuda.host.HostProvider].
package dev.quarrel.cuda.host;
