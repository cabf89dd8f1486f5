/// Loops that the JVM does not vectorise by itself, written with the Vector API, each with its scalar twin.
///
/// This package alone imports `jdk.incubator.vector`, and one class of it: nothing here needs the module to be
/// there.
package dev.quarrel.core.cpu.simd;
