package dev.quarrel.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.run.CursorRows.Direction;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cursors beside a list that is read by PostgreSQL's rules.
class CursorRowsTest {
    private static final Schema SCHEMA = new Schema(List.of(new Field("n", DataType.INT32, true)));
    private static final long SEED = 20_261_127;

    @TempDir
    private Path folder;

    /// Gives the numbers from 1 on in batches of random sizes.
    private static final class Numbers implements ResultCursor {
        private final int count;
        private final Random random;
        private int given;
        private int open;
        private boolean isClosed;

        Numbers(int count, Random random) {
            this.count = count;
            this.random = random;
        }

        @Override
        public Schema schema() {
            return SCHEMA;
        }

        @Override
        public Batch next() {
            if (given == count) {
                return null;
            }
            Arena arena = Arena.ofShared();
            int rows = Math.min(count - given, 1 + random.nextInt(5));
            ColumnWriter writer = new ColumnWriter(DataType.INT32, Allocator.of(arena));
            for (int row = 0; row < rows; row++) {
                writer.appendInt32(++given);
            }
            open++;
            return Batch.owning(SCHEMA, List.of(writer.finish()), rows, () -> {
                open--;
                arena.close();
            });
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /// What PostgreSQL does, over a list.
    private static final class Model {
        private final int count;
        private int place;

        Model(int count) {
            this.count = count;
        }

        List<Integer> read(Direction direction, long number) {
            List<Integer> rows = new ArrayList<>();
            switch (direction) {
                case FORWARD, BACKWARD -> {
                    if (number == 0) {
                        again(rows);
                    }
                    int step = direction == Direction.FORWARD == number > 0 ? 1 : -1;
                    for (long left = Math.abs(number); left > 0; left--) {
                        place = Math.clamp(place + step, 0, count + 1);
                        if (place == 0 || place > count) {
                            break;
                        }
                        rows.add(place);
                    }
                }
                case ABSOLUTE -> {
                    place = (int) Math.clamp(number < 0 ? count + 1 + number : number, 0, count + 1);
                    again(rows);
                }
                case RELATIVE -> {
                    place = (int) Math.clamp(place + number, 0, count + 1);
                    again(rows);
                }
            }
            return rows;
        }

        private void again(List<Integer> rows) {
            if (place > 0 && place <= count) {
                rows.add(place);
            }
        }
    }

    private static long read(CursorRows rows, Direction direction, long number, List<Integer> into) {
        return rows.read(direction, number, batch -> {
            FixedColumn column = (FixedColumn) batch.column(0);
            for (int row = 0; row < batch.rowCount(); row++) {
                into.add(column.values().get(LittleEndian.INT32, row * 4L));
            }
        });
    }

    @Test
    void scrollingIsPostgresqls() {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        try (SpillFolder spills = SpillFolder.open(folder)) {
            for (int round = 0; round < 300; round++) {
                int count = random.nextInt(20);
                Numbers numbers = new Numbers(count, random);
                Model model = new Model(count);
                try (CursorRows rows = new CursorRows(numbers, new QuerySpill(spills, QuerySpill.NO_LIMIT))) {
                    for (int step = 0; step < 30; step++) {
                        Direction direction = Direction.values()[random.nextInt(4)];
                        boolean isAll = random.nextInt(10) == 0 && direction.ordinal() < 2;
                        long number = isAll ? CursorRows.ALL : random.nextInt(30) - 10;
                        List<Integer> expected = model.read(direction, number);
                        List<Integer> read = new ArrayList<>();
                        boolean isMove = random.nextInt(4) == 0;
                        long moved = isMove ? rows.read(direction, number, null) : read(rows, direction, number, read);
                        assertThat(moved)
                                .as("%s %d of %d", direction, number, count)
                                .isEqualTo(expected.size());
                        if (!isMove) {
                            assertThat(read)
                                    .as("%s %d of %d", direction, number, count)
                                    .isEqualTo(expected);
                        }
                    }
                }
                assertThat(numbers.open).isZero();
                assertThat(numbers.isClosed).isTrue();
            }
        }
    }

    @Test
    void withoutScrollItReadsForward() {
        Numbers numbers = new Numbers(10, new Random(1));
        try (CursorRows rows = new CursorRows(numbers, null)) {
            List<Integer> read = new ArrayList<>();
            assertThat(read(rows, Direction.FORWARD, 3, read)).isEqualTo(3);
            assertThat(read(rows, Direction.ABSOLUTE, 7, read)).isEqualTo(1);
            assertThat(read).containsExactly(1, 2, 3, 7);
            assertThatThrownBy(() -> read(rows, Direction.BACKWARD, 1, read))
                    .isInstanceOf(QueryException.class)
                    .hasMessage("cursor can only scan forward");
            assertThatThrownBy(() -> read(rows, Direction.ABSOLUTE, -1, read)).isInstanceOf(QueryException.class);
            assertThat(read(rows, Direction.FORWARD, CursorRows.ALL, read)).isEqualTo(3);
        }
        assertThat(numbers.open).isZero();
    }
}
