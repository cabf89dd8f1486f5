package dev.quarrel.cli.imports;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes Parquet files of any schema, also such as writers made long ago: plain values, one page a column and row
/// group, levels in runs of one.
///
/// A value is a list where its field is repeated, null where an optional one is NULL, a [Group] where it is one, and an
/// Integer or a String otherwise.
///
/// - Source: Apache Parquet, "File Format" and parquet.thrift; Thrift's compact protocol.
public final class HandmadeParquet {
    public static final int REQUIRED = 0;
    public static final int OPTIONAL = 1;
    public static final int REPEATED = 2;

    public static final int NO_ANNOTATION = -1;
    public static final int UTF8 = 0;
    public static final int MAP = 1;
    public static final int MAP_KEY_VALUE = 2;
    public static final int LIST = 3;

    private static final int INT32 = 1;
    private static final int BYTE_ARRAY = 6;
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /// @param annotation its converted type
    /// @param children null for values
    public record Field(String name, int repetition, int annotation, List<Field> children) {
        public static Field number(String name, int repetition) {
            return new Field(name, repetition, NO_ANNOTATION, null);
        }

        public static Field text(String name, int repetition) {
            return new Field(name, repetition, UTF8, null);
        }

        public static Field group(String name, int repetition, int annotation, Field... children) {
            return new Field(name, repetition, annotation, List.of(children));
        }

        private boolean isText() {
            return annotation == UTF8;
        }
    }

    /// The values of a group's fields, or of a row.
    public record Group(Object... members) {}

    /// One column of a row group.
    private static final class Leaf {
        private final Field field;
        private final List<String> path;
        private final int maxDefinition;
        private final int maxRepetition;
        private final List<int[]> levels = new ArrayList<>(); // repetition and definition
        private final ByteArrayOutputStream values = new ByteArrayOutputStream();

        Leaf(Field field, List<String> path, int maxDefinition, int maxRepetition) {
            this.field = field;
            this.path = path;
            this.maxDefinition = maxDefinition;
            this.maxRepetition = maxRepetition;
        }

        private void add(Object value, int repetition, int definition) {
            levels.add(new int[] {repetition, definition});
            switch (value) {
                case null -> {}
                case Integer number -> putInt(number, values);
                case String text -> {
                    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                    putInt(bytes.length, values);
                    values.writeBytes(bytes);
                }
                default -> throw new IllegalArgumentException(value.toString());
            }
        }
    }

    private final List<Field> fields;
    private List<Leaf> leaves;
    private int nextLeaf;

    private HandmadeParquet(List<Field> fields) {
        this.fields = fields;
    }

    /// @param groups the rows of each row group
    public static void write(Path file, List<Field> fields, List<List<Group>> groups) throws IOException {
        new HandmadeParquet(fields).write(file, groups);
    }

