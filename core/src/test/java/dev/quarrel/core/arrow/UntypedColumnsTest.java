package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgType;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writers that find a column's type in its values have none where all are NULL: such a file goes with others.
class UntypedColumnsTest {
    private static final int ROWS = 2;
    private static final FieldType UNTYPED = FieldType.nullable(ArrowType.Null.INSTANCE);
    private static final FieldType NUMBER = FieldType.nullable(new ArrowType.Int(64, true));

    @TempDir
    private Path folder;

    @Test
    void nullsAreOfTheTypeThatOtherFilesHave() throws IOException {
        Path nulls = write("nulls", _ -> new NullVector("v", ROWS));
        Path numbers = write("numbers", allocator -> {
            BigIntVector vector = new BigIntVector("v", allocator);
            vector.setSafe(0, 7);
            return vector;
        });
        Path texts = write("texts", allocator -> {
            VarCharVector vector = new VarCharVector("v", allocator);
            vector.setSafe(0, "x".getBytes(StandardCharsets.UTF_8));
            return vector;
        });
        assertThat(rows(nulls, numbers)).isEqualTo("bigint: null, null, 7, null");
        assertThat(rows(numbers, nulls)).isEqualTo("bigint: 7, null, null, null");
        assertThat(rows(nulls, texts, nulls)).isEqualTo("text: null, null, x, null, null, null");
        assertThat(rows(nulls)).isEqualTo("text: null, null");
    }

    @Test
    void soAreThoseOfListsAndStructs() throws IOException {
        Path emptyLists = write("emptyLists", allocator -> list(allocator, UNTYPED, 0));
        Path lists = write("lists", allocator -> list(allocator, NUMBER, 7));
        Path nulls = write("nulls", _ -> new NullVector("v", ROWS));
        assertThat(rows(emptyLists, lists, nulls)).isEqualTo("bigint[]: {NULL}, null, {7}, null, null, null");
        Path emptyStructs = write("emptyStructs", allocator -> struct(allocator, UNTYPED, 0));
        Path structs = write("structs", allocator -> struct(allocator, NUMBER, 7));
        assertThat(rows(nulls, emptyStructs, structs)).isEqualTo("text: null, null, (), null, (7), null");
        try (ArrowTable table = open(emptyStructs, nulls, structs)) {
            int member = table.schema().indexOf("(v).a");
            assertThat(table.schema().field(member).type()).hasToString("int64");
            List<Object> members = new ArrayList<>();
            for (int batch = 0; batch < table.batchCount(); batch++) {
                try (Batch rows = table.read(batch, new int[] {member})) {
                    RandomBatch.rows(rows).forEach(row -> members.add(row.getFirst()));
                }
            }
            assertThat(members).isEqualTo(Arrays.asList(null, null, null, null, 7L, null));
        }
    }

    private static FieldVector list(BufferAllocator allocator, FieldType type, long value) {
        ListVector lists = ListVector.empty("v", allocator);
        lists.addOrGetVector(type);
        lists.startNewValue(0);
        if (lists.getDataVector() instanceof BigIntVector numbers) {
            numbers.setSafe(0, value);
        }
        lists.endValue(0, 1);
        return lists;
    }

    private static FieldVector struct(BufferAllocator allocator, FieldType type, long value) {
        StructVector structs = StructVector.empty("v", allocator);
        FieldVector member = type == UNTYPED
                ? structs.addOrGet("a", type, NullVector.class)
                : structs.addOrGet("a", type, BigIntVector.class);
        if (member instanceof BigIntVector numbers) {
            numbers.setSafe(0, value);
        }
        structs.setIndexDefined(0);
        return structs;
    }

    private Path write(String name, Function<BufferAllocator, FieldVector> made) throws IOException {
        Path path = folder.resolve(name + ".arrow");
        try (BufferAllocator allocator = new RootAllocator();
                FieldVector vector = made.apply(allocator)) {
            vector.setValueCount(ROWS);
            try (VectorSchemaRoot root = new VectorSchemaRoot(List.of(vector));
                    FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    ArrowFileWriter writer = new ArrowFileWriter(root, null, channel)) {
                root.setRowCount(ROWS);
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        return path;
    }

    private static ArrowTable open(Path... paths) {
        return ArrowTable.of(
                "public", "t", Arrays.stream(paths).map(ArrowFile::open).toList());
    }

    private static String rows(Path... paths) {
        try (ArrowTable table = open(paths)) {
            List<String> values = RandomBatch.rows(table).stream()
                    .map(row -> String.valueOf(row.getFirst()))
                    .toList();
            return PgType.Declared.of(table.schema().field(0)) + ": " + String.join(", ", values);
        }
    }
}
