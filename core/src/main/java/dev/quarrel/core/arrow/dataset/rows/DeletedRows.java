package dev.quarrel.core.arrow.dataset.rows;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.LongStream;

/// The rows of a file that are there no more, though the file has them: a manifest's text for them.
///
/// A file is never written again once it has its name. A row of it that has changed since, or was deleted, stands here
/// instead, so that an export of a few rows leaves large files as they are.
///
/// @param count how many they are
/// @param gaps in base64 the number of the first such row, from 0, and each next one's distance from the one before it,
///     as LEB128: seven bits a byte, the lowest first, the eighth bit set in all bytes of a number but the last
public record DeletedRows(long count, String gaps) {
    public static final DeletedRows NONE = new DeletedRows(0, "");
    private static final int LOW_BITS = 0x7F;
    private static final int MAX_BITS = 63;

    /// @param rows ascending, each once
    public static DeletedRows of(long[] rows) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(rows.length + 16);
        long previous = 0;
        for (int index = 0; index < rows.length; index++) {
            long gap = rows[index] - previous;
            if (gap < 0 || index > 0 && gap == 0) {
                throw new IllegalArgumentException("row " + rows[index] + " after row " + previous);
            }
            for (; gap > LOW_BITS; gap >>>= 7) {
                bytes.write((int) (gap & LOW_BITS | LOW_BITS + 1));
            }
            bytes.write((int) gap);
            previous = rows[index];
        }
        return new DeletedRows(rows.length, Base64.getEncoder().encodeToString(bytes.toByteArray()));
    }

    /// Those of a file that has no more rows.
    public static DeletedRows all(long rowCount) {
        return of(LongStream.range(0, rowCount).toArray());
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /// The rows, ascending.
    ///
    /// - Errors: IllegalArgumentException where the text does not say so many rows below `rowCount`.
    public long[] rows(long rowCount) {
        byte[] bytes = Base64.getDecoder().decode(gaps);
        if (count < 0 || count > rowCount || count > bytes.length) {
            throw new IllegalArgumentException(count + " deleted rows of " + rowCount);
        }
        long[] rows = new long[(int) count];
        int at = 0;
        long row = 0;
        for (int index = 0; index < rows.length; index++) {
            long gap = 0;
            for (int shift = 0; ; shift += 7) {
                if (at == bytes.length || shift >= MAX_BITS) {
                    throw new IllegalArgumentException("the deleted rows end early");
                }
                byte next = bytes[at++];
                gap |= (long) (next & LOW_BITS) << shift;
                if (next >= 0) {
                    break;
                }
            }
            row += gap;
            if (gap < 0 || index > 0 && gap == 0 || row < 0 || row >= rowCount) {
                throw new IllegalArgumentException("deleted row " + row + " of " + rowCount);
            }
            rows[index] = row;
        }
        if (at != bytes.length) {
            throw new IllegalArgumentException("more deleted rows than " + count);
        }
        return rows;
    }

    /// These and more.
    ///
    /// @param more ascending, each once; none of them is among these
    public DeletedRows with(long[] more, long rowCount) {
        long[] known = rows(rowCount);
        long[] all = Arrays.copyOf(known, Math.addExact(known.length, more.length));
        System.arraycopy(more, 0, all, known.length, more.length);
        Arrays.sort(all);
        return of(all);
    }
}
