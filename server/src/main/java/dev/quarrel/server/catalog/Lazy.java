package dev.quarrel.server.catalog;

import java.util.function.Supplier;

/// A value that is made when somebody first asks for it, once; others who ask meanwhile wait.
///
/// What the maker throws goes to whoever asked, and the next one asks it again.
final class Lazy<T> implements Supplier<T> {
    private Supplier<? extends T> maker;
    private volatile T made;

    Lazy(Supplier<? extends T> maker) {
        this.maker = maker;
    }

    @Override
    public T get() {
        T value = made;
        return value == null ? make() : value;
    }

    private synchronized T make() {
        if (made == null) {
            made = maker.get();
            maker = null; // what it was made from need not be kept
        }
        return made;
    }
}
