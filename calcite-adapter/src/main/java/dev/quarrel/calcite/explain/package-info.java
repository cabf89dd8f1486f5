/// What EXPLAIN shows: the nodes of a plan, which [Explain] makes of what devices run, and the text, JSON, YAML
/// and XML that is written of them.
package dev.quarrel.calcite.explain;
