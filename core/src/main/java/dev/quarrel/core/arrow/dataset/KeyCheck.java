package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.arrow.dataset.rows.LiveRows;
import dev.quarrel.core.arrow.dataset.rows.MetRows;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.ValueOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Holds rows that come to a table to its keys: none may be equal, by a key, to another one or to one that is there.
///
/// The new rows' keys are a set; of the table's files those are read whose statistics leave room for one of them,
/// and of these the key's columns alone. What has been looked at once is not looked at again: a transaction's
/// rows are held to the table as the transaction sees it, and, when it commits, to what others have added
/// meanwhile.
///
/// - Errors: `QueryException` 23505 with PostgreSQL's message, and what is wrong with a file.
/// - Threads: one at a time; batches of files are looked at by those of the common pool.
final class KeyCheck {
    private final Path root;
    private final Map<UniqueKey, KeySet> pending = new HashMap<>(); // of rows that lie in no file yet
    private final Map<UniqueKey, Set<String>> seen = new HashMap<>(); // paths of files that new rows were held to

    /// @param root of the dataset
    KeyCheck(Path root) {
        this.root = root;
    }

    /// The rows of some files: those that come.
    void require(Manifest.TableEntry table, List<WrittenFile> files) {
        for (UniqueKey key : table.enforcedKeys()) {
            Set<String> known = seen.get(key);
            List<Manifest.FileEntry> others = table.files().stream()
                    .filter(file -> known == null || !known.contains(file.path()))
                    .toList();
            if (known == null || !others.isEmpty()) {
                NewKeys added = new NewKeys(table, key);
                files.forEach(added::add);
                others.forEach(added::requireNoneIn);
                others.forEach(file -> seen(key).add(file.path()));
            }
        }
    }

    private Set<String> seen(UniqueKey key) {
        return seen.computeIfAbsent(key, _ -> new HashSet<>());
    }

    /// Rows that lie in no file yet. Others like them follow, and in the end they are in files, before which nothing
    /// else happens to the table.
    ///
    /// @param columns that they have
    void require(Manifest.TableEntry table, Schema columns, Batch rows) {
        for (UniqueKey key : table.enforcedKeys()) {
            NewKeys added = new NewKeys(table, key);
            List<Column> values = added.of(columns, rows);
            if (values == null) {
                continue; // NULL in all of them
            }
            try (OwnedMemory memory = new OwnedMemory()) {
                List<Column> present = present(values, rows.rowCount(), new int[0], memory);
                int rowCount = present.getFirst().rowCount();
                added.add(present, rowCount);
                KeySet before = pending.computeIfAbsent(key, _ -> new KeySet(new KeyCodes(added.columns)));
                int twice = before.firstKnown(before.codes().of(present, rowCount), rowCount);
                if (twice >= 0) {
                    throw duplicate(key, present, twice);
                }
                table.files().forEach(added::requireNoneIn);
                table.files().forEach(file -> seen(key).add(file.path()));
            }
        }
    }

    /// Whether the rows of a table are held to a key.
    ///
    /// - Errors: 23505 where they are not.
    static void requireUnique(Path root, Manifest.TableEntry table, UniqueKey key) {
        NewKeys all = new KeyCheck(root).new NewKeys(table, key);
        if (key.isPrimary()) {
            key.columns().forEach(column -> requirePresent(root, table, column));
        }
        try {
            table.files().forEach(all::add);
        } catch (QueryException wrong) {
            if (wrong.state() != SqlState.UNIQUE_VIOLATION) {
                throw wrong;
            }
            throw new QueryException(SqlState.UNIQUE_VIOLATION, "could not create unique index \"" + key.name() + "\"")
                    .withDetail(wrong.detail().replace(" already exists.", " is duplicated."))
                    .withConstraint(key.name());
        }
    }

