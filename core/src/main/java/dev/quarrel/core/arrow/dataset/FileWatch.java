package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FileStamp;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The folders and files that named tables depend on, as they were when they were listed.
///
/// Folders are looked at before every statement: a file that comes or goes changes its folder's time. Files are, too,
/// as long as they are few; many of them once in a second, since each look is a system call for each.
///
/// - Threads: any may ask, once all has been added.
final class FileWatch {
    private static final int FEW = 1_000;
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final Map<Path, FileStamp> folders = new HashMap<>();
    private final Map<Path, FileStamp> files = new HashMap<>();
    private final long takenNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    private volatile long looked = System.nanoTime();

    void addFolder(Path folder) {
        folders.put(folder, FileStamp.of(folder));
    }

    void addFile(Path file, FileStamp stamp) {
        files.put(file, stamp);
    }

    boolean isCurrent() {
        if (!areCurrent(folders)) {
            return false;
        }
        if (files.size() > FEW && System.nanoTime() - looked < PAUSE_NANOS) {
            return true;
        }
        looked = System.nanoTime();
        return areCurrent(files);
    }

    private boolean areCurrent(Map<Path, FileStamp> stamps) {
        for (Map.Entry<Path, FileStamp> entry : stamps.entrySet()) {
            FileStamp stamp = entry.getValue();
            if (stamp.modifiedNanos() > takenNanos - FileStamp.TIME_STEP_NANOS
                    || !FileStamp.of(entry.getKey()).equals(stamp)) {
                return false;
            }
        }
        return true;
    }
}