    private void write(Path file, List<List<Group>> groups) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(MAGIC);
        Thrift footer = new Thrift();
        footer.int32(1, 1);
        List<Field> elements = new ArrayList<>();
        elements.add(new Field("schema", REQUIRED, NO_ANNOTATION, fields));
        fields.forEach(field -> addAll(field, elements));
        footer.list(2, elements.size());
        for (int index = 0; index < elements.size(); index++) {
            element(footer, elements.get(index), index == 0);
        }
        footer.int64(3, groups.stream().mapToLong(List::size).sum());
        footer.list(4, groups.size());
        for (List<Group> rows : groups) {
            leaves = new ArrayList<>();
            fields.forEach(field -> addLeaves(field, List.of(), 0, 0));
            for (Group row : rows) {
                nextLeaf = 0;
                for (int index = 0; index < fields.size(); index++) {
                    shred(fields.get(index), row.members()[index], 0, 0, 0);
                }
            }
            group(footer, rows.size(), out);
        }
        footer.stop();
        out.writeBytes(footer.out.toByteArray());
        putInt(footer.out.size(), out);
        out.writeBytes(MAGIC);
        Files.write(file, out.toByteArray());
    }

    private static void addAll(Field field, List<Field> elements) {
        elements.add(field);
        if (field.children() != null) {
            field.children().forEach(child -> addAll(child, elements));
        }
    }

    private static void element(Thrift to, Field field, boolean isRoot) {
        to.begin();
        if (field.children() == null) {
            to.int32(1, field.isText() ? BYTE_ARRAY : INT32);
        }
        if (!isRoot) {
            to.int32(3, field.repetition());
        }
        to.binary(4, field.name());
        if (field.children() != null) {
            to.int32(5, field.children().size());
        }
        if (field.annotation() >= 0) {
            to.int32(6, field.annotation());
        }
        to.end();
    }

    private void addLeaves(Field field, List<String> path, int definition, int repetition) {
        List<String> own = new ArrayList<>(path);
        own.add(field.name());
        int ownDefinition = definition + (field.repetition() == REQUIRED ? 0 : 1);
        int ownRepetition = repetition + (field.repetition() == REPEATED ? 1 : 0);
        if (field.children() == null) {
            leaves.add(new Leaf(field, own, ownDefinition, ownRepetition));
        } else {
            field.children().forEach(child -> addLeaves(child, own, ownDefinition, ownRepetition));
        }
    }

    /// @param repetition of the first value
    /// @param depth repeated fields around it
    private void shred(Field field, Object value, int repetition, int definition, int depth) {
        if (value == null || value instanceof List<?> list && list.isEmpty()) {
            nothing(field, repetition, definition);
        } else if (field.repetition() == REPEATED) {
            int first = nextLeaf;
            int level = repetition;
            for (Object element : (List<?>) value) {
                nextLeaf = first;
                single(field, element, level, definition + 1, depth + 1);
                level = depth + 1;
            }
        } else {
            single(field, value, repetition, definition + (field.repetition() == OPTIONAL ? 1 : 0), depth);
        }
    }

    private void single(Field field, Object value, int repetition, int definition, int depth) {
        if (field.children() == null) {
            leaves.get(nextLeaf++).add(value, repetition, definition);
            return;
        }
        Object[] members = ((Group) value).members();
        for (int index = 0; index < members.length; index++) {
            shred(field.children().get(index), members[index], repetition, definition, depth);
        }
    }

    private void nothing(Field field, int repetition, int definition) {
        if (field.children() == null) {
            leaves.get(nextLeaf++).add(null, repetition, definition);
        } else {
            field.children().forEach(child -> nothing(child, repetition, definition));
        }
    }

    private void group(Thrift footer, int rowCount, ByteArrayOutputStream out) {
        footer.begin();
        footer.list(1, leaves.size());
        long groupBytes = 0;
        for (Leaf leaf : leaves) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            putLevels(leaf, 0, leaf.maxRepetition, body);
            putLevels(leaf, 1, leaf.maxDefinition, body);
            body.writeBytes(leaf.values.toByteArray());
            Thrift header = new Thrift();
            header.int32(1, 0); // a data page
            header.int32(2, body.size());
            header.int32(3, body.size());
            header.struct(5);
            header.int32(1, leaf.levels.size());
            header.int32(2, 0); // plain
            header.int32(3, 3); // run-length encoded
            header.int32(4, 3);
            header.end();
            header.stop();
            int start = out.size();
            out.writeBytes(header.out.toByteArray());
            out.writeBytes(body.toByteArray());
            long bytes = out.size() - start;
            groupBytes += bytes;
            footer.begin();
            footer.int64(2, start);
            footer.struct(3);
            footer.int32(1, leaf.field.isText() ? BYTE_ARRAY : INT32);
            footer.numbers(2, 0, 3);
            footer.texts(3, leaf.path);
            footer.int32(4, 0); // not compressed
            footer.int64(5, leaf.levels.size());
            footer.int64(6, bytes);
            footer.int64(7, bytes);
            footer.int64(9, start);
            footer.end();
            footer.end();
        }
        footer.int64(2, groupBytes);
        footer.int64(3, rowCount);
        footer.end();
    }

    private static void putLevels(Leaf leaf, int which, int most, ByteArrayOutputStream body) {
        if (most == 0) {
            return;
        }
        putInt(2 * leaf.levels.size(), body);
        for (int[] levels : leaf.levels) {
            body.write(1 << 1); // a run of one
            body.write(levels[which]);
        }
    }

    private static void putInt(int value, ByteArrayOutputStream to) {
        for (int shift = 0; shift < 32; shift += 8) {
            to.write(value >>> shift);
        }
    }

    /// Structs in the compact protocol.
    private static final class Thrift {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final List<Integer> outer = new ArrayList<>();
        private int last;

        private void field(int id, int type) {
            out.write(id - last << 4 | type);
            last = id;
        }

        private void varint(long value) {
            long rest = value;
            for (; rest > 127; rest >>>= 7) {
                out.write((int) rest | 128);
            }
            out.write((int) rest);
        }

        void int32(int id, int value) {
            field(id, 5);
            varint((long) value << 1); // none is negative
        }

        void int64(int id, long value) {
            field(id, 6);
            varint(value << 1);
        }

        void binary(int id, String value) {
            field(id, 8);
            text(value);
        }

        private void text(String value) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            varint(bytes.length);
            out.writeBytes(bytes);
        }

        private void list(int id, int type, int size) {
            field(id, 9);
            out.write(Math.min(size, 15) << 4 | type);
            if (size >= 15) {
                varint(size);
            }
        }

        void list(int id, int structs) {
            list(id, 12, structs);
        }

        void numbers(int id, int... numbers) {
            list(id, 5, numbers.length);
            for (int number : numbers) {
                varint((long) number << 1);
            }
        }

        void texts(int id, List<String> texts) {
            list(id, 8, texts.size());
            texts.forEach(this::text);
        }

        void struct(int id) {
            field(id, 12);
            begin();
        }

        void begin() {
            outer.add(last);
            last = 0;
        }

        void end() {
            stop();
            last = outer.removeLast();
        }

        void stop() {
            out.write(0);
        }
    }
}