    /// - Errors: 23502 where a column is NULL in some row.
    static void requirePresent(Path root, Manifest.TableEntry table, String column) {
        UniqueKey alone = new UniqueKey(column, UniqueKey.Kind.INDEX, List.of(column), true);
        NewKeys keys = new KeyCheck(root).new NewKeys(table, alone);
        for (Manifest.FileEntry file : table.files()) {
            if (keys.presentRows(file) < file.liveRows()) {
                throw new QueryException(
                        SqlState.NOT_NULL_VIOLATION,
                        "column \"" + column + "\" of relation \"" + table.name() + "\" contains null values");
            }
        }
    }

    private static QueryException duplicate(UniqueKey key, List<Column> values, int row) {
        String texts = values.stream()
                .map(column -> {
                    TextBuffer text = new TextBuffer(32);
                    PgText.append(column, row, text);
                    return text.toString();
                })
                .collect(Collectors.joining(", "));
        return new QueryException(
                        SqlState.UNIQUE_VIOLATION,
                        "duplicate key value violates unique constraint \"" + key.name() + "\"")
                .withDetail("Key (" + String.join(", ", key.columns()) + ")=(" + texts + ") already exists.")
                .withConstraint(key.name());
    }

    /// The rows without NULL, which is equal to nothing, and without those that are deleted.
    ///
    /// @param deleted rows, ascending
    private static List<Column> present(List<Column> values, int rowCount, int[] deleted, Allocator memory) {
        boolean arePresent =
                values.stream().allMatch(column -> column.validity().isAllPresent());
        if (arePresent && deleted.length == 0) {
            return values;
        }
        boolean[] isGone = new boolean[rowCount];
        for (int row : deleted) {
            isGone[row] = true;
        }
        for (Column column : values) {
            for (int row = 0; row < rowCount && !column.validity().isAllPresent(); row++) {
                isGone[row] |= !column.validity().isPresent(row);
            }
        }
        long[] gone = IntStream.range(0, rowCount)
                .filter(row -> isGone[row])
                .asLongStream()
                .toArray();
        LiveRows[] left = LiveRows.of(new int[] {rowCount}, gone);
        return left == null
                ? values
                : values.stream().map(column -> left[0].of(column, memory)).toList();
    }

    /// Takes rows that are there already; any thread.
    @FunctionalInterface
    private interface Found {
        /// @param member of the rows found
        void take(KeySet.Members found, int member);
    }

    /// Tells rows to insert that are equal, by one of some keys, to one that is there, or to one before them.
    ///
    /// @param skips whether one that is so is not inserted: what comes behind it may be equal to it
    static MetRows met(
            Path root,
            Manifest.TableEntry table,
            List<UniqueKey> keys,
            Schema columns,
            List<Batch> rows,
            boolean skips) {
        List<CodedRows> coded = new ArrayList<>();
        for (UniqueKey key : keys) {
            coded.add(new CodedRows(new KeyCheck(root).new NewKeys(table, key), table, columns, rows));
        }
        MetRows met = new MetRows();
        boolean isDone = false;
        try {
            for (int batch = 0; batch < rows.size(); batch++) {
                boolean[] isMet = new boolean[rows.get(batch).rowCount()];
                boolean[] isSame = new boolean[isMet.length];
                for (int row = 0; row < isMet.length; row++) {
                    for (CodedRows each : coded) {
                        isMet[row] |= each.isStored(batch, row);
                        isSame[row] |= each.isSeen(batch, row);
                    }
                    boolean isInserted = !isMet[row] && !isSame[row];
                    for (CodedRows each : isInserted || !skips ? coded : List.<CodedRows>of()) {
                        each.see(batch, row);
                    }
                }
                met.add(rows.get(batch), isMet, isSame);
            }
            isDone = true;
            return met;
        } finally {
            if (!isDone) {
                met.close();
            }
        }
    }

    /// Rows by a key.
    private static final class CodedRows {
        private final List<KeyCodes.Codes> codes = new ArrayList<>();
        private final List<int[]> places = new ArrayList<>(); // of each row among those without NULL; -1 for others
        private final KeySet stored;
        private final KeySet seen;

