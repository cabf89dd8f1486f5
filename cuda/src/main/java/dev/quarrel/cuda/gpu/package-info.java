/// The backend on a real GPU, the search for one, and the measurement of its speed.
package dev.quarrel.cuda.gpu;
