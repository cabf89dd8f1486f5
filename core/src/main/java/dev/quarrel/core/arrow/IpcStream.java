package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.MessageHeader;

/// An IPC stream in a file: messages one after another, without a footer that says where they are. They are looked for
/// once, when the file is opened.
///
/// - Errors: `QueryException` 58030 for one that ends within a message, XX001 for what is no message.
/// - Source: Arrow columnar format, section "IPC Streaming Format".
final class IpcStream {
    private static final int CONTINUATION = -1;
    private static final int PREFIX_BYTES = 8;
    private static final int MAX_METADATA_BYTES = 1 << 30;
    private static final int MAX_MESSAGES = 10_000_000;

    private final FileBytes bytes;
    private final FileFault fault;

    IpcStream(FileBytes bytes, FileFault fault) {
        this.bytes = bytes;
        this.fault = fault;
    }

    /// Whether a file begins as a stream does, and not as a file.
    static boolean is(FileBytes bytes) {
        return bytes.byteSize() >= PREFIX_BYTES && number(bytes.bytes(0, PREFIX_BYTES), 0) == CONTINUATION;
    }

    private static int number(byte[] from, int at) {
        return MemorySegment.ofArray(from).get(INT32, at);
    }

    Footer index(MetadataReader reader) {
        byte[] schema = null;
        List<Footer.Block> dictionaries = new ArrayList<>();
        List<Footer.Block> batches = new ArrayList<>();
        long offset = 0;
        while (offset < bytes.byteSize()) {
            require(PREFIX_BYTES, offset);
            byte[] prefix = bytes.bytes(offset, PREFIX_BYTES);
            int length = number(prefix, 4);
            if (number(prefix, 0) != CONTINUATION || length < 0 || length > MAX_METADATA_BYTES) {
                throw fault.corrupt("there is no message of a stream at " + offset);
            }
            if (length == 0) {
                break; // its end
            }
            require(PREFIX_BYTES + (long) length, offset);
            byte[] message = bytes.bytes(offset + PREFIX_BYTES, length);
            MetadataReader.StreamMessage header = reader.streamMessage(message);
            if (header.bodyBytes() < 0) {
                throw fault.corrupt("a message of " + header.bodyBytes() + " bytes at " + offset);
            }
            require(PREFIX_BYTES + length + header.bodyBytes(), offset);
            Footer.Block block = new Footer.Block(offset, PREFIX_BYTES + length, header.bodyBytes());
            if (schema == null) {
                schema = message;
            } else if (header.type() == MessageHeader.DictionaryBatch) {
                dictionaries.add(block);
            } else if (header.type() == MessageHeader.RecordBatch) {
                batches.add(block);
            } else {
                throw fault.unsupported("a message of type " + header.type() + " in a stream");
            }
            if (dictionaries.size() + batches.size() > MAX_MESSAGES) {
                throw fault.unsupported("a stream of more than " + MAX_MESSAGES + " messages");
            }
            offset += PREFIX_BYTES + length + header.bodyBytes();
        }
        if (schema == null) {
            throw fault.corrupt("the stream has no schema");
        }
        return reader.streamSchema(schema, dictionaries, batches);
    }

    private void require(long count, long offset) {
        if (count > bytes.byteSize() - offset) {
            throw fault.unreadable(
                    "it ends within a message: the stream was cut short, or is still being written", null);
        }
    }
}
