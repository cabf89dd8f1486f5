package dev.quarrel.core.regex;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.collate.Utf8;

/// A text that is searched, as bytes of UTF-8; places in it are indexes of bytes. Who reads it looks now and then
/// whether the query is still wanted.
final class Subject {
    private static final int WORK_BETWEEN_CHECKS = 1 << 18;

    byte[] bytes;
    int start;
    int end;
    /// Counts the texts, for what remembers a place in one.
    int version;
    private int work;

    void set(byte[] newBytes, int newStart, int newLength) {
        bytes = newBytes;
        start = newStart;
        end = newStart + newLength;
        version++;
    }

    int next(int at) {
        return Math.min(at + Utf8.width(bytes[at]), end);
    }

    int previous(int at) {
        return Utf8.previous(bytes, start, at);
    }

    int character(int at) {
        return bytes[at] >= 0 ? bytes[at] : Utf8.codePoint(bytes, at);
    }

    void worked(int steps) {
        work += steps;
        if (work > WORK_BETWEEN_CHECKS) {
            work = 0;
            Cancellation.checkCurrent();
        }
    }
}
