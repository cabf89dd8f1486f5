package dev.quarrel.ingest.msgpack;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Where a MessagePack value lies in bytes, and what it is.
///
/// Every method takes bytes that hold a whole value at its place ([MsgpackSkipper] says so, or the caller has caught
/// the [IndexOutOfBoundsException] that anything else ends in).
///
/// - Source: MessagePack specification, "Formats".
public final class Msgpack {
    /// What a value is.
    public enum Kind {
        NIL,
        BOOL,
        INT,
        FLOAT,
        STR,
        BIN,
        ARRAY,
        MAP,
        EXT
    }

    private static final VarHandle INT16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final Kind[] KINDS = new Kind[256];

    /// Bytes of a value's head: the first byte, the length, an extension's type; for numbers all of it.
    private static final byte[] HEADS = new byte[256];

    static {
        for (int first = 0; first < 256; first++) {
            KINDS[first] = kindOf(first);
            HEADS[first] = (byte) headOf(first);
        }
    }

    private Msgpack() {}

    private static Kind kindOf(int first) {
        if (first < 0x80 || first >= 0xE0) {
            return Kind.INT;
        }
        if (first < 0x90) {
            return Kind.MAP;
        }
        if (first < 0xA0) {
            return Kind.ARRAY;
        }
        if (first < 0xC0) {
            return Kind.STR;
        }
        return switch (first) {
            case 0xC2, 0xC3 -> Kind.BOOL;
            case 0xC4, 0xC5, 0xC6 -> Kind.BIN;
            case 0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8 -> Kind.EXT;
            case 0xCA, 0xCB -> Kind.FLOAT;
            case 0xCC, 0xCD, 0xCE, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3 -> Kind.INT;
            case 0xD9, 0xDA, 0xDB -> Kind.STR;
            case 0xDC, 0xDD -> Kind.ARRAY;
            case 0xDE, 0xDF -> Kind.MAP;
            default -> Kind.NIL; // 0xC1, which means nothing, among them: isUsed says so
        };
    }

    private static int headOf(int first) {
        return switch (first) {
            case 0xC4, 0xCC, 0xD0, 0xD9 -> 2;
            case 0xC5, 0xCD, 0xD1, 0xDA, 0xDC, 0xDE -> 3;
            case 0xC6, 0xCA, 0xCE, 0xD2, 0xDB, 0xDD, 0xDF -> 5;
            case 0xCB, 0xCF, 0xD3 -> 9;
            case 0xC7 -> 3;
            case 0xC8 -> 4;
            case 0xC9 -> 6;
            case 0xD4, 0xD5, 0xD6, 0xD7, 0xD8 -> 2;
            default -> 1;
        };
    }

    /// Whether a value may begin so.
    static boolean isUsed(byte first) {
        return first != (byte) 0xC1;
    }

    public static Kind kind(byte first) {
        return KINDS[first & 0xFF];
    }

    /// Bytes from the value's first one to its text's, its elements' or its extension's first.
    public static int head(byte first) {
        return HEADS[first & 0xFF];
    }

    /// Bytes behind the head of a text, bytes or an extension; elements of an array, and pairs of a map; 0 for others.
    public static long length(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        if (first >= 0x80 && first < 0xC0) {
            return first < 0xA0 ? first & 0x0F : first & 0x1F;
        }
        return switch (first) {
            case 0xC4, 0xC7, 0xD9 -> bytes[at + 1] & 0xFF;
            case 0xC5, 0xC8, 0xDA, 0xDC, 0xDE -> (short) INT16.get(bytes, at + 1) & 0xFFFF;
            case 0xC6, 0xC9, 0xDB, 0xDD, 0xDF -> (int) INT32.get(bytes, at + 1) & 0xFFFF_FFFFL;
            case 0xD4 -> 1;
            case 0xD5 -> 2;
            case 0xD6 -> 4;
            case 0xD7 -> 8;
            case 0xD8 -> 16;
            default -> 0;
        };
    }

    /// An integer's value; of one of 64 bits without sign above 2⁶³-1 the same bits, which [#isBeyondInt64] tells.
    public static long integer(byte[] bytes, int at) {
        int first = bytes[at];
        if (first >= -32) {
            return first;
        }
        return switch (first & 0xFF) {
            case 0xCC -> bytes[at + 1] & 0xFF;
            case 0xCD -> (short) INT16.get(bytes, at + 1) & 0xFFFF;
            case 0xCE -> (int) INT32.get(bytes, at + 1) & 0xFFFF_FFFFL;
            case 0xD0 -> bytes[at + 1];
            case 0xD1 -> (short) INT16.get(bytes, at + 1);
            case 0xD2 -> (int) INT32.get(bytes, at + 1);
            default -> (long) INT64.get(bytes, at + 1);
        };
    }

    public static boolean isBeyondInt64(byte[] bytes, int at) {
        return bytes[at] == (byte) 0xCF && bytes[at + 1] < 0;
    }

    public static double real(byte[] bytes, int at) {
        return bytes[at] == (byte) 0xCA
                ? Float.intBitsToFloat((int) INT32.get(bytes, at + 1))
                : Double.longBitsToDouble((long) INT64.get(bytes, at + 1));
    }

    public static boolean bool(byte[] bytes, int at) {
        return bytes[at] == (byte) 0xC3;
    }

    /// The type of an extension.
    public static int extensionType(byte[] bytes, int at) {
        return bytes[at + head(bytes[at]) - 1];
    }

    public static int int32(byte[] bytes, int at) {
        return (int) INT32.get(bytes, at);
    }

    public static long int64(byte[] bytes, int at) {
        return (long) INT64.get(bytes, at);
    }

    /// The place behind the value at a place.
    ///
    /// - Errors: [IndexOutOfBoundsException] where it ends behind `end`.
    public static int skip(byte[] bytes, int at, int end) {
        long left = 1;
        int place = at;
        while (left > 0) {
            if (place >= end) {
                throw new IndexOutOfBoundsException(place);
            }
            byte first = bytes[place];
            long next = place + (long) head(first);
            if (next > end) {
                throw new IndexOutOfBoundsException(place);
            }
            left--;
            switch (kind(first)) {
                case STR, BIN, EXT -> next += length(bytes, place);
                case ARRAY -> left += length(bytes, place);
                case MAP -> left += 2 * length(bytes, place);
                default -> {}
            }
            if (next > end || left > end - next) { // each value has a byte at least
                throw new IndexOutOfBoundsException(place);
            }
            place = (int) next;
        }
        return place;
    }
}
