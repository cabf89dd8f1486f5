package dev.quarrel.export;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.copy.CopyBinaryReader;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.copy.FieldReader;
import dev.quarrel.export.copy.SocketCopyConnection;
import dev.quarrel.export.copy.Unfit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Reads a recorded COPY and writes it as a file, again and again, so that the JVM keeps the classes that an
/// export needs and what it learned of their loops: half of a short export's CPU time would otherwise go into
/// compiling them.
public final class ExportWarmUp {
    private static final int ROWS = 20_000;
    private static final List<PgType> TYPES = List.of(
            PgType.INT4,
            PgType.INT8,
            PgType.INT2,
            PgType.FLOAT8,
            PgType.DATE,
            PgType.TIMESTAMP,
            PgType.TEXT,
            PgType.TEXT,
            PgType.INT4,
            PgType.INT4,
            PgType.INT4,
            PgType.INT4);
    private static final String CODED = "c7";
    private static final int NULLABLE = 1;

    private ExportWarmUp() {}

    /// @param folder where to write; nothing stays there
    public static void run(Path folder, long millis) throws IOException, SQLException {
        byte[] recorded = recorded();
        long end = System.nanoTime() + millis * 1_000_000;
        List<Field> fields = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            fields.add(new Field(
                    "c" + column,
                    TYPES.get(column).dataType(),
                    column == NULLABLE,
                    TYPES.get(column).formatName()));
        }
        Schema schema = new Schema(fields);
        Path file = folder.resolve("warm-up.arrow");
        WriteOptions options = WriteOptions.PLAIN.withDictionary(CODED, 1).withDurable(false);
        while (System.nanoTime() < end) {
            try (BatchBuilder builder = new BatchBuilder(schema, Set.of(CODED), 1 << 22, Long.MAX_VALUE);
                    ArrowFileWriter writer = ArrowFileWriter.create(file, schema, options)) {
                for (int batch = 0; batch < 4; batch++) {
                    for (int copy = 0; copy < 4; copy++) {
                        read(recorded, schema, builder);
                    }
                    try (Batch full = builder.take()) {
                        writer.append(full);
                    }
                }
                writer.finish();
            } finally {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void read(byte[] recorded, Schema schema, BatchBuilder builder) throws SQLException {
        List<FieldReader> readers = new ArrayList<>();
        List<Boolean> nullable = new ArrayList<>();
        for (int column = 0; column < TYPES.size(); column++) {
            readers.add(FieldReader.of(TYPES.get(column), schema.type(column), "c", false, Unfit.DEFAULT));
            nullable.add(schema.field(column).nullable());
        }
        CopyBinaryReader reader = CopyBinaryReader.of(
                "t",
                schema.fields().stream().map(Field::name).toList(),
                readers,
                nullable,
                TYPES,
                schema.fields().stream().map(Field::type).toList(),
                false);
        CopyFrames frames = new CopyFrames();
        try (SocketCopyConnection connection = SocketCopyConnection.replaying(new ByteArrayInputStream(recorded))) {
            connection.startCopy("COPY");
            while (connection.read(frames)) {
                reader.accept(frames, builder.writers());
                builder.foresee();
            }
        }
        reader.finish();
    }

    private static byte[] recorded() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        message(out, 'H', new byte[3]);
        ByteArrayOutputStream contents = new ByteArrayOutputStream();
        DataOutputStream row = new DataOutputStream(contents);
        row.write("PGCOPY\n".getBytes(StandardCharsets.ISO_8859_1));
        row.write(new byte[] {(byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0});
        for (int number = 0; number < ROWS; number++) {
            row.writeShort(TYPES.size());
            for (int column = 0; column < TYPES.size(); column++) {
                write(row, TYPES.get(column), number, column);
            }
            message(out, 'd', contents.toByteArray());
            contents.reset();
        }
        message(out, 'd', new byte[] {-1, -1});
        message(out, 'c', new byte[0]);
        message(out, 'C', "COPY\0".getBytes(StandardCharsets.UTF_8));
        message(out, 'Z', new byte[] {'T'});
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream row, PgType type, int number, int column) throws IOException {
        if (column == NULLABLE && number % 1000 == 0) {
            row.writeInt(-1);
            return;
        }
        int value = number * (column + 1);
        switch (type.dataType()) {
            case DataType.Utf8 _ -> {
                byte[] text = ("text " + (column == TYPES.size() - 5 ? number % 7 : number))
                        .getBytes(StandardCharsets.US_ASCII);
                row.writeInt(text.length);
                row.write(text);
            }
            case DataType.Int16 _ -> {
                row.writeInt(2);
                row.writeShort(value);
            }
            case DataType.Int64 _, DataType.Float64 _, DataType.Timestamp _ -> {
                row.writeInt(8);
                row.writeLong(value);
            }
            default -> {
                row.writeInt(4);
                row.writeInt(value & 0xFFFFF);
            }
        }
    }

    private static void message(DataOutputStream out, char type, byte[] contents) throws IOException {
        out.writeByte(type);
        out.writeInt(4 + contents.length);
        out.write(contents);
    }
}
