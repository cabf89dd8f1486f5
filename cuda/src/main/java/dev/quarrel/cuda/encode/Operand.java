package dev.quarrel.cuda.encode;

/// How an operand is named in an instruction.
record Operand(int flags, int b, int c) {}
