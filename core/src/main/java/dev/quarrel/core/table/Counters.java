package dev.quarrel.core.table;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.Map;

/// Gives the values of counters to all transactions of a process: each value once, whether its row is kept or not.
///
/// A dataset says how far its counters have come when a transaction commits that has used some. Where another process
/// has moved one in between, what this one has given out may be given out there, too: such a commit fails, and the next
/// values follow the other's.
///
/// - Threads: share it freely.
public final class Counters {
    private final long writer = CounterMoves.newId() | 1; // not 0
    private final Map<Long, Place> places = new HashMap<>();

    /// How far one has come.
    ///
    /// @param base what the dataset said when the values began
    private record Place(long next, Counter base) {}

    long writer() {
        return writer;
    }

    /// The first of some values.
    ///
    /// - Errors: 2200H where the column has no room for them.
    ///
    /// @param counter as a transaction sees it
    /// @param most the greatest value that the column holds
    synchronized long take(Counter counter, long count, String typeName, long most) {
        Place known = places.get(counter.id());
        if (known == null || !isOwn(counter, known)) {
            long next = known == null ? counter.next() : further(counter, known.next());
            known = new Place(next, counter);
        }
        long first = known.next();
        boolean isUp = counter.increment() > 0;
        long last = first + (count - 1) * counter.increment();
        if (isUp ? last > most || last < first : last < -most - 1 || last > first) {
            throw new QueryException(
                    SqlState.SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
                    "nextval: reached " + (isUp ? "maximum" : "minimum") + " value of sequence \"" + counter.sequence()
                            + "\" (" + (isUp ? most : -most - 1) + ")");
        }
        places.put(counter.id(), new Place(last + counter.increment(), known.base()));
        return first;
    }

    private static long further(Counter counter, long next) {
        return counter.increment() > 0 ? Math.max(counter.next(), next) : Math.min(counter.next(), next);
    }

    /// Whether nobody else has moved a counter since this process uses it.
    synchronized boolean isOwn(Counter counter) {
        Place known = places.get(counter.id());
        return known == null || isOwn(counter, known);
    }

    private boolean isOwn(Counter counter, Place known) {
        return counter.writer() == writer || counter.equals(known.base());
    }
}
