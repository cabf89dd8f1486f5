package dev.quarrel.ingest.table;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The rows of one hour of a table that are in no file yet.
final class Partition {
    static final long HOUR_MICROS = 3_600_000_000L;
    private static final int FIRST_ROWS = 512;
    private static final int MOST_ROWS = 1 << 16;

    private final long hour; // since 1970
    private final BlockMemory memory;
    private final List<OpenBlock> blocks = new ArrayList<>(); // changed with the tables' lock held
    private final List<OpenBlock> begun = new ArrayList<>(); // since it was published
    private OpenBlock current;
    private boolean isChanged;

    Partition(long hour, BlockMemory memory) {
        this.hour = hour;
        this.memory = memory;
    }

    long hour() {
        return hour;
    }

    int day() {
        return (int) Math.floorDiv(hour, 24);
    }

    int hourOfDay() {
        return Math.floorMod(hour, 24);
    }

    /// The keys of its folder.
    Map<String, String> keys() {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put(EventColumns.DAY, LocalDate.ofEpochDay(day()).toString());
        keys.put(EventColumns.HOUR, "%02d".formatted(hourOfDay()));
        return keys;
    }

    List<OpenBlock> blocks() {
        return blocks;
    }

    /// Where the next row goes; small at first, since most hours of most tables stay so.
    OpenBlock current() {
        if (current == null || current.isFull()) {
            current = new OpenBlock(current == null ? FIRST_ROWS : Math.min(MOST_ROWS, current.capacity() * 4), memory);
            begun.add(current);
        }
        isChanged = true;
        return current;
    }

    boolean isChanged() {
        return isChanged;
    }

    /// Shows what was written; the caller holds the lock.
    void publish(int columnCount) {
        if (!blocks.isEmpty()) {
            blocks.getLast().publish(columnCount);
        }
        for (OpenBlock block : begun) {
            block.publish(columnCount);
            blocks.add(block);
        }
        begun.clear();
        isChanged = false;
    }
}
