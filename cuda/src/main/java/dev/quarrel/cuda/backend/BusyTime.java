package dev.quarrel.cuda.backend;

import java.util.ArrayList;
import java.util.List;

/// Measures for how long at least one of several threads was busy, from stretches of time that may overlap.
public final class BusyTime {
    private record Stretch(double from, double to) {}

    private final List<Stretch> stretches = new ArrayList<>();

    /// @param from in seconds from any moment, always the same
    public synchronized void add(double from, double to) {
        stretches.add(new Stretch(from, to));
    }

    /// The length of what they cover, in nanoseconds; it forgets them.
    public synchronized long takeNanos() {
        stretches.sort((one, other) -> Double.compare(one.from, other.from));
        double covered = 0;
        double end = Double.NEGATIVE_INFINITY;
        for (Stretch stretch : stretches) {
            covered += Math.max(0, stretch.to - Math.max(end, stretch.from));
            end = Math.max(end, stretch.to);
        }
        stretches.clear();
        return Math.round(covered * 1e9);
    }
}
