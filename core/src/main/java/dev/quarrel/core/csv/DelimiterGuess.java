package dev.quarrel.core.csv;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// Finds what stands between the fields of a CSV file of which nobody says it: a comma, tab, semicolon or bar, the
// first
/// that cuts all of the first rows into as many fields, of which there are two at least; else a comma.
public final class DelimiterGuess {
    private static final byte[] CANDIDATES = {',', '\t', ';', '|'};
    private static final int ROWS = 100;

    private DelimiterGuess() {}

    /// - Errors: none for what is no CSV, which is told when it is read.
    ///
    /// @param format how the file is written otherwise
    public static byte of(InputStream in, CsvFormat format) throws IOException {
        RowBlock block = new CsvScanner("", in, format).next(ROWS);
        if (block == null || block.count() == 0) {
            return CANDIDATES[0];
        }
        byte[] written = block.bytes().clone(); // cutting writes over them
        for (byte candidate : CANDIDATES) {
            CsvFields row = new CsvFields(format.withDelimiter(candidate));
            int[] counts = IntStream.range(0, block.count())
                    .filter(index -> !block.isEmpty(index))
                    .map(index -> {
                        row.cut(block.bytes(), block.start(index), block.end(index));
                        return row.count();
                    })
                    .toArray();
            System.arraycopy(written, 0, block.bytes(), 0, written.length);
            OptionalInt most = IntStream.of(counts).max();
            if (most.isPresent()
                    && most.getAsInt() > 1
                    && IntStream.of(counts).allMatch(each -> each == most.getAsInt())) {
                return candidate;
            }
        }
        return CANDIDATES[0];
    }
}
