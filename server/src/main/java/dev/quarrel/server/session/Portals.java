package dev.quarrel.server.session;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A session's portals by name: those that Bind made, and cursors.
final class Portals {
    private final Map<String, Portal> portals = new HashMap<>();
    private final Map<String, Long> savepoints = new HashMap<>(); // how many there were when each was made

    int size() {
        return portals.size();
    }

    /// null where there is none.
    Portal find(String name) {
        return portals.get(name);
    }

    /// - Errors: 34000.
    ///
    /// @param kind what the client takes it for, in the message: portal or cursor
    Portal get(String name, String kind) {
        Portal portal = portals.get(name);
        if (portal == null) {
            throw new QueryException(SqlState.INVALID_CURSOR_NAME, kind + " \"" + name + "\" does not exist");
        }
        return portal;
    }

    /// - Errors: 42P03 for a name that is taken, but for the unnamed portal's, which makes room.
    void requireFree(String name) {
        if (name.isEmpty()) {
            close(name);
        } else if (portals.containsKey(name)) {
            throw new QueryException(SqlState.DUPLICATE_CURSOR, "cursor \"" + name + "\" already exists");
        }
    }

    /// @param savepointCount how many savepoints there have been
    void put(String name, Portal portal, long savepointCount) {
        portals.put(name, portal);
        savepoints.put(name, savepointCount);
    }

    /// Closes those that were made when there had been as many savepoints, or more.
    void closeSince(long savepointCount) {
        for (String name : List.copyOf(portals.keySet())) {
            if (savepoints.get(name) >= savepointCount) {
                close(name);
            }
        }
    }

    boolean close(String name) {
        Portal portal = portals.remove(name);
        savepoints.remove(name);
        if (portal != null) {
            portal.close();
        }
        return portal != null;
    }

    void closeAll() {
        List<Portal> all = List.copyOf(portals.values());
        portals.clear();
        savepoints.clear();
        all.forEach(Portal::close);
    }

    /// Closes cursors, for CLOSE ALL: also protocol portals, as in PostgreSQL, but for one that is being executed.
    void closeAllBut(Portal running) {
        for (String name : List.copyOf(portals.keySet())) {
            if (portals.get(name) != running) {
                close(name);
            }
        }
    }

    /// Closes what ends with its transaction.
    ///
    /// @param isCommitted whether cursors that were declared WITH HOLD in it stay
    void endTransaction(boolean isCommitted) {
        List<String> ended = new ArrayList<>();
        portals.forEach((name, portal) -> {
            if (portal.isHeld() && (isCommitted || portal.isPersistent())) {
                portal.persist();
            } else {
                ended.add(name);
            }
        });
        ended.forEach(this::close);
    }

    Iterable<Portal> all() {
        return portals.values();
    }

    Map<String, Portal> byName() {
        return Map.copyOf(portals);
    }
}
