package dev.quarrel.core.ir;

/// The rule by which the result of an opcode is NULL.
public enum NullRule {
    /// The result is NULL iff an argument is NULL; such a row raises no error.
    NULL_IF_ANY_NULL,
    /// The result is never NULL.
    NEVER_NULL,
    /// Three-valued AND and OR.
    KLEENE,
    /// As the opcode's description says (loads, SELECT).
    AS_SELECTED
}
