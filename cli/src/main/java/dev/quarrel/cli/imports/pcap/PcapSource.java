package dev.quarrel.cli.imports.pcap;

import dev.quarrel.cli.imports.ImportSource;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/// Captured packets of pcap and pcapng files, compressed by gzip or not: a row a packet.
///
/// The formats are read here, since there is no library for them without native code, but for ones that make an object
/// of every header.
///
/// - Memory: a buffer of the file's bytes and one batch, whatever the file's size.
/// - Errors: `QueryException` 22P04 for what is no capture, or damaged; 0A000 for a link type that is not read. What a
///   file that was cut short has of its last packet is passed over with a note.
public final class PcapSource implements ImportSource {
    private final List<Path> files;
    private final PacketColumns columns = new PacketColumns();
    private final PacketDecoder decoder = new PacketDecoder(columns);
    private final Packet packet = new Packet();
    private final List<String> notes = new ArrayList<>();
    private int nextFile;
    private CaptureBytes bytes;
    private Capture capture;
    private long packetCount; // of this file

    public PcapSource(List<Path> files) {
        this.files = List.copyOf(files);
    }

    @Override
    public Schema schema() {
        return PacketColumns.SCHEMA;
    }

    @Override
    public Batch next() throws IOException {
        while (capture != null || nextFile < files.size()) {
            if (capture == null) {
                open();
            }
            int rows = 0;
            do {
                while (rows < PacketColumns.MAX_ROWS && capture.next(bytes, packet)) {
                    decoder.decode(bytes.buffer(), packet, rows++);
                }
            } while (rows == 0 && bytes.fill());
            if (rows > 0) {
                packetCount += rows;
                return columns.finish(bytes.buffer(), rows);
            }
            finishFile();
        }
        return null;
    }

    private void open() throws IOException {
        Path path = files.get(nextFile++);
        InputStream in = Files.newInputStream(path);
        bytes = new CaptureBytes(path.toString().endsWith(".gz") ? new GZIPInputStream(in, 1 << 16) : in);
        bytes.fill();
        capture = Capture.of(path.toString(), bytes);
        packetCount = 0;
    }

    private void finishFile() throws IOException {
        if (bytes.rest() > 0) {
            notes.add("file \"" + files.get(nextFile - 1) + "\" was cut short: it ends within the packet after the "
                    + packetCount + " that were read");
        }
        capture = null;
        close();
    }

    @Override
    public List<String> notes() {
        return List.copyOf(notes);
    }

    @Override
    public void close() throws IOException {
        if (bytes != null) {
            bytes.close();
            bytes = null;
        }
    }
}
