package dev.quarrel.core.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntervalDayVector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Times of day, intervals and durations of every unit, as Arrow's own library writes them.
class ArrowTimesTest {
    private static final long SECOND = 1_000_000;

    @TempDir
    Path folder;

    @Test
    void everyUnitIsRead() throws IOException {
        try (BufferAllocator allocator = new RootAllocator()) {
            TimeSecVector seconds = new TimeSecVector("seconds", allocator);
            seconds.setSafe(0, 86_399);
            TimeMilliVector millis = new TimeMilliVector("millis", allocator);
            millis.setSafe(0, 1);
            TimeMicroVector micros = new TimeMicroVector("micros", allocator);
            micros.setSafe(0, 86_400_000_000L);
            TimeNanoVector nanos = new TimeNanoVector("nanos", allocator);
            nanos.setSafe(0, 1_999);
            IntervalYearVector years = new IntervalYearVector("years", allocator);
            years.setSafe(0, -14);
            IntervalDayVector days = new IntervalDayVector("days", allocator);
            days.setSafe(0, -2, 1_500);
            IntervalMonthDayNanoVector spans = new IntervalMonthDayNanoVector("spans", allocator);
            spans.setSafe(0, 1, -2, -1);
            List<FieldVector> durations = Arrays.stream(TimeUnit.values())
                    .map(unit -> (FieldVector) duration(unit, allocator))
                    .toList();
            List<FieldVector> all = new ArrayList<>(List.of(seconds, millis, micros, nanos, years, days, spans));
            all.addAll(durations);
            assertThat(read(all))
                    .isEqualTo(List.of(
                            86_399 * SECOND,
                            1_000L,
                            86_400_000_000L,
                            1L,
                            new Interval(-14, 0, 0),
                            new Interval(0, -2, 1_500_000),
                            new Interval(1, -2, -1),
                            new Interval(0, 0, -3 * SECOND),
                            new Interval(0, 0, -3_000),
                            new Interval(0, 0, -3),
                            new Interval(0, 0, -1)));
        }
    }

    private static DurationVector duration(TimeUnit unit, BufferAllocator allocator) {
        DurationVector vector =
                new DurationVector("duration " + unit, FieldType.nullable(new ArrowType.Duration(unit)), allocator);
        vector.setSafe(0, -3);
        return vector;
    }

    @Test
    void whatIsNoTimeOfDayIsRefused() throws IOException {
        try (BufferAllocator allocator = new RootAllocator()) {
            TimeMicroVector micros = new TimeMicroVector("micros", allocator);
            micros.setSafe(0, 86_400_000_001L);
            assertThatThrownBy(() -> read(List.of(micros)))
                    .isInstanceOfSatisfying(
                            QueryException.class, e -> assertThat(e.state()).isEqualTo(SqlState.DATA_CORRUPTED));
        }
    }

    @Test
    void aDurationBeyondIntervalsIsRefused() throws IOException {
        try (BufferAllocator allocator = new RootAllocator()) {
            DurationVector seconds = duration(TimeUnit.SECOND, allocator);
            seconds.setSafe(0, Long.MAX_VALUE);
            assertThatThrownBy(() -> read(List.of(seconds)))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            e -> assertThat(e.state()).isEqualTo(SqlState.DATETIME_FIELD_OVERFLOW));
        }
    }

    /// The only row of a file of these vectors, which are closed.
    private List<Object> read(List<FieldVector> vectors) throws IOException {
        Path path = folder.resolve("times.arrow");
        try (VectorSchemaRoot root = new VectorSchemaRoot(vectors);
                FileChannel channel = FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
                ArrowFileWriter writer = new ArrowFileWriter(root, null, channel)) {
            vectors.forEach(vector -> vector.setValueCount(1));
            root.setRowCount(1);
            writer.start();
            writer.writeBatch();
            writer.end();
        }
        int[] columns = new int[vectors.size()];
        for (int column = 0; column < columns.length; column++) {
            columns[column] = column;
        }
        try (ArrowFile file = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "times", List.of(file));
                Batch batch = table.read(0, columns)) {
            return RandomBatch.rows(batch).getFirst();
        }
    }
}
