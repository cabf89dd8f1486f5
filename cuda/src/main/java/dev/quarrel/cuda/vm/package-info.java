/// The programs of the interpreter on the device: instructions, their verifier, and the parameters of a launch.
package dev.quarrel.cuda.vm;
