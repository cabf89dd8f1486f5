package dev.quarrel.core.cpu.text;

import dev.quarrel.core.collate.Utf8;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.pg.ByteaFormat;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.Utf8Text;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.Checksum;

/// The functions of bytes, for one row at a time.
///
/// - Source: PostgreSQL's `bytea.c`, `encode.c` and `cryptohashfuncs.c`.
public final class BinaryFunctions {
    private BinaryFunctions() {}

    public static void length(Arguments in, Vector out, int row) {
        ((IntVector) out).values()[row] = in.text(0).length;
    }

    public static void bitCount(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        long count = 0;
        for (int index = bytes.start; index < bytes.end(); index++) {
            count += Integer.bitCount(bytes.bytes[index] & 0xFF);
        }
        ((LongVector) out).values()[row] = count;
    }

    public static void substring(Arguments in, Vector out, int row) {
        int from = in.int32(1);
        int length = in.int32(2);
        if (length < 0) {
            throw new QueryException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        between(in.text(0), from, (long) from + length, (TextVector) out, row);
    }

    public static void substringFrom(Arguments in, Vector out, int row) {
        between(in.text(0), in.int32(1), Long.MAX_VALUE, (TextVector) out, row);
    }

    /// Bytes [from, end), 1-based.
    private static void between(TextReader bytes, int from, long end, TextVector out, int row) {
        int start = Math.min(Math.max(from, 1) - 1, bytes.length);
        int stop = (int) Math.min(Math.max(end - 1, start), bytes.length);
        out.append(row, bytes.bytes, bytes.start + start, stop - start);
    }

    public static void position(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        TextReader part = in.text(1);
        int found = Utf8.indexOf(bytes.bytes, bytes.start, bytes.end(), part.bytes, part.start, part.length);
        ((IntVector) out).values()[row] = found < 0 ? 0 : found - bytes.start + 1;
    }

    public static void trim(boolean atStart, boolean atEnd, Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        TextReader set = in.text(1);
        int start = bytes.start;
        int end = bytes.end();
        // A bit a byte, by its upper two bits and its lower six.
        long zero = 0;
        long one = 0;
        long two = 0;
        long three = 0;
        for (int index = set.start; index < set.end(); index++) {
            byte value = set.bytes[index];
            zero |= bit(value, 0);
            one |= bit(value, 1);
            two |= bit(value, 2);
            three |= bit(value, 3);
        }
        while (atStart && start < end && isIn(bytes.bytes[start], zero, one, two, three)) {
            start++;
        }
        while (atEnd && start < end && isIn(bytes.bytes[end - 1], zero, one, two, three)) {
            end--;
        }
        ((TextVector) out).append(row, bytes.bytes, start, end - start);
    }

    private static long bit(byte value, int quarter) {
        return (value & 0xFF) >>> 6 == quarter ? 1L << value : 0;
    }

    private static boolean isIn(byte value, long zero, long one, long two, long three) {
        long bits = value >= 0 ? value < 64 ? zero : one : (value & 0xFF) < 192 ? two : three;
        return (bits >>> value & 1) != 0;
    }

    public static void reverse(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        TextVector result = (TextVector) out;
        int place = result.begin(row, bytes.length);
        byte[] to = result.buffer();
        for (int index = 0; index < bytes.length; index++) {
            to[place + index] = bytes.bytes[bytes.end() - 1 - index];
        }
    }

    public static void getByte(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        ((IntVector) out).values()[row] = bytes.bytes[bytes.start + checked(in.int32(1), bytes.length)] & 0xFF;
    }

    public static void setByte(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        int index = checked(in.int32(1), bytes.length);
        TextVector result = (TextVector) out;
        int place = result.begin(row, bytes.length);
        System.arraycopy(bytes.bytes, bytes.start, result.buffer(), place, bytes.length);
        result.buffer()[place + index] = (byte) in.int32(2);
    }

    private static int checked(int index, int length) {
        return (int) checkedBit(index, length);
    }

    private static long checkedBit(long index, long count) {
        if (index < 0 || index >= count) {
            throw new QueryException(
                    SqlState.ARRAY_SUBSCRIPT_ERROR, "index " + index + " out of valid range, 0.." + (count - 1));
        }
        return index;
    }

    public static void getBit(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        long index = checkedBit(in.int64(1), bytes.length * 8L);
        ((IntVector) out).values()[row] = bytes.bytes[bytes.start + (int) (index >> 3)] >> (index & 7) & 1;
    }

    public static void setBit(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        long index = checkedBit(in.int64(1), bytes.length * 8L);
        int bit = in.int32(2);
        if (bit != 0 && bit != 1) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "new bit must be 0 or 1");
        }
        TextVector result = (TextVector) out;
        int place = result.begin(row, bytes.length);
        System.arraycopy(bytes.bytes, bytes.start, result.buffer(), place, bytes.length);
        int at = place + (int) (index >> 3);
        int mask = 1 << (index & 7);
        result.buffer()[at] = (byte) (bit == 0 ? result.buffer()[at] & ~mask : result.buffer()[at] | mask);
    }

    /// The bytes as they are, as a value of the other type.
    public static void same(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        ((TextVector) out).append(row, bytes.bytes, bytes.start, bytes.length);
    }

    /// Bytes as text, which they must be.
    public static void text(Arguments in, Vector out, int row) {
        TextReader bytes = in.text(0);
        Utf8Text.require(bytes.bytes, bytes.start, bytes.length);
        same(in, out, row);
    }

    /// `encode` into one of the formats that PostgreSQL knows.
    public static final class Encode implements RowFunction {
        private final TextBuffer buffer = new TextBuffer();

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader bytes = in.text(0);
            buffer.clear();
            ByteaFormat.encode(bytes.bytes, bytes.start, bytes.length, string(in.text(1)), buffer);
            ((TextVector) out).append(row, buffer.array(), 0, buffer.length());
        }
    }

    public static void decode(Arguments in, Vector out, int row) {
        TextReader text = in.text(0);
        byte[] bytes = ByteaFormat.decode(text.bytes, text.start, text.length, string(in.text(1)));
        ((TextVector) out).append(row, bytes, 0, bytes.length);
    }

    private static String string(TextReader text) {
        return new String(text.bytes, text.start, text.length, StandardCharsets.UTF_8);
    }

    /// A digest of the bytes: as bytes, or as text in hex.
    public static final class Digest implements RowFunction {
        private final MessageDigest digest;
        private final byte[] sum;
        private final boolean isHex;

        public Digest(String algorithm, boolean isHex) {
            try {
                this.digest = MessageDigest.getInstance(algorithm);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            this.sum = new byte[digest.getDigestLength()];
            this.isHex = isHex;
        }

        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader bytes = in.text(0);
            digest.update(bytes.bytes, bytes.start, bytes.length);
            try {
                digest.digest(sum, 0, sum.length);
            } catch (DigestException e) {
                throw new IllegalStateException(e);
            }
            TextVector result = (TextVector) out;
            if (isHex) {
                int place = result.begin(row, sum.length * 2);
                ByteaFormat.hex(sum, 0, sum.length, result.buffer(), place);
            } else {
                result.append(row, sum, 0, sum.length);
            }
        }
    }

    /// A checksum of 32 bits.
    public record Sum(Checksum checksum) implements RowFunction {
        @Override
        public void compute(Arguments in, Vector out, int row) {
            TextReader bytes = in.text(0);
            checksum.reset();
            checksum.update(bytes.bytes, bytes.start, bytes.length);
            ((LongVector) out).values()[row] = checksum.getValue();
        }
    }

    /// An integer's bytes, the most significant first.
    public static void ofInteger(Vector from, TextVector to, int width, Mask rows) {
        to.copyValidity(from, rows.wordCount());
        to.startBuffer();
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (to.isPresent(row)) {
                long value = from instanceof LongVector longs ? longs.values()[row] : ((IntVector) from).values()[row];
                int place = to.begin(row, width);
                for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
                    to.buffer()[place++] = (byte) (value >>> shift);
                }
            }
        }
    }

    /// The integer that the bytes are, the most significant first; fewer than it has stand for its last.
    ///
    /// @param width of the integer, in bytes
    public static RowFunction toInteger(int width, String typeName) {
        return (in, out, row) -> {
            TextReader bytes = in.text(0);
            if (bytes.length > width) {
                throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, typeName + " out of range");
            }
            long value = 0;
            for (int index = bytes.start; index < bytes.end(); index++) {
                value = value << 8 | bytes.bytes[index] & 0xFF;
            }
            if (out instanceof LongVector longs) {
                longs.values()[row] = value;
            } else {
                ((IntVector) out).values()[row] = width == 2 ? (short) value : (int) value;
            }
        };
    }
}