        CodedRows(NewKeys added, Manifest.TableEntry table, Schema columns, List<Batch> rows) {
            for (Batch batch : rows) {
                List<Column> values = added.of(columns, batch);
                int[] place = new int[batch.rowCount()];
                int count = 0;
                for (int row = 0; row < place.length; row++) {
                    int at = row;
                    boolean isWhole =
                            values.stream().allMatch(column -> column.validity().isPresent(at));
                    place[row] = isWhole ? count++ : -1;
                }
                try (OwnedMemory memory = new OwnedMemory()) {
                    List<Column> present = present(values, place.length, new int[0], memory);
                    codes.add(added.keys.codes().of(present, count));
                    added.addAny(present, codes.getLast(), count);
                }
                places.add(place);
            }
            this.stored = new KeySet(added.keys.codes());
            this.seen = new KeySet(added.keys.codes());
            table.files()
                    .forEach(file -> added.find(file, (found, member) -> {
                        synchronized (stored) {
                            stored.addNew(found.codes(), member);
                        }
                    }));
        }

        boolean isStored(int batch, int row) {
            int place = places.get(batch)[row];
            return place >= 0 && stored.holds(codes.get(batch), place);
        }

        boolean isSeen(int batch, int row) {
            int place = places.get(batch)[row];
            return place >= 0 && seen.holds(codes.get(batch), place);
        }

        void see(int batch, int row) {
            int place = places.get(batch)[row];
            if (place >= 0) {
                seen.addNew(codes.get(batch), place);
            }
        }
    }

    /// The keys of rows that come.
    private final class NewKeys {
        private final UniqueKey key;
        private final Schema columns;
        private final int[] numbers; // among the table's
        private final KeySet keys;
        private final Object[] low;
        private final Object[] high;
        private boolean isBound;

        NewKeys(Manifest.TableEntry table, UniqueKey key) {
            Schema all = new Schema(table.fields());
            this.key = key;
            this.numbers = key.columns().stream().mapToInt(all::indexOf).toArray();
            this.columns = new Schema(Arrays.stream(numbers)
                    .mapToObj(number -> all.field(number).withNullable(true))
                    .toList());
            this.keys = new KeySet(new KeyCodes(columns));
            this.low = new Object[numbers.length];
            this.high = new Object[numbers.length];
        }

        /// The key's columns; null where the rows lack one of them.
        List<Column> of(Schema given, Batch rows) {
            List<Column> values = new ArrayList<>();
            for (Field field : columns.fields()) {
                int index = given.indexOf(field.name());
                if (index < 0) {
                    return null;
                }
                values.add(rows.column(index));
            }
            return values;
        }

        /// @param values without NULL
        void add(List<Column> values, int rowCount) {
            if (rowCount == 0) {
                return;
            }
            int twice = keys.firstKnown(keys.codes().of(values, rowCount), rowCount);
            if (twice >= 0) {
                throw duplicate(key, values, twice);
            }
            bound(values);
        }

        /// The same of rows that may be equal to each other.
        void addAny(List<Column> values, KeyCodes.Codes codes, int rowCount) {
            if (rowCount > 0) {
                keys.add(codes, rowCount);
                bound(values);
            }
        }

        private void bound(List<Column> values) {
            for (int column = 0; column < numbers.length; column++) {
                ColumnStats stats =
                        ColumnSummarizer.summarize(values.get(column)).stats();
                low[column] = isBound ? least(low[column], stats.min()) : stats.min();
                high[column] = isBound ? greatest(high[column], stats.max()) : stats.max();
            }
            isBound = true;
        }

        private static Object least(Object one, Object other) {
            return one == null || other == null ? null : ValueOrder.least(one, other);
        }

        private static Object greatest(Object one, Object other) {
            return one == null || other == null ? null : ValueOrder.greatest(one, other);
        }

