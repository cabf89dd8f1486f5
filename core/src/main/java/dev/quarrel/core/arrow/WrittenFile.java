package dev.quarrel.core.arrow;

import dev.quarrel.core.type.Schema;
import java.nio.file.Path;

/// A file that an [ArrowFileWriter] has finished.
public record WrittenFile(Path path, Schema schema, long rowCount, long byteSize, FileStats stats) {}
