package dev.quarrel.core.arrow;

import dev.quarrel.core.type.Field;
import java.util.List;
import java.util.Map;

/// A top-level field of a file: what it is for us, and how much of a record batch's lists it takes.
///
/// @param nodes field nodes of it and its children
/// @param buffers buffers of them, without the data buffers of views
/// @param views how many of them are view types, whose data buffers each batch counts
/// @param metadata the field's own
/// @param widths of the numbers in each buffer ([ByteSwap]); none for a file that is little endian
/// @param parts of a struct, its members and theirs
/// @param elementParts of a list of structs, the members of these
record FileField(
        Field field,
        Storage storage,
        int nodes,
        int buffers,
        int views,
        Map<String, String> metadata,
        List<Byte> widths,
        List<FilePart> parts,
        List<FilePart> elementParts) {
    /// What the elements of a list are called.
    static final String ELEMENT = "unnest";

    static final String EXTENSION_NAME = "ARROW:extension:name";
    static final String EXTENSION_METADATA = "ARROW:extension:metadata";
    static final String UUID_EXTENSION = "arrow.uuid";
    static final String JSON_EXTENSION = "arrow.json";
}
