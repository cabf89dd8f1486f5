package dev.quarrel.ingest.log;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/// The ids of chunks that were kept lately, so that one that is sent again is not kept twice.
///
/// Where an id is a name that the sender gives, a print of the chunk's events may stand behind it: the same id with
/// another print is of other events, which were not kept.
///
/// - Memory: at most [#MOST]; those that are older than the window, or too many, are forgotten, the oldest first.
public final class ChunkIds {
    private static final int MOST = 1_000_000;

    private static final char PRINT = '\0';

    private final long windowMicros;
    private final Map<String, Kept> kept = new LinkedHashMap<>(); // by the id without its print

    private record Kept(String id, long timeMicros) {}

    public ChunkIds(long windowMicros) {
        this.windowMicros = windowMicros;
    }

    /// An id with a print of the events.
    public static String of(String name, String print) {
        return name + PRINT + print;
    }

    private static String name(String id) {
        int print = id.lastIndexOf(PRINT);
        return print < 0 ? id : id.substring(0, print);
    }

    /// Whether the chunk was kept.
    public boolean contains(String id) {
        Kept known = kept.get(name(id));
        return known != null && known.id().equals(id);
    }

    /// Whether another chunk was kept under the id's name.
    public boolean isOfOther(String id) {
        Kept known = kept.get(name(id));
        return known != null && !known.id().equals(id);
    }

    public void add(String id, long timeMicros) {
        kept.putIfAbsent(name(id), new Kept(id, timeMicros));
        forget(timeMicros - windowMicros);
    }

    public void remove(String id) {
        kept.remove(name(id));
    }

    private void forget(long beforeMicros) {
        Iterator<Kept> oldest = kept.values().iterator();
        while (oldest.hasNext()) {
            if (oldest.next().timeMicros() >= beforeMicros && kept.size() <= MOST) {
                return;
            }
            oldest.remove();
        }
    }

    public int size() {
        return kept.size();
    }

    void forEach(BiConsumer<String, Long> visitor) {
        kept.values().forEach(each -> visitor.accept(each.id(), each.timeMicros()));
    }
}
