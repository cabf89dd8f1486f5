package dev.quarrel.core.table;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How far a transaction has moved counters: they are so in the dataset once it commits.
public final class CounterMoves {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Counters counters;
    private final Map<Long, Long> next = new HashMap<>();

    public CounterMoves(Counters counters) {
        this.counters = counters;
    }

    /// An id for a new counter, unlike all others.
    public static long newId() {
        return RANDOM.nextLong();
    }

    public boolean isEmpty() {
        return next.isEmpty();
    }

    /// The first of some values that nobody else gets; the others follow, an increment apart.
    public long take(Counter counter, long count, String typeName, long most) {
        long first = counters.take(counter, count, typeName, most);
        next.put(counter.id(), first + count * counter.increment());
        return first;
    }

    /// The same defaults, with counters that have come as far as this.
    public List<ColumnDefault> of(List<ColumnDefault> defaults) {
        return defaults.stream().map(this::of).toList();
    }

    private ColumnDefault of(ColumnDefault each) {
        Counter counter = each.counter();
        Long wanted = counter == null ? null : next.get(counter.id());
        if (wanted == null) {
            return each;
        }
        if (!counters.isOwn(counter)) {
            throw new QueryException(
                    SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
        }
        long further = counter.increment() > 0 ? Math.max(counter.next(), wanted) : Math.min(counter.next(), wanted);
        return each.with(counter.moved(further, counters.writer()));
    }
}
