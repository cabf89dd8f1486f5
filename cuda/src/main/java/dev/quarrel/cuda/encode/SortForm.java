package dev.quarrel.cuda.encode;

import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The order in which the device sorts rows that it has written: their key columns, and the order of each.
///
/// @param keys the first one counts most
public record SortForm(List<Key> keys) {
    /// What `sort.cuh` has room for.
    private static final int MAX_KEYS = 32;
    /// Texts that are ranked for one sort: it is done on one thread, while the device waits.
    private static final int MAX_TEXTS = 1 << 16;
    /// Rows of a text at least, where texts are many.
    private static final int ROWS_A_TEXT = 4;
    private static final int FEW_TEXTS = 1 << 10;
    /// What one value takes where it is not read in turn.
    private static final int SECTOR_BYTES = 32;

    /// How values lie in memory: numbers of `sort.cuh`.
    public enum Kind {
        U8(8),
        U16(16),
        I16(16),
        I32(32),
        I64(64),
        FLOAT32(32),
        FLOAT64(64);

        private final int bits;

        Kind(int bits) {
            this.bits = bits;
        }
    }

    /// One column of the order.
    ///
    /// @param written number of a column of `EncodedRows.written`
    /// @param ranking what its values stand for, or null for themselves
    public record Key(SortKey order, int written, Kind kind, Ranking ranking) {}

    /// Values whose order is that of something else.
    public sealed interface Ranking {
        /// The place in the order of what each value stands for; -1 for NULL.
        int[] ranks();

        /// @param dictionary of codes
        record OfTexts(Dictionary dictionary) implements Ranking {
            @Override
            public int[] ranks() {
                return SortForm.ranks(contents(dictionary.values()));
            }
        }

        /// Numbers of build rows.
        record OfBuild(BuildSide side, int payload) implements Ranking {
            @Override
            public int[] ranks() {
                BuildSide.Numbering numbering = side.numbering(payload, true);
                byte[][] contents;
                try (Arena arena = Arena.ofConfined()) {
                    contents = contents(
                            side.gather(payload, numbering.rowOf(), bytes -> arena.allocate(Math.max(1, bytes), 8)));
                }
                int[] ofContents = SortForm.ranks(contents);
                return Arrays.stream(numbering.numberOf())
                        .map(number -> number < ofContents.length ? ofContents[number] : -1)
                        .toArray();
            }
        }
    }

    /// The form of a pipeline that ends in a sort.
    ///
    /// - Errors: [NoKernel] where keys have none.
    ///
    /// @param encoded the pipeline's
    public static SortForm of(Pipeline pipeline, EncodedRows encoded, Facts facts) {
        List<Key> keys = new ArrayList<>();
        for (SortKey key : ((Sink.Sort) pipeline.sink()).keys()) {
            DataType type = pipeline.lastProgram().outputTypes().get(key.output());
            switch (encoded.outputs().get(key.output())) {
                case EncodedRows.Output.Constant _ -> {
                    // All rows are equal in it.
                }
                case EncodedRows.Output.OfSource _ -> throw refusal(type);
                case EncodedRows.Output.Values values -> keys.add(key(key, values, encoded, facts));
                case EncodedRows.Output.OfBuild build -> keys.add(key(key, build, type, facts));
            }
        }
        if (keys.size() > MAX_KEYS) {
            throw new NoKernel("the CPU sorts by more than " + MAX_KEYS + " keys");
        }
        return new SortForm(List.copyOf(keys));
    }

    private static NoKernel refusal(DataType type) {
        return new NoKernel(
                type instanceof DataType.Utf8
                        ? "the CPU sorts by text without a dictionary"
                        : "the CPU sorts by values beyond 64 bits");
    }

