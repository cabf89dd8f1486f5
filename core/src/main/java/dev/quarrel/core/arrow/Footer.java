package dev.quarrel.core.arrow;

import java.util.List;
import java.util.Map;

/// What a file's footer says, checked against the file's size.
///
/// @param dictionaryValues how the entries of each dictionary id lie in its batches
/// @param schemaMetadata tools carry it along when they change rows
/// @param fileMetadata the footer's own, about this very file
record Footer(
        List<FileField> fields,
        Map<Long, Storage> dictionaryValues,
        List<Block> dictionaries,
        List<Block> batches,
        Map<String, String> schemaMetadata,
        Map<String, String> fileMetadata) {

    /// A message with its body: `[offset, offset + metadataBytes + bodyBytes)` of the file.
    record Block(long offset, int metadataBytes, long bodyBytes) {
        long bodyOffset() {
            return offset + metadataBytes;
        }
    }
}
