/// CUDA's driver API behind checked calls and owned resources. This package alone sees JCuda and the native
/// functions.
package dev.quarrel.cuda.driver;
