package dev.quarrel.ingest.intake;

import dev.quarrel.core.arrow.dataset.FileName;
import java.nio.charset.StandardCharsets;

/// Which names tables of events can have: senders choose them, and each is a folder's.
public final class TableName {
    /// What Linux' and most other file systems give a name.
    private static final int MOST_BYTES = 255;

    private TableName() {}

    /// Why no table of events has that name; null where one can.
    public static String fault(String name) {
        if (name.indexOf('\0') >= 0) {
            return "a table's name has no character NUL";
        }
        int bytes = FileName.encode(name).getBytes(StandardCharsets.UTF_8).length;
        return bytes >= 1 && bytes <= MOST_BYTES
                ? null
                : "a table's name has 1 to " + MOST_BYTES + " bytes as a folder's, this one has " + bytes;
    }
}
