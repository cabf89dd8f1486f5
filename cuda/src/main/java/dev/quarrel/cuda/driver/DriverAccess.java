package dev.quarrel.cuda.driver;

/// Proof that a driver is there and initialised, which the opening of a context asks for.
public final class DriverAccess {
    private final DriverLibrary library;

    DriverAccess(DriverLibrary library) {
        this.library = library;
    }

    DriverLibrary library() {
        return library;
    }
}
