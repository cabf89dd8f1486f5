package dev.quarrel.cuda.group;

import dev.quarrel.core.device.Sketch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Base64;

/// HyperLogLog registers of the device, which are bytes, as sketches (docs/sketches.md).
final class HllCells {
    private HllCells() {}

    /// The sketch's text.
    ///
    /// @param registers 2^`bits` bytes
    static byte[] sketch(MemorySegment registers, int bits) {
        int count = 1 << bits;
        int present = 0;
        for (int register = 0; register < count; register++) {
            present += registers.get(ValueLayout.JAVA_BYTE, register) == 0 ? 0 : 1;
        }
        boolean isSparse = (long) present * Sketch.ENTRY_BYTES < count;
        byte[] bytes = new byte[Sketch.HEADER_BYTES + (isSparse ? present * Sketch.ENTRY_BYTES : count)];
        bytes[0] = Sketch.VERSION;
        bytes[1] = (byte) bits;
        bytes[2] = (byte) (isSparse ? Sketch.SPARSE : Sketch.DENSE);
        int at = Sketch.HEADER_BYTES;
        for (int register = 0; register < count; register++) {
            byte rank = registers.get(ValueLayout.JAVA_BYTE, register);
            if (!isSparse) {
                bytes[at++] = rank;
            } else if (rank != 0) {
                int entry = register << Sketch.RANK_BITS | rank;
                bytes[at++] = (byte) entry;
                bytes[at++] = (byte) (entry >>> 8);
                bytes[at++] = (byte) (entry >>> 16);
            }
        }
        return Base64.getEncoder().encode(bytes);
    }

    /// Raises registers to others'.
    static void raise(MemorySegment registers, MemorySegment others, int bits) {
        for (int register = 0; register < 1 << bits; register++) {
            byte rank = others.get(ValueLayout.JAVA_BYTE, register);
            if (rank > registers.get(ValueLayout.JAVA_BYTE, register)) {
                registers.set(ValueLayout.JAVA_BYTE, register, rank);
            }
        }
    }
}