        void add(WrittenFile written) {
            if (columns.fields().stream().anyMatch(field -> written.schema().indexOf(field.name()) < 0)) {
                return;
            }
            try (ArrowFile file = ArrowFile.openRun(written.path(), written.byteSize())) {
                addAll(new KeyedFile(
                        TableFile.Part.of(file, null), key.name(), columns, DeletedRows.NONE, written.rowCount()));
            }
        }

        void add(Manifest.FileEntry entry) {
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                addAll(keyed(file, entry));
            }
        }

        private void addAll(KeyedFile file) {
            for (int batch = 0; batch < file.batchCount(); batch++) {
                try (OwnedMemory memory = new OwnedMemory()) {
                    List<Column> values = present(file, batch, memory);
                    add(values, values.getFirst().rowCount());
                }
            }
        }

        /// How many of a file's rows are there and have no NULL in the key.
        long presentRows(Manifest.FileEntry entry) {
            long count = 0;
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                KeyedFile keyed = keyed(file, entry);
                for (int batch = 0; batch < keyed.batchCount(); batch++) {
                    try (OwnedMemory memory = new OwnedMemory()) {
                        count += present(keyed, batch, memory).getFirst().rowCount();
                    }
                }
            }
            return count;
        }

        private KeyedFile keyed(ArrowFile file, Manifest.FileEntry entry) {
            TableFile.Part part = new TableFile.Part(file.path(), file, null, entry.keys(), null);
            return new KeyedFile(part, key.name(), columns, entry.deleted(), entry.rows());
        }

        /// - Errors: 23505 where a file's row has one of the keys.
        void requireNoneIn(Manifest.FileEntry entry) {
            find(entry, (found, member) -> {
                throw duplicate(key, found.values(), found.rows()[member]);
            });
        }

        /// Looks for rows of a file that have one of the keys.
        void find(Manifest.FileEntry entry, Found found) {
            boolean[] isOut = excluded(entry);
            boolean isEmpty = keys.size() == 0 || entry.liveRows() == 0;
            if (isEmpty || isOut != null && IntStream.range(0, isOut.length).allMatch(batch -> isOut[batch])) {
                return;
            }
            try (ArrowFile file = ArrowFile.openRun(root.resolve(entry.path()), entry.bytes())) {
                KeyedFile keyed = keyed(file, entry);
                IntStream.range(0, keyed.batchCount())
                        .filter(batch -> isOut == null || !isOut[keyed.fileBatch(batch)])
                        .parallel()
                        .forEach(batch -> find(keyed, batch, found));
            }
        }

        private void find(KeyedFile file, int batch, Found found) {
            try (OwnedMemory memory = new OwnedMemory()) {
                KeySet.Members members = file.members(batch, keys, memory);
                for (int member = 0; member < members.rows().length; member++) {
                    if (!file.isDeleted(batch, members.rows()[member])) {
                        found.take(members, member);
                    }
                }
            }
        }

        /// Which batches have none of the keys by their statistics; null where nothing is known.
        private boolean[] excluded(Manifest.FileEntry entry) {
            FileStats stats = entry.stats();
            if (stats == null || key.columns().stream().anyMatch(entry.keys()::containsKey)) {
                return null;
            }
            boolean[] excluded = new boolean[stats.batches().size()];
            for (int batch = 0; batch < excluded.length; batch++) {
                FileStats.BatchStats each = stats.batches().get(batch);
                for (int column = 0; column < numbers.length; column++) {
                    excluded[batch] |= numbers[column] >= each.columns().size()
                            || each.columns().get(numbers[column]).excludes(low[column], high[column], each.rowCount());
                }
            }
            return excluded;
        }

        /// The key's columns of the rows that are there and have no NULL in them.
        private List<Column> present(KeyedFile file, int batch, OwnedMemory memory) {
            return KeyCheck.present(file.columns(batch, memory), file.batchRows(batch), file.deleted(batch), memory);
        }
    }
}
