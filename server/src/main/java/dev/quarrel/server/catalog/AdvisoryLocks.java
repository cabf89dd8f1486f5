package dev.quarrel.server.catalog;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The advisory locks of a server: numbers that sessions hold, alone or together, for whatever they agree on.
///
/// Threads share it.
public final class AdvisoryLocks {
    private static final long LOOK_MILLIS = 50;

    /// A lock's number: one of 64 bits, or two of 32.
    ///
    /// @param first the high half, or the first of two
    public record Key(int first, int second, boolean isPair) {
        static Key of(long number) {
            return new Key((int) (number >>> 32), (int) number, false);
        }

        static Key of(long first, long second) {
            return new Key((int) first, (int) second, true);
        }
    }

    /// What a session holds of a lock.
    ///
    /// @param processId of the session
    public record Held(Key key, int processId, boolean isShared) {}

    private record Owner(int processId, boolean isShared, boolean isOfTransaction) {}

    private final Map<Key, Map<Owner, Integer>> locks = new HashMap<>();
    /// Every statement's end asks for these: most servers have none.
    private volatile boolean hasTransactionLocks;

    /// Takes a lock, once more if it is held already.
    ///
    /// - Errors: 57014 where the waiting thread is interrupted, and what `check` throws.
    ///
    /// @param check asked now and then while it waits; null not to wait
    /// @return whether it was taken
    public synchronized boolean take(
            Key key, int processId, boolean isShared, boolean isOfTransaction, Runnable check) {
        while (isHeldByOthers(key, processId, isShared)) {
            if (check == null) {
                return false;
            }
            check.run();
            try {
                wait(LOOK_MILLIS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request");
            }
        }
        hasTransactionLocks |= isOfTransaction;
        locks.computeIfAbsent(key, _ -> new HashMap<>())
                .merge(new Owner(processId, isShared, isOfTransaction), 1, Integer::sum);
        return true;
    }

    private boolean isHeldByOthers(Key key, int processId, boolean isShared) {
        return locks.getOrDefault(key, Map.of()).keySet().stream()
                .anyMatch(owner -> owner.processId() != processId && !(isShared && owner.isShared()));
    }

    /// Gives one hold of a session back; false if it has none.
    public synchronized boolean release(Key key, int processId, boolean isShared) {
        Map<Owner, Integer> owners = locks.get(key);
        Owner owner = new Owner(processId, isShared, false);
        if (owners == null || !owners.containsKey(owner)) {
            return false;
        }
        owners.computeIfPresent(owner, (_, count) -> count == 1 ? null : count - 1);
        if (owners.isEmpty()) {
            locks.remove(key);
        }
        notifyAll();
        return true;
    }

    /// Gives back what ends with a session's transaction.
    public void releaseOfTransaction(int processId) {
        if (hasTransactionLocks) {
            release(owner -> owner.processId() == processId && owner.isOfTransaction());
        }
    }

    /// Gives back what a session holds whatever transactions it has.
    public void releaseOfSession(int processId) {
        release(owner -> owner.processId() == processId && !owner.isOfTransaction());
    }

    /// Gives back all that a session holds.
    public void releaseAll(int processId) {
        release(owner -> owner.processId() == processId);
    }

    private synchronized void release(Predicate<Owner> owners) {
        locks.values().forEach(held -> held.keySet().removeIf(owners));
        locks.values().removeIf(Map::isEmpty);
        hasTransactionLocks =
                locks.values().stream().flatMap(held -> held.keySet().stream()).anyMatch(Owner::isOfTransaction);
        notifyAll();
    }

    public synchronized List<Held> held() {
        List<Held> held = new ArrayList<>();
        locks.forEach((key, owners) -> owners.keySet().stream()
                .map(owner -> new Held(key, owner.processId(), owner.isShared()))
                .distinct()
                .forEach(held::add));
        return held;
    }
}
