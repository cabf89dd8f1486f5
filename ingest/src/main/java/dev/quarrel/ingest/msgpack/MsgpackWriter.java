package dev.quarrel.ingest.msgpack;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes MessagePack values one behind the other into bytes that grow.
public final class MsgpackWriter {
    private byte[] bytes;
    private int size;

    public MsgpackWriter(int expectedBytes) {
        bytes = new byte[Math.max(16, expectedBytes)];
    }

    /// The bytes written, of which the first `size()` count; not a copy.
    public byte[] array() {
        return bytes;
    }

    public int size() {
        return size;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    /// Forgets what was written from a place on.
    public void truncate(int newSize) {
        size = newSize;
    }

    private void reserve(int more) {
        int wanted = Math.addExact(size, more);
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(wanted, 2L * bytes.length)));
        }
    }

    private void put(int value) {
        bytes[size++] = (byte) value;
    }

    private void put(long value, int width) {
        for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    public void nil() {
        reserve(1);
        put(0xC0);
    }

    public void bool(boolean value) {
        reserve(1);
        put(value ? 0xC3 : 0xC2);
    }

    public void integer(long value) {
        reserve(9);
        if (value >= -32 && value < 128) {
            put((int) value);
        } else if (value == (byte) value) {
            put(0xD0);
            put(value, 1);
        } else if (value == (short) value) {
            put(0xD1);
            put(value, 2);
        } else if (value == (int) value) {
            put(0xD2);
            put(value, 4);
        } else {
            put(0xD3);
            put(value, 8);
        }
    }

    /// An integer of 64 bits without sign.
    public void unsigned(long value) {
        reserve(9);
        put(0xCF);
        put(value, 8);
    }

    public void real(double value) {
        reserve(9);
        put(0xCB);
        put(Double.doubleToRawLongBits(value), 8);
    }

    public void text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        text(utf8, 0, utf8.length);
    }

    /// A text of bytes in UTF-8.
    public void text(byte[] source, int start, int length) {
        textHead(length);
        raw(source, start, length);
    }

    /// What stands before a text of so many bytes, which `raw` is to write.
    public void textHead(int length) {
        reserve(5);
        if (length < 32) {
            put(0xA0 | length);
        } else if (length < 256) {
            put(0xD9);
            put(length);
        } else if (length < 65536) {
            put(0xDA);
            put(length, 2);
        } else {
            put(0xDB);
            put(length, 4);
        }
    }

    public void binary(byte[] source, int start, int length) {
        reserve(5);
        if (length < 256) {
            put(0xC4);
            put(length);
        } else if (length < 65536) {
            put(0xC5);
            put(length, 2);
        } else {
            put(0xC6);
            put(length, 4);
        }
        raw(source, start, length);
    }

    public void array(int count) {
        reserve(5);
        if (count < 16) {
            put(0x90 | count);
        } else if (count < 65536) {
            put(0xDC);
            put(count, 2);
        } else {
            put(0xDD);
            put(count, 4);
        }
    }

    public void map(int count) {
        reserve(5);
        if (count < 16) {
            put(0x80 | count);
        } else if (count < 65536) {
            put(0xDE);
            put(count, 2);
        } else {
            put(0xDF);
            put(count, 4);
        }
    }

    /// Begins an array, a map or a text whose count is known later: five bytes, which [#endMap] and its like fill in.
    public int begin() {
        reserve(5);
        size += 5;
        return size - 5;
    }

    public void endMap(int begin, int count) {
        end(begin, 0xDF, count);
    }

    public void endArray(int begin, int count) {
        end(begin, 0xDD, count);
    }

    public void endText(int begin) {
        end(begin, 0xDB, size - begin - 5);
    }

    private void end(int begin, int first, int count) {
        int now = size;
        size = begin;
        put(first);
        put(count, 4);
        size = now;
    }

    /// The forward protocol's EventTime: an extension of type 0 of seconds and nanoseconds.
    public void eventTime(long micros) {
        reserve(10);
        put(0xD7);
        put(0);
        put(Math.floorDiv(micros, 1_000_000L), 4);
        put(Math.floorMod(micros, 1_000_000L) * 1000, 4);
    }

    /// Puts a time where an EventTime was written, and what stands behind it after that.
    ///
    /// @param at of the EventTime, ten bytes
    /// @param next of what stands behind it
    /// @param micros since 1970, or [Long#MIN_VALUE] for nil
    public void replaceTime(int at, int next, long micros) {
        int end = size;
        size = at;
        if (micros == Long.MIN_VALUE) {
            nil();
        } else if (micros >= 0 && micros < 4_294_967_296_000_000L) {
            eventTime(micros);
        } else {
            real(micros / 1e6); // before 1970, and after 2106
        }
        System.arraycopy(bytes, next, bytes, size, end - next);
        size += end - next;
    }

    /// Bytes as they are.
    public void raw(byte[] source, int start, int length) {
        reserve(length);
        System.arraycopy(source, start, bytes, size, length);
        size += length;
    }

    /// One byte of a text.
    public void raw(int value) {
        reserve(1);
        put(value);
    }
}
