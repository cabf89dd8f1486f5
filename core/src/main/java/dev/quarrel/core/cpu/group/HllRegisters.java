package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.device.Sketch;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;

/// A HyperLogLog: of each of 2^`bits` classes of hashes the greatest rank, which is one more than the zeros that lead
/// the bits after the class number.
///
/// Few registers stand in a small hash table (class number · 64 + rank), many in an array of bytes; both give the same
/// sketch and estimate.
///
/// - Source: Flajolet et al. 2007; the estimator is Ertl's of 2017 ("New cardinality estimation algorithms for
///   HyperLogLog sketches", section 4), which needs no table of corrections.
/// - Memory: reserved before it is taken; `release` gives it back.
final class HllRegisters {
    private static final int FIRST_TABLE = 8;
    private static final int OBJECT_BYTES = 64;

    private final Reservation reservation;
    private int bits;
    private byte[] ranks; // null while the table suffices
    private int[] table = new int[FIRST_TABLE];
    private int used;

    HllRegisters(int bits, Reservation reservation) {
        if (bits < Sketch.MIN_BITS || bits > Sketch.MAX_BITS) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "a sketch has 2^" + Sketch.MIN_BITS + " to 2^" + Sketch.MAX_BITS + " registers, not 2^" + bits);
        }
        reservation.grow(OBJECT_BYTES + FIRST_TABLE * 4L);
        this.reservation = reservation;
        this.bits = bits;
    }

    int bits() {
        return bits;
    }

    void add(long hash) {
        int rank = Math.min(Long.numberOfLeadingZeros(hash << bits), 64 - bits) + 1;
        raise((int) (hash >>> 64 - bits), rank);
    }

    private void raise(int register, int rank) {
        if (ranks != null) {
            if (ranks[register] < rank) {
                ranks[register] = (byte) rank;
            }
            return;
        }
        int slot = slot(register);
        if (table[slot] == 0) {
            used++;
        }
        if ((table[slot] & (1 << Sketch.RANK_BITS) - 1) < rank) {
            table[slot] = register << Sketch.RANK_BITS | rank;
        }
        if (used * 4 > table.length * 3) {
            grow();
        }
    }

    /// Where the register stands, or belongs.
    private int slot(int register) {
        int mask = table.length - 1;
        int slot = register * 0x9E37_79B1 >>> 8 & mask;
        while (table[slot] != 0 && table[slot] >>> Sketch.RANK_BITS != register) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        int[] old = table;
        if (old.length * 8L >= 1L << bits) {
            reservation.grow(1L << bits);
            ranks = new byte[1 << bits];
            table = null;
            reservation.shrink(old.length * 4L);
        } else {
            reservation.grow(old.length * 8L);
            table = new int[old.length * 2];
            used = 0;
            reservation.shrink(old.length * 4L);
        }
        for (int entry : old) {
            if (entry != 0) {
                raise(entry >>> Sketch.RANK_BITS, entry & (1 << Sketch.RANK_BITS) - 1);
            }
        }
    }

    /// Makes 2^`fewer` registers of these: exactly those that the same values had made.
    void fold(int fewer) {
        if (fewer >= bits) {
            return;
        }
        HllRegisters folded = new HllRegisters(fewer, reservation);
        forEach((register, rank) -> folded.raiseFolded(register, rank, bits));
        release();
        bits = fewer;
        ranks = folded.ranks;
        table = folded.table;
        used = folded.used;
    }

    /// Adds another sketch's register; this one has at most as many.
    private void raiseFolded(int register, int rank, int otherBits) {
        int more = otherBits - bits;
        int low = register & (1 << more) - 1;
        int folded = low == 0 ? more + rank : more - (32 - Integer.numberOfLeadingZeros(low)) + 1;
        raise(register >>> more, folded);
    }

    void release() {
        reservation.shrink(OBJECT_BYTES + (ranks == null ? table.length * 4L : ranks.length));
    }

    private interface RegisterConsumer {
        void accept(int register, int rank);
    }

    private void forEach(RegisterConsumer consumer) {
        if (ranks != null) {
            for (int register = 0; register < ranks.length; register++) {
                if (ranks[register] != 0) {
                    consumer.accept(register, ranks[register]);
                }
            }
            return;
        }
        for (int entry : table) {
            if (entry != 0) {
                consumer.accept(entry >>> Sketch.RANK_BITS, entry & (1 << Sketch.RANK_BITS) - 1);
            }
        }
    }

    /// The sketch (docs/sketches.md): the same bytes for the same values, in whatever order they came.
    byte[] toBytes() {
        int[] entries = new int[1 << bits];
        int[] count = {0};
        forEach((register, rank) -> entries[count[0]++] = register << Sketch.RANK_BITS | rank);
        int present = count[0];
        boolean isSparse = (long) present * Sketch.ENTRY_BYTES < 1L << bits;
        byte[] bytes = new byte[Sketch.HEADER_BYTES + (isSparse ? present * Sketch.ENTRY_BYTES : 1 << bits)];
        bytes[0] = Sketch.VERSION;
        bytes[1] = (byte) bits;
        bytes[2] = (byte) (isSparse ? Sketch.SPARSE : Sketch.DENSE);
        Arrays.sort(entries, 0, present);
        for (int index = 0; index < present; index++) {
            int entry = entries[index];
            if (isSparse) {
                int at = Sketch.HEADER_BYTES + index * Sketch.ENTRY_BYTES;
                bytes[at] = (byte) entry;
                bytes[at + 1] = (byte) (entry >>> 8);
                bytes[at + 2] = (byte) (entry >>> 16);
            } else {
                bytes[Sketch.HEADER_BYTES + (entry >>> Sketch.RANK_BITS)] =
                        (byte) (entry & (1 << Sketch.RANK_BITS) - 1);
            }
        }
        return bytes;
    }

    /// Adds the values of a sketch; of two register counts the lesser is kept.
    ///
    /// - Errors: 22023 for what is no sketch.
    void addSketch(byte[] sketch) {
        int otherBits = Sketch.bitsOf(sketch);
        fold(otherBits);
        int most = 64 - otherBits + 1;
        if (sketch[2] == Sketch.DENSE) {
            for (int register = 0; register < 1 << otherBits; register++) {
                addRegister(register, sketch[Sketch.HEADER_BYTES + register], otherBits, most);
            }
            return;
        }
        for (int at = Sketch.HEADER_BYTES; at < sketch.length; at += Sketch.ENTRY_BYTES) {
            int entry = sketch[at] & 0xFF | (sketch[at + 1] & 0xFF) << 8 | (sketch[at + 2] & 0xFF) << 16;
            addRegister(entry >>> Sketch.RANK_BITS, entry & (1 << Sketch.RANK_BITS) - 1, otherBits, most);
        }
    }

    private void addRegister(int register, int rank, int otherBits, int most) {
        if (rank < 0 || rank > most || register >= 1 << otherBits) {
            throw Sketch.notASketch();
        }
        if (rank > 0) {
            raiseFolded(register, rank, otherBits);
        }
    }

    /// The estimated number of different values.
    long estimate() {
        int most = 64 - bits + 1;
        int[] counts = new int[most + 1];
        int[] present = {0};
        forEach((_, rank) -> {
            counts[rank]++;
            present[0]++;
        });
        double registers = 1 << bits;
        counts[0] = (1 << bits) - present[0];
        if (present[0] == 0) {
            return 0;
        }
        double sum = registers * tau(1 - counts[most] / registers);
        for (int rank = most - 1; rank >= 1; rank--) {
            sum = 0.5 * (sum + counts[rank]);
        }
        sum += registers * sigma(counts[0] / registers);
        return Math.round(registers * registers / (2 * Math.log(2)) / sum);
    }

    private static double sigma(double share) {
        double power = share;
        double weight = 1;
        double sum = share;
        double before;
        do {
            power *= power;
            before = sum;
            sum += power * weight;
            weight += weight;
        } while (sum != before);
        return sum;
    }

    private static double tau(double share) {
        if (share == 0 || share == 1) {
            return 0;
        }
        double root = share;
        double weight = 1;
        double sum = 1 - share;
        double before;
        do {
            root = Math.sqrt(root);
            before = sum;
            weight *= 0.5;
            sum -= (1 - root) * (1 - root) * weight;
        } while (sum != before);
        return sum / 3;
    }
}
