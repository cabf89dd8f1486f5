package dev.quarrel.cli.imports.pcap;

import dev.quarrel.cli.imports.ImportSource;
import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.zip.GZIPInputStream;

/// Captured packets of a pcap or pcapng file, compressed by gzip or not: a row a packet.
///
/// The formats are read here, since there is no library for them without native code, but for ones that make an object
/// of every header.
///
/// One thread reads the file and finds where packets begin; others decode blocks of them, and each becomes a batch.
///
/// - Memory: of the heap, blocks of up to 32 MiB of the file's bytes, which batches have their payload in: one that is
///   read, one a thread that is decoded, and those of batches that are not closed. Whatever the file's size.
/// - Errors: `QueryException` 22P04 for what is no capture, or damaged; 0A000 for a link type that is not read. What a
///   file that was cut short has of its last packet is passed over with a note.
public final class PcapSource implements ImportSource {
    private static final int MOST_BLOCK_BYTES = 32 << 20;

    /// For so many of them a thread's part of the heap has room.
    private static final int BLOCKS_A_THREAD = 8;

    private final Path file;
    private final Executor threads;
    private final int threadCount;
    private final int blockBytes;
    private final Packet packet = new Packet();
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private final Deque<CompletableFuture<Batch>> underWay = new ArrayDeque<>();
    private final List<String> notes = new ArrayList<>();
    private CaptureBytes bytes;
    private Capture capture; // null before the first packet, and after the last one
    private boolean isOpen;
    private long packetCount;

    /// @param threads decode packets
    /// @param threadCount how many these are
    public PcapSource(Path file, Executor threads, int threadCount) {
        this.file = file;
        this.threads = threads;
        this.threadCount = threadCount;
        this.blockBytes = Math.clamp(
                Runtime.getRuntime().maxMemory() / threadCount / BLOCKS_A_THREAD,
                CaptureBytes.LEAST_CAPACITY,
                MOST_BLOCK_BYTES);
    }

    @Override
    public Schema schema() {
        return PacketColumns.SCHEMA;
    }

    @Override
    public Batch next() throws IOException {
        if (threadCount == 1) { // which writes; or the heap has no room for blocks that wait
            PacketBlock block = nextBlock();
            return block == null ? null : decoded(block);
        }
        while (underWay.size() < threadCount) {
            PacketBlock block = nextBlock();
            if (block == null) {
                break;
            }
            underWay.add(CompletableFuture.supplyAsync(() -> decoded(block), threads));
        }
        return underWay.isEmpty() ? null : Awaited.of(underWay.removeFirst());
    }

    private Batch decoded(PacketBlock block) {
        return PacketDecoder.decode(block, () -> giveBack(block.bytes()));
    }

    private void giveBack(byte[] bytes) {
        if (bytes.length >= CaptureBytes.READ_BYTES) {
            spare.add(bytes);
        }
    }

    /// The next packets; null where there are none.
    private PacketBlock nextBlock() throws IOException {
        if (!isOpen) {
            open();
        }
        if (capture == null) {
            return null;
        }
        PacketBlock block = new PacketBlock();
        boolean isMore = true;
        while (isMore && block.count() < PacketBlock.MAX_PACKETS) {
            if (capture.next(bytes, packet)) {
                block.add(packet);
            } else {
                isMore = bytes.fill(block.count() == 0);
            }
        }
        if (block.count() > 0) {
            packetCount += block.count();
            block.complete(bytes.handOut());
            return block;
        }
        end();
        return null;
    }

    private void open() throws IOException {
        isOpen = true;
        InputStream in = Files.newInputStream(file);
        bytes = new CaptureBytes(
                file.toString().endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in, blockBytes, spare);
        while (!bytes.has(PcapCapture.HEADER_BYTES) && bytes.fill(true)) {}
        capture = Capture.of(file.toString(), bytes);
    }

    private void end() throws IOException {
        if (bytes.rest() > 0) {
            notes.add("file \"" + file + "\" was cut short: it ends within the packet after the " + packetCount
                    + " that were read");
        }
        capture = null;
        closeFile();
    }

    @Override
    public List<String> notes() {
        return List.copyOf(notes);
    }

    private void closeFile() throws IOException {
        if (bytes != null) {
            bytes.close();
            bytes = null;
        }
    }

    @Override
    public void close() throws IOException {
        for (CompletableFuture<Batch> each : underWay) {
            Batch batch = each.handle((done, _) -> done).join();
            if (batch != null) {
                batch.close();
            }
        }
        underWay.clear();
        closeFile();
    }
}
