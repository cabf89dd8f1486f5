package dev.quarrel.samples.ssb;

import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/// The table `readings`: the reports of a fleet's sensors, in ascending order of time. No column has NULLs.
///
/// Each value is uniform over its range and independent of the others, so that a query's selectivity is the
/// product of its conditions': latitude -90 to 90 and longitude -180 to 180 in steps of 10⁻⁵, elevation
/// 0 to 5,000, velocity 0 to 100, heading 0 to 360, grade 0 to 100, fuel_consumption 0 to 50 in steps of 0.1.
///
/// - Source: its columns are those of the Time Series Benchmark Suite's "readings".
public final class ReadingsDataset {
    public static final String TABLE_NAME = "readings";
    /// 2³¹ rows less a block, so that no row number overflows.
    public static final long MAX_ROWS = (1L << 31) - (1L << 18);

    private static final int TRUCKS = 4_000;
    /// Every truck reports about once in ten seconds.
    private static final long MICROS_PER_ROW = 10_000_000L / TRUCKS;

    private static final int ROWS_PER_BLOCK = 1 << 17;
    private static final long FIRST_MICROS =
            LocalDate.of(2016, 1, 1).atStartOfDay().toEpochSecond(ZoneOffset.UTC) * 1_000_000L;
    private static final Schema SCHEMA = schema();

    private final long rowCount;
    private final long seed;
    private final int threads;
    private final boolean plainText;

    /// @param rowCount 1 to [#MAX_ROWS]
    /// @param threads makers of rows, at least 1
    /// @param plainText whether the truck's name is plain utf8 instead of a dictionary
    public ReadingsDataset(long rowCount, long seed, int threads, boolean plainText) {
        if (rowCount < 1 || rowCount > MAX_ROWS) {
            throw new IllegalArgumentException(rowCount + " rows are not within 1 and " + MAX_ROWS);
        }
        this.rowCount = rowCount;
        this.seed = seed;
        this.threads = threads;
        this.plainText = plainText;
    }

    private static Schema schema() {
        List<Field> fields = new ArrayList<>();
        fields.add(new Field("ts", DataType.TIMESTAMP, false, "timestamp without time zone"));
        fields.add(new Field("name", DataType.UTF8, false, "text"));
        for (String name :
                List.of("latitude", "longitude", "elevation", "velocity", "heading", "grade", "fuel_consumption")) {
            fields.add(new Field(name, DataType.FLOAT64, false, "double precision"));
        }
        return new Schema(fields);
    }

    /// Makes and writes the table, beside others that the dataset may have; readers see it when this returns.
    ///
    /// - Errors: as [SsbDataset#write].
    ///
    /// @return rows written
    public long write(Path root, LongConsumer progress) throws IOException {
        String source = "readings, " + rowCount + " rows, seed " + seed;
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, source);
                Arena words = Arena.ofShared()) {
            ColumnWriter names = new ColumnWriter(DataType.UTF8, Allocator.of(words), TRUCKS);
            for (int truck = 0; truck < TRUCKS; truck++) {
                names.appendUtf8("truck_" + truck);
            }
            Dictionary trucks = new Dictionary((Utf8Column) names.finish());
            BlockTable table = new BlockTable(TABLE_NAME, SCHEMA, Map.of("name", TRUCKS), new ReadingBlocks(trucks));
            long rows = table.write(run, threads, plainText, progress);
            run.commit(null, null);
            return rows;
        }
    }

    private final class ReadingBlocks implements Blocks {
        private final Dictionary trucks;
        private final CounterRandom truck = random("name");
        private final CounterRandom latitude = random("latitude");
        private final CounterRandom longitude = random("longitude");
        private final CounterRandom elevation = random("elevation");
        private final CounterRandom velocity = random("velocity");
        private final CounterRandom heading = random("heading");
        private final CounterRandom grade = random("grade");
        private final CounterRandom fuel = random("fuel_consumption");

        ReadingBlocks(Dictionary trucks) {
            this.trucks = trucks;
        }

        private CounterRandom random(String column) {
            return new CounterRandom(seed, TABLE_NAME + "." + column);
        }

        @Override
        public int blockCount() {
            return Blocks.blockCount(rowCount, ROWS_PER_BLOCK);
        }

        @Override
        public int rowCount(int block) {
            return (int) Math.min(ROWS_PER_BLOCK, rowCount - (long) block * ROWS_PER_BLOCK);
        }

        @Override
        public void fill(int block, BlockColumns columns) {
            long first = (long) block * ROWS_PER_BLOCK;
            columns.timestamps(row -> FIRST_MICROS + (first + row) * MICROS_PER_ROW)
                    .words(trucks, row -> truck.between(first + row, 0, TRUCKS - 1))
                    .doubles(row -> latitude.between(first + row, -9_000_000, 9_000_000) / 1e5)
                    .doubles(row -> longitude.between(first + row, -18_000_000, 18_000_000) / 1e5)
                    .doubles(row -> elevation.between(first + row, 0, 5_000))
                    .doubles(row -> velocity.between(first + row, 0, 100))
                    .doubles(row -> heading.between(first + row, 0, 360))
                    .doubles(row -> grade.between(first + row, 0, 100))
                    .doubles(row -> fuel.between(first + row, 0, 500) / 10.0);
        }
    }
}
