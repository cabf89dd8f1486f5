package dev.quarrel.core.parquet;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// Writes structs in Thrift's compact protocol: fields in ascending order, each with the distance to the one before.
///
/// - Source: Apache Thrift, "Thrift Compact protocol".
final class CompactWriter {
    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int INT8 = 3;
    private static final int INT16 = 4;
    static final int INT32 = 5;
    private static final int INT64 = 6;
    static final int BINARY = 8;
    private static final int LIST = 9;
    static final int STRUCT = 12;

    /// Writes the fields of a struct.
    @FunctionalInterface
    interface Fields {
        void write(CompactWriter to);
    }

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Deque<Integer> outerFields = new ArrayDeque<>();
    private int lastField;

    byte[] bytes() {
        return out.toByteArray();
    }

    private void field(int id, int type) {
        int distance = id - lastField;
        if (distance < 1 || distance > 15) {
            throw new IllegalArgumentException("field " + id + " after field " + lastField);
        }
        out.write(distance << 4 | type);
        lastField = id;
    }

    void bool(int id, boolean value) {
        field(id, value ? TRUE : FALSE);
    }

    void int8(int id, int value) {
        field(id, INT8);
        out.write(value);
    }

    void int16(int id, int value) {
        field(id, INT16);
        signed(value);
    }

    void int32(int id, int value) {
        field(id, INT32);
        signed(value);
    }

    void int64(int id, long value) {
        field(id, INT64);
        signed(value);
    }

    void binary(int id, byte[] value) {
        field(id, BINARY);
        element(value);
    }

    void text(int id, String value) {
        binary(id, value.getBytes(StandardCharsets.UTF_8));
    }

    /// A struct as a field, until [#end].
    void struct(int id) {
        field(id, STRUCT);
        struct();
    }

    /// A struct as an element of a list, until [#end].
    void struct() {
        outerFields.push(lastField);
        lastField = 0;
    }

    void end() {
        stop();
        lastField = outerFields.pop();
    }

    /// The end of the outermost struct.
    void stop() {
        out.write(0);
    }

    /// A struct without fields.
    void empty(int id) {
        struct(id);
        end();
    }

    /// A list, whose elements follow.
    void list(int id, int elementType, int size) {
        field(id, LIST);
        if (size < 15) {
            out.write(size << 4 | elementType);
        } else {
            out.write(0xF0 | elementType);
            unsigned(size);
        }
    }

    void element(int value) {
        signed(value);
    }

    void element(byte[] value) {
        unsigned(value.length);
        out.writeBytes(value);
    }

    private void signed(long value) {
        unsigned(value << 1 ^ value >> 63);
    }

    private void unsigned(long value) {
        long left = value;
        for (; (left & ~0x7FL) != 0; left >>>= 7) {
            out.write((int) (left & 0x7F | 0x80));
        }
        out.write((int) left);
    }
}
