/// The facts that a pipeline is encoded by: those hoped for in planning, those known before it runs, and the
/// build sides that the device makes.
package dev.quarrel.cuda.facts;
