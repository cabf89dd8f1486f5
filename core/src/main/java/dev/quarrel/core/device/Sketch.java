package dev.quarrel.core.device;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// The form of HyperLogLog sketches (docs/sketches.md), which all devices share.
public final class Sketch {
    public static final int MIN_BITS = 4;
    public static final int MAX_BITS = 16;
    public static final int VERSION = 1;
    public static final int HEADER_BYTES = 3;
    public static final int SPARSE = 0;
    public static final int DENSE = 1;
    /// Bytes of a register in the sparse form.
    public static final int ENTRY_BYTES = 3;
    /// Bits of a register's rank in an entry.
    public static final int RANK_BITS = 6;

    private Sketch() {}

    /// The bytes of a sketch's text, which may have line feeds, as `encode(…, 'base64')` makes them.
    ///
    /// - Errors: 22023 for what is no base64.
    public static byte[] decode(byte[] text) {
        try {
            return Base64.getDecoder().decode(withoutLines(text));
        } catch (IllegalArgumentException _) {
            throw notASketch();
        }
    }

    private static byte[] withoutLines(byte[] text) {
        int end = 0;
        byte[] joined = text.clone();
        for (byte each : text) {
            if (each != '\n') {
                joined[end++] = each;
            }
        }
        return end == text.length ? text : Arrays.copyOf(joined, end);
    }

    /// How many registers of a sketch, given as text, have rank 0, 1, 2 and so on: as PostgreSQL shows an array.
    ///
    /// - Errors: 22023 for what is no sketch.
    public static String histogram(String sketch) {
        StringBuilder text = new StringBuilder("{");
        for (int count : histogram(decode(sketch.getBytes(StandardCharsets.UTF_8)))) {
            text.append(text.length() == 1 ? "" : ",").append(count);
        }
        return text.append('}').toString();
    }

    /// How many of a sketch's registers have each rank, from 0 to the greatest there is.
    public static int[] histogram(byte[] sketch) {
        int bits = bitsOf(sketch);
        int[] counts = new int[1 << RANK_BITS + 1];
        int above = 0;
        boolean isDense = sketch[2] == DENSE;
        for (int at = HEADER_BYTES; at < sketch.length; at += isDense ? 1 : ENTRY_BYTES) {
            int rank = sketch[at] & (isDense ? 0xFF : (1 << RANK_BITS) - 1);
            if (rank > 64 - bits + 1) {
                throw notASketch();
            }
            counts[rank]++;
            above += rank > 0 ? 1 : 0;
        }
        counts[0] = (1 << bits) - above;
        int length = counts.length;
        while (counts[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(counts, length);
    }

    /// The register count's power of two that a sketch has.
    ///
    /// - Errors: 22023 for what is no sketch.
    public static int bitsOf(byte[] sketch) {
        boolean isOne = sketch.length >= HEADER_BYTES
                && sketch[0] == VERSION
                && sketch[1] >= MIN_BITS
                && sketch[1] <= MAX_BITS
                && (sketch[2] == SPARSE
                        ? (sketch.length - HEADER_BYTES) % ENTRY_BYTES == 0
                        : sketch[2] == DENSE && sketch.length == HEADER_BYTES + (1 << sketch[1]));
        if (!isOne) {
            throw notASketch();
        }
        return sketch[1];
    }

    public static QueryException notASketch() {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "not a HyperLogLog sketch")
                .withHint("hll_sketch and hll_combine make such texts.");
    }
}
