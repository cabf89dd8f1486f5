package dev.quarrel.calcite.lower;

/// Says, inside this package, that an expression has no program. Callers outside get the reason as a value.
final class Unlowerable extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unlowerable(String reason) {
        super(reason, null, false, false);
    }
}
