/// The Maven goal `export`, compiled for Java 17: it runs inside Maven, on whatever Maven runs on.
///
/// So it refers to no other class of ours, and starts the export in a JVM that can run it.
package dev.quarrel.export.maven;
