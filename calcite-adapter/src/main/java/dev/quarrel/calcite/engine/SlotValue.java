package dev.quarrel.calcite.engine;

import dev.quarrel.core.ir.Literal;

/// What a slot of a shared plan holds for one statement.
record SlotValue(int slot, Literal value) {}
