/// Pipelines that run a second time elsewhere, and must make the same rows.
package dev.quarrel.core.verify;
