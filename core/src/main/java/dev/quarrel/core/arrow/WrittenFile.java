package dev.quarrel.core.arrow;

import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;

/// A file that an [ArrowFileWriter] has finished.
///
/// @param sha256 in lower-case hexadecimal
public record WrittenFile(Path path, Schema schema, long rowCount, long byteSize, String sha256, FileStats stats) {}
