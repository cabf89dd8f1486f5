/// What EXPLAIN shows: the nodes of a plan, and the text, JSON, YAML and XML that is written of them.
package dev.quarrel.calcite.explain;
