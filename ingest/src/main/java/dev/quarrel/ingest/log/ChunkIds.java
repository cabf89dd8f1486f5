package dev.quarrel.ingest.log;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/// The ids of chunks that were kept lately, so that one that is sent again is not kept twice.
///
/// - Memory: at most [#MOST]; those that are older than the window, or too many, are forgotten, the oldest first.
public final class ChunkIds {
    private static final int MOST = 1_000_000;

    private final long windowMicros;
    private final Map<String, Long> times = new LinkedHashMap<>();

    public ChunkIds(long windowMicros) {
        this.windowMicros = windowMicros;
    }

    public boolean contains(String id) {
        return times.containsKey(id);
    }

    public void add(String id, long timeMicros) {
        times.putIfAbsent(id, timeMicros);
        forget(timeMicros - windowMicros);
    }

    public void remove(String id) {
        times.remove(id);
    }

    private void forget(long beforeMicros) {
        Iterator<Long> oldest = times.values().iterator();
        while (oldest.hasNext()) {
            if (oldest.next() >= beforeMicros && times.size() <= MOST) {
                return;
            }
            oldest.remove();
        }
    }

    public int size() {
        return times.size();
    }

    void forEach(BiConsumer<String, Long> visitor) {
        times.forEach(visitor);
    }
}
