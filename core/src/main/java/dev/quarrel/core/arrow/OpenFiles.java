package dev.quarrel.core.arrow;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Set;

/// Limits how many of the files that are being written are open at once: a process may often open only a
/// thousand, and a run may write ten thousand.
///
/// A file that somebody holds is open; of the others the `most` that were used last stay open, and the rest are opened
/// again when it is their turn. An open one has two descriptors where it is also written past the system's cache.
///
/// - Threads: any.
public final class OpenFiles {
    private final int most;
    private final Set<Held> idle = new LinkedHashSet<>(); // guarded by this; the one used longest ago is the first

    public OpenFiles(int most) {
        this.most = most;
    }

    /// Makes an empty file, which is held by the caller.
    Held create(Path path) throws IOException {
        return new Held(path, Durable.create(path));
    }

    /// One of the files: written by those who hold it, of whom there may be several.
    ///
    /// - Memory: open or not, `close` ends its use.
    final class Held implements AutoCloseable {
        private final Path path;
        private FileChannel channel; // guarded by the pool; null where it is closed
        private FileChannel direct; // guarded by the pool; null where it is not open
        private int holders = 1; // guarded by the pool

        private Held(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
        }

        void hold() throws IOException {
            synchronized (OpenFiles.this) {
                if (channel == null) {
                    // Linux tells who opens it of errors of the disk that nobody has heard of, as long as it knows the
                    // file; to wait for the disk each time would take longer than everything else.
                    channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                }
                idle.remove(this);
                holders++;
            }
        }

        void letGo() throws IOException {
            synchronized (OpenFiles.this) {
                holders--;
                if (holders > 0 || channel == null) {
                    return;
                }
                idle.add(this);
                if (idle.size() > most) {
                    Held oldest = idle.iterator().next();
                    idle.remove(oldest);
                    oldest.closeChannel();
                }
            }
        }

        private void closeChannel() throws IOException {
            try (FileChannel _ = channel;
                    FileChannel _ = direct) {
                channel = null;
                direct = null;
            }
        }

        private FileChannel channel() {
            synchronized (OpenFiles.this) {
                return channel;
            }
        }

        int write(ByteBuffer bytes, long position) throws IOException {
            return channel().write(bytes, position);
        }

        /// The same file past the system's cache.
        ///
        /// - Errors: [UnsupportedOperationException] or [IOException] where it cannot be opened so.
        FileChannel direct() throws IOException {
            synchronized (OpenFiles.this) {
                if (direct == null) {
                    direct = FileChannel.open(
                            path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, ExtendedOpenOption.DIRECT);
                }
                return direct;
            }
        }

        void force(boolean metadata) throws IOException {
            channel().force(metadata);
        }

        @Override
        public void close() throws IOException {
            synchronized (OpenFiles.this) {
                idle.remove(this);
                closeChannel();
            }
        }
    }
}
