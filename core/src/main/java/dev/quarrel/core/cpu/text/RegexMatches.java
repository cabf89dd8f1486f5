package dev.quarrel.core.cpu.text;

import com.google.re2j.Matcher;
import dev.quarrel.core.cpu.tile.Utf8;

/// The matches of a pattern in one text, from left to right, none within another. The next one is looked for behind the
/// last, and one character further where that was empty.
///
/// - Source: PostgreSQL's `regexp.c` (setup_regexp_matches), `varlena.c` (replace_text_regexp).
public final class RegexMatches {
    private final Matcher matcher;
    private final WatchedText text;
    private final byte[] bytes;
    private final int start;
    /// In the matcher's units, as `next` is: bytes of the text, or its characters where `text` is there.
    private final int end;
    private int next;
    private int from;
    private int to;
    /// The characters of `text` before which `knownBytes` bytes stand.
    private int knownCharacters;
    private int knownBytes;

    /// @param text null where the matcher reads bytes
    RegexMatches(Matcher matcher, WatchedText text, byte[] bytes, int start, int end, int first) {
        this.matcher = matcher;
        this.text = text;
        this.bytes = bytes;
        this.start = start;
        this.end = end;
        this.next = first;
    }

    static RegexMatches none(byte[] bytes, int start) {
        return new RegexMatches(null, null, bytes, start, 0, 1);
    }

    /// Goes to the next match; false behind the last one.
    public boolean next() {
        try {
            if (next > end || !matcher.find(next)) {
                return false;
            }
        } catch (StackOverflowError _) {
            throw RegexSize.tooComplex();
        }
        from = place(matcher.start());
        to = place(matcher.end());
        next = matcher.end();
        if (matcher.start() == next) {
            next += next == end ? 1 : width(next);
        }
        return true;
    }

    private int width(int at) {
        return text == null ? Utf8.width(bytes[start + at]) : Character.isHighSurrogate(text.charAt(at)) ? 2 : 1;
    }

    /// Matches come in order, so each is found from the last.
    private int place(int at) {
        if (text == null || text.isAscii()) {
            return start + at;
        }
        while (knownCharacters < at) {
            int width = Utf8.width(bytes[start + knownBytes]);
            knownBytes += width;
            knownCharacters += width == 4 ? 2 : 1;
        }
        return start + knownBytes;
    }

    /// The index of the match's first byte.
    public int from() {
        return from;
    }

    /// The index behind the match's last byte.
    public int to() {
        return to;
    }
}
