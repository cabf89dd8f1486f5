package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/// Drops tables and views: all that a statement names, and what reads them, or none.
///
/// - Errors: 42P01, 42809, 42501; 2BP01 for what a view reads that stays.
final class Drops {
    private final Relations relations;

    Drops(Relations relations) {
        this.relations = relations;
    }

    String drop(Statement.DropRelations drop) {
        DatasetTransaction changes = relations.changes();
        Set<List<String>> named = new LinkedHashSet<>();
        Set<List<String>> readers;
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            for (List<String> name : drop.names()) {
                List<String> found = found(name, drop, snapshot);
                if (found != null) {
                    named.add(found);
                }
            }
            Map<List<String>, List<String>> dependent = dependent(named, snapshot);
            if (!dependent.isEmpty() && !drop.cascade()) {
                throw stillNeeded(named, dependent, snapshot);
            }
            readers = dependent.keySet();
        }
        if (!readers.isEmpty()) {
            sayCascade(readers.stream().map(view -> "view " + view.getLast()).toList());
        }
        Set<List<String>> views = new LinkedHashSet<>(readers);
        if (drop.isView()) {
            views.addAll(named);
        }
        if (!views.isEmpty()) {
            changes.dropViews(views);
        }
        if (!drop.isView() && !named.isEmpty()) {
            changes.dropTables(named);
        }
        return drop.commandTag();
    }

    /// Drops all that is in schemas, which go then.
    ///
    /// @param contents of all of them, each as schema and name
    void dropAll(List<String> schemas, List<List<String>> contents, boolean cascade) {
        Map<String, Set<List<String>>> byKind = new HashMap<>();
        List<String> texts = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        try (CatalogSnapshot snapshot = relations.snapshot()) {
            Map<List<String>, List<String>> readers = dependent(new LinkedHashSet<>(contents), snapshot);
            SequencedMap<List<String>, List<String>> dropped = new LinkedHashMap<>();
            for (List<String> place : contents) {
                dropped.put(place, null);
                addReaders(place, readers, dropped);
            }
            dropped.forEach((place, read) -> {
                relations.requireNoEvents(new Relations.Place(place.getFirst(), place.getLast()));
                String kind = kind(place, snapshot);
                byKind.computeIfAbsent(kind, _ -> new LinkedHashSet<>()).add(place);
                texts.add(kind + " " + String.join(".", place));
                reasons.add(texts.getLast() + " depends on "
                        + (read == null
                                ? "schema " + place.getFirst()
                                : kind(read, snapshot) + " " + String.join(".", read)));
            });
        }
        if (!cascade) {
            String what = schemas.size() == 1 ? "schema " + schemas.getFirst() : "desired object(s)";
            throw new QueryException(
                            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                            "cannot drop " + what + " because other objects depend on "
                                    + (schemas.size() == 1 ? "it" : "them"))
                    .withDetail(String.join("\n", reasons))
                    .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
        }
        sayCascade(texts);
        DatasetTransaction changes = relations.changes();
        changes.dropViews(byKind.getOrDefault("view", Set.of()));
        changes.dropTables(byKind.getOrDefault("table", Set.of()));
        changes.dropNamed(byKind.getOrDefault("foreign table", Set.of()));
    }

    /// The place of a relation that goes; null where it is not there, and need not be.
    private List<String> found(List<String> name, Statement.DropRelations drop, CatalogSnapshot snapshot) {
        String kind = drop.isView() ? "view" : "table";
        Relations.Place place =
                drop.ifExists() ? relations.maybe(name, kind, snapshot) : relations.require(name, kind, snapshot);
        if (place == null) {
            return null;
        }
        Table table = snapshot.table(place.schema(), place.name());
        if (table.view() == null) {
            table.awaitOpen(() -> {});
        }
        String actual = Relations.kind(table);
        if (!actual.equals(kind)) {
            throw new QueryException(SqlState.WRONG_OBJECT_TYPE, "\"" + place.name() + "\" is not a " + kind)
                    .withHint("Use DROP " + actual.toUpperCase(java.util.Locale.ROOT) + " to remove a " + actual + ".");
        }
        if (!relations.privileges().mayCreateIn(place.schema())) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of " + kind + " " + place.name());
        }
        relations.requireNoEvents(place);
        return List.of(place.schema(), place.name());
    }

    /// The views that read the relations, by whatever way, and are not among them: each with one that it reads.
    static Map<List<String>, List<String>> dependent(Set<List<String>> dropped, CatalogSnapshot snapshot) {
        Map<List<String>, List<String>> dependent = new LinkedHashMap<>();
        List<List<String>> open = new ArrayList<>(dropped);
        for (int index = 0; index < open.size(); index++) {
            List<String> read = open.get(index);
            for (String schemaName : snapshot.schemaNames()) {
                for (Table table : snapshot.tables(schemaName)) {
                    List<String> view = List.of(schemaName, table.name());
                    if (table.view() != null
                            && table.view().reads(read.getFirst(), read.getLast())
                            && !dropped.contains(view)
                            && dependent.putIfAbsent(view, read) == null) {
                        open.add(view);
                    }
                }
            }
        }
        return dependent;
    }

    static QueryException stillNeeded(
            Set<List<String>> dropped, Map<List<String>, List<String>> dependent, CatalogSnapshot snapshot) {
        String details = dependent.entrySet().stream()
                .map(entry -> "view " + entry.getKey().getLast() + " depends on " + kind(entry.getValue(), snapshot)
                        + " " + entry.getValue().getLast())
                .collect(Collectors.joining("\n"));
        String what = dropped.size() == 1
                ? kind(dropped.iterator().next(), snapshot) + " "
                        + dropped.iterator().next().getLast()
                : "desired object(s)";
        return new QueryException(
                        SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                        "cannot drop " + what + " because other objects depend on "
                                + (dropped.size() == 1 ? "it" : "them"))
                .withDetail(details)
                .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
    }

    private static String kind(List<String> place, CatalogSnapshot snapshot) {
        return Relations.kind(snapshot.table(place.getFirst(), place.getLast()));
    }

    /// The views that read a relation, and those that read them, behind it.
    private static void addReaders(
            List<String> read, Map<List<String>, List<String>> readers, Map<List<String>, List<String>> dropped) {
        readers.forEach((view, reads) -> {
            if (reads.equals(read) && dropped.putIfAbsent(view, read) == null) {
                addReaders(view, readers, dropped);
            }
        });
    }

    /// @param dropped each with its kind
    private void sayCascade(List<String> dropped) {
        boolean isOne = dropped.size() == 1;
        relations.notice(
                "00000", "drop cascades to " + (isOne ? dropped.getFirst() : dropped.size() + " other objects"));
    }
}
