package dev.quarrel.calcite.lower;

/// The exception that signals, inside this package, that an expression cannot be lowered. Callers outside the
/// package receive the reason as a value.
final class Unlowerable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unlowerable(String reason) {
        super(reason, null, false, false);
    }
}
