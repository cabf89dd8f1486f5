package dev.quarrel.cli.imports.json;

import dev.quarrel.core.csv.RowBlock;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Finds where the objects of a JSON file begin and end, and hands them out in blocks that others parse: objects one
/// after another, with white space between them, as in lines, or in one array.
///
/// - Errors: `QueryException` 22P02 for what stands between objects, 54000 for one above 1 GiB: with the block, since
///   objects before may have errors of their own.
/// - Threads: one; blocks may be given back by any.
final class JsonObjects implements AutoCloseable {
    private static final int BLOCK_BYTES = 8 << 20;
    private static final int MAX_OBJECT_BYTES = 1 << 30;

    /// What a byte outside of strings does to the depth; others do nothing.
    private static final byte[] KINDS = new byte[256];

    private static final byte OTHER = 2;

    static {
        Arrays.fill(KINDS, OTHER);
        KINDS['{'] = 1;
        KINDS['['] = 1;
        KINDS['}'] = -1;
        KINDS[']'] = -1;
        KINDS['"'] = 0;
        KINDS['\n'] = 0;
    }

    private final String name;
    private final InputStream in;
    private final ConcurrentLinkedQueue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private final int blockBytes;
    private byte[] buffer;
    private int end;
    private int at;
    private boolean isOver; // no bytes follow
    private long line = 1;
    private Frame frame = Frame.START;
    // Of the object that has begun.
    private int start;
    private long startLine;
    private int depth;
    private boolean isText;
    private boolean isEscaped; // the next byte of the text is

    private enum Frame {
        START,
        /// Among rows that are in no array.
        SEQUENCE,
        /// Behind the bracket that begins an array.
        ARRAY,
        /// Behind a row of an array, or in it.
        ROW,
        COMMA,
        /// Behind the array.
        END
    }

    /// @param name for messages
    /// @param in closed with it
    JsonObjects(String name, InputStream in) {
        this(name, in, BLOCK_BYTES);
    }

    /// The same with blocks of other sizes.
    JsonObjects(String name, InputStream in, int blockBytes) {
        this.name = name;
        this.in = in;
        this.blockBytes = blockBytes;
        this.buffer = new byte[blockBytes];
    }

    /// The next objects, at most so many, and of 8 MiB unless a single one has more; null where there are none.
    JsonBlock next(int maxRows) throws IOException {
        RowBlock block = new RowBlock(line - 1);
        try {
            while (block.count() < maxRows && scan(block, maxRows)) {
                if (block.count() > 0 && end == buffer.length) {
                    break;
                }
                fill();
            }
        } catch (QueryException wrong) {
            boolean isWithin = depth > 0;
            isOver = true;
            at = end;
            depth = 0;
            block.fail(wrong.withContext(name + ", line " + (isWithin ? startLine : line)));
        }
        if (block.count() == 0 && block.fault() == null) {
            return null;
        }
        block.complete(buffer, end);
        keepRest();
        return new JsonBlock(name, block);
    }

    /// Takes the bytes of a block that nobody reads any more, to read others into them.
    void giveBack(JsonBlock block) {
        if (block.rows().bytes().length == blockBytes) {
            spare.add(block.rows().bytes());
        }
    }

    /// Goes on as far as bytes have been read.
    ///
    /// @return whether more are wanted
    private boolean scan(RowBlock block, int maxRows) {
        while (at < end && block.count() < maxRows) {
            if (depth == 0) {
                between(buffer[at++]);
            } else {
                within();
                if (depth == 0) {
                    block.add(start, at, startLine);
                }
            }
        }
        if (at == end && isOver && depth > 0) {
            throw wrong("invalid input syntax for type json: the file ends within a row");
        }
        if (at == end && isOver && (frame == Frame.ARRAY || frame == Frame.ROW || frame == Frame.COMMA)) {
            throw wrong("invalid input syntax for type json: the file ends within the array of rows");
        }
        return !isOver;
    }

    private void between(byte each) {
        switch (each) {
            case '\n' -> line++;
            case ' ', '\t', '\r' -> {
                // White space.
            }
            case '{' -> {
                if (frame == Frame.END) {
                    throw wrong("there is something behind the array of rows");
                }
                require(frame != Frame.ROW); // else a comma is missing
                frame = frame == Frame.ARRAY || frame == Frame.COMMA ? Frame.ROW : Frame.SEQUENCE;
                start = at - 1;
                startLine = line;
                depth = 1;
            }
            case '[' -> {
                require(frame == Frame.START);
                frame = Frame.ARRAY;
            }
            case ',' -> {
                require(frame == Frame.ROW);
                frame = Frame.COMMA;
            }
            case ']' -> {
                require(frame == Frame.ARRAY || frame == Frame.ROW);
                frame = Frame.END;
            }
            case (byte) 0xEF, (byte) 0xBB, (byte) 0xBF -> require(frame == Frame.START && at <= 3); // byte order mark
            default -> require(false);
        }
    }

    private static void require(boolean isRight) {
        if (!isRight) {
            throw wrong("a row is no JSON object");
        }
    }

    /// Goes on to the end of the object, or of the bytes; in variables of its own, for every byte comes by.
    private void within() {
        byte[] bytes = buffer;
        int place = at;
        int deep = depth;
        boolean inText = isText;
        boolean skips = isEscaped;
        long ends = 0;
        while (place < end && deep > 0) {
            if (inText && !skips) {
                place = JsonStrings.findStop(bytes, place, end);
            } else if (!inText) {
                while (place < end && KINDS[bytes[place] & 0xFF] == OTHER) {
                    place++;
                }
            }
            if (place == end) {
                break;
            }
            byte each = bytes[place++];
            if (inText) {
                if (skips) {
                    skips = false;
                } else if (each == '"') {
                    inText = false;
                } else {
                    skips = each == '\\';
                }
            } else if (each == '"') {
                inText = true;
            } else {
                deep += KINDS[each & 0xFF];
            }
            ends += each == '\n' ? 1 : 0;
        }
        at = place;
        depth = deep;
        isText = inText;
        isEscaped = skips;
        line += ends;
    }

    /// Reads more.
    private void fill() throws IOException {
        if (end == buffer.length) {
            if (end >= MAX_OBJECT_BYTES) {
                throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "a row has more than 1 GiB");
            }
            byte[] larger = new byte[Math.multiplyExact(2, buffer.length)];
            System.arraycopy(buffer, 0, larger, 0, end);
            buffer = larger;
        }
        int read = in.read(buffer, end, buffer.length - end);
        isOver = read <= 0;
        end += Math.max(read, 0);
    }

    /// Moves what follows a block to an array that is not the block's.
    private void keepRest() {
        int from = depth > 0 ? start : at;
        int rest = end - from;
        byte[] next = rest <= blockBytes ? spare.poll() : null;
        if (next == null) {
            next = new byte[isOver ? rest : Math.max(rest, blockBytes)];
        }
        System.arraycopy(buffer, from, next, 0, rest);
        buffer = next;
        at -= from;
        start -= from;
        end = rest;
    }

    private static QueryException wrong(String message) {
        return new QueryException(SqlState.INVALID_TEXT_REPRESENTATION, message);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