    private static Key key(SortKey key, EncodedRows.Output.Values values, EncodedRows encoded, Facts facts) {
        EncodedRows.Written written = encoded.written().get(values.written());
        Kind kind =
                switch (values.type()) {
                    case DataType.Float32 _ -> Kind.FLOAT32;
                    case DataType.Float64 _ -> Kind.FLOAT64;
                    default ->
                        switch (written.physical()) {
                            case BITS, U8 -> Kind.U8;
                            case U16 -> Kind.U16;
                            case I16 -> Kind.I16;
                            case I32 -> Kind.I32;
                            case I64 -> Kind.I64;
                            case I8, I24, TEXT ->
                                throw new IllegalStateException("what leaves as " + written.physical());
                        };
                };
        Ranking ranking = null;
        if (values.dictionary() != null) {
            checkCount(values.dictionary().size(), facts.rowCount());
            ranking = new Ranking.OfTexts(values.dictionary());
        }
        return new Key(key, values.written(), kind, ranking);
    }

    private static Key key(SortKey key, EncodedRows.Output.OfBuild output, DataType type, Facts facts) {
        if (!(type instanceof DataType.Utf8 || type instanceof DataType.Bool)) {
            throw refusal(type);
        }
        BuildSide side = facts.build(output.join());
        if (side != null) {
            checkCount(side.rowCount(), facts.rowCount());
        }
        return new Key(key, output.written(), Kind.I32, new Ranking.OfBuild(side, output.payload()));
    }

    private static void checkCount(int texts, long rows) {
        if (texts > MAX_TEXTS || texts > FEW_TEXTS + rows / ROWS_A_TEXT) {
            throw new NoKernel("the CPU sorts by " + texts + " different texts");
        }
    }

    private static byte[][] contents(Column column) {
        byte[][] contents = new byte[column.rowCount()][];
        for (int row = 0; row < contents.length; row++) {
            contents[row] = switch (column) {
                case Utf8Column text -> text.bytes(row).toArray(ValueLayout.JAVA_BYTE);
                case BoolColumn bools ->
                    new byte[] {(byte) (bools.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1)};
                default -> throw new IllegalStateException("ranks of " + column.type());
            };
        }
        return contents;
    }

    /// Places in the order of bytes; equal ones have one.
    private static int[] ranks(byte[][] contents) {
        int[] order = IntStream.range(0, contents.length)
                .boxed()
                .sorted((one, other) -> Arrays.compareUnsigned(contents[one], contents[other]))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] ranks = new int[contents.length];
        for (int place = 1; place < order.length; place++) {
            boolean isEqual = Arrays.equals(contents[order[place]], contents[order[place - 1]]);
            ranks[order[place]] = ranks[order[place - 1]] + (isEqual ? 0 : 1);
        }
        return ranks;
    }

    // ---- what it takes

    /// Bytes that kernels read and write for so many rows, about: of the passes, as if values were of all
    /// that their types allow, and of bringing columns into order.
    public long movedBytes(EncodedRows encoded, long rows) {
        long bits = 0;
        for (Key key : keys) {
            bits += key.kind().bits + (encoded.written().get(key.written()).isNullable() ? 1 : 0);
        }
        long words = Math.max(1, (bits + 63) / 64);
        long wordBytes = bits <= 32 ? 4 : 8;
        long passes = Math.max(1, (bits + 7) / 8);
        long bytes = passes * (3 * wordBytes + 8) + words * 2 * wordBytes;
        for (EncodedRows.Written column : encoded.written()) {
            bytes += SECTOR_BYTES + column.physical().width() + (column.isNullable() ? SECTOR_BYTES : 0);
        }
        return bytes * rows;
    }

    /// Bytes of so many rows in the host's memory, less what is not on the device.
    public static long leavingBytes(EncodedRows encoded, long rows) {
        long bytes = 0;
        for (EncodedRows.Output output : encoded.outputs()) {
            bytes += switch (output) {
                case EncodedRows.Output.Values values ->
                    values.type() instanceof DataType.Decimal
                            ? 16
                            : encoded.written().get(values.written()).physical().width();
                case EncodedRows.Output.OfSource _, EncodedRows.Output.OfBuild _, EncodedRows.Output.Constant _ -> 8;
            };
        }
        return (bytes + 1) * rows;
    }
}
