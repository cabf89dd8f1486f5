/// Compiled pipelines: the loops that are generated as hidden classes for the shapes that most queries have, the group
/// tables that they fill, and the conditions that they read straight from columns.
package dev.quarrel.core.cpu.loop;
