/// What the engine's warm-up queries: a small dataset in a temporary folder.
package dev.quarrel.calcite.engine.warmup;
