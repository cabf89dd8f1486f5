package dev.quarrel.core.csv;

import java.io.IOException;
import java.io.InputStream;
import java.util.stream.IntStream;

/// Finds what stands between the fields of a CSV file of which nobody says it: a comma, tab, semicolon or bar, the
/// first that cuts all of the first rows into as many fields, of which there are two at least. The first row, which
/// may have names of all but the rows, may have one less.
public final class DelimiterGuess {
    /// Nothing says it.
    public static final byte NONE = 0;

    private static final byte[] CANDIDATES = {',', '\t', ';', '|'};
    private static final byte[] OF_TABS = {'\t', ',', ';', '|'};
    private static final int ROWS = 100;

    private DelimiterGuess() {}

    /// - Errors: none for what is no CSV, which is told when it is read.
    ///
    /// @param format how the file is written otherwise
    /// @param columns how many there are; 0 where nobody says it
    /// @param isOfTabs whether tabs come first, by the file's name
    public static byte of(InputStream in, CsvFormat format, int columns, boolean isOfTabs) throws IOException {
        RowBlock block = new CsvScanner("", in, format).next(ROWS);
        if (block == null || block.count() == 0) {
            return NONE;
        }
        byte[] written = block.bytes().clone(); // cutting writes over them
        for (byte candidate : isOfTabs ? OF_TABS : CANDIDATES) {
            CsvFields row = new CsvFields(format.withDelimiter(candidate));
            int[] counts = IntStream.range(0, block.count())
                    .filter(index -> !block.isEmpty(index))
                    .map(index -> {
                        row.cut(block.bytes(), block.start(index), block.end(index));
                        return row.count();
                    })
                    .toArray();
            System.arraycopy(written, 0, block.bytes(), 0, written.length);
            if (fits(counts, columns)) {
                return candidate;
            }
        }
        return NONE;
    }

    private static boolean fits(int[] counts, int columns) {
        if (counts.length == 0) {
            return false;
        }
        int count = counts[counts.length - 1];
        boolean isFirst = counts[0] == count || counts.length > 2 && counts[0] == count - 1 && columns == 0;
        return count > 1
                && isFirst
                && (columns == 0 || columns == count)
                && IntStream.of(counts).skip(1).allMatch(each -> each == count);
    }
}
