/// The CUDA device: it runs pipelines by kernels on an NVIDIA GPU, with the CPU device at its side.
///
/// [dev.quarrel.cuda.CudaDevice] makes what its pipelines share and chooses the pipeline for a sink; the
/// packages below this one know nothing of it.
package dev.quarrel.cuda;
