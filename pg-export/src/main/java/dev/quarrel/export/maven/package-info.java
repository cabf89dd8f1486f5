/// The Maven goal `export`. Compiled for Java 17, since it runs inside Maven, on whatever Maven runs on; so it refers
// to
/// no other class of ours, and starts the export in a JVM that can run it.
package dev.quarrel.export.maven;
