package dev.quarrel.cli.imports.json;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Finds the place of a member's name among others by its bytes. Members mostly come in the same order.
///
/// - Threads: one.
final class MemberNames {
    private final byte[][] names;
    private final int[] slots; // places and 1; 0 where there is none
    private int next;

    MemberNames(List<String> names) {
        this.names = names.stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        this.slots = new int[Integer.highestOneBit(Math.max(1, this.names.length)) * 4];
        for (int place = 0; place < this.names.length; place++) {
            byte[] name = this.names[place];
            int slot = hash(name, 0, name.length) & slots.length - 1;
            while (slots[slot] != 0) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = place + 1;
        }
    }

    /// The place of the name that stands in some bytes; -1 where it is none of these.
    int find(byte[] bytes, int from, int to) {
        int expected = next < names.length ? next : 0;
        int place = names.length > 0 && isName(expected, bytes, from, to) ? expected : look(bytes, from, to);
        next = place + 1;
        return place;
    }

    private int look(byte[] bytes, int from, int to) {
        int slot = hash(bytes, from, to) & slots.length - 1;
        while (slots[slot] != 0) {
            if (isName(slots[slot] - 1, bytes, from, to)) {
                return slots[slot] - 1;
            }
            slot = slot + 1 & slots.length - 1;
        }
        return -1;
    }

    private boolean isName(int place, byte[] bytes, int from, int to) {
        byte[] name = names[place];
        if (name.length != to - from) {
            return false;
        }
        for (int at = 0; at < name.length; at++) {
            if (name[at] != bytes[from + at]) {
                return false;
            }
        }
        return true;
    }

    private static int hash(byte[] bytes, int from, int to) {
        int hash = to - from;
        for (int at = from; at < to; at++) {
            hash = hash * 31 + bytes[at];
        }
        return hash ^ hash >>> 15;
    }
}
