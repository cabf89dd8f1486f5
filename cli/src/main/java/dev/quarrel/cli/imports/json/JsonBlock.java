package dev.quarrel.cli.imports.json;

import dev.quarrel.core.csv.RowBlock;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.type.QueryException;
import java.nio.charset.StandardCharsets;

/// Objects as they are written, which stand one after another in an array of bytes, and a reader that goes from one to
/// the next.
///
/// - Errors: `QueryException` as of [JsonScanner].
/// - Threads: one.
final class JsonBlock {
    private final String name;
    private final RowBlock rows;
    private final byte[] bytes;
    private final JsonScanner scanner;
    private int row;

    /// @param name of the file, for messages
    /// @param rows which have the lines that they begin on
    JsonBlock(String name, RowBlock rows) {
        this.name = name;
        this.rows = rows;
        this.bytes = rows.bytes();
        this.scanner = JsonScanner.ofMany(bytes);
    }

    RowBlock rows() {
        return rows;
    }

    byte[] bytes() {
        return bytes;
    }

    JsonScanner scanner() {
        return scanner;
    }

    /// Goes to a row.
    void begin(int newRow) {
        row = newRow;
        scanner.reset(rows.start(row), rows.end(row) - rows.start(row));
    }

    /// Which row is read.
    int row() {
        return row;
    }

    /// The name of a member, behind which the reader is.
    ///
    /// @param key where it begins, at its quote
    String memberName(int key) {
        return new String(bytes, key + 1, nameEnd(key) - key - 1, StandardCharsets.UTF_8);
    }

    /// Where that ends; escapes in it are decoded in their place.
    int nameEnd(int key) {
        int end = scanner.keyEnd() - 1;
        return scanner.isEscaped() ? JsonStrings.decodeInPlace(bytes, key + 1, end) : end;
    }

    /// With where a row is.
    QueryException located(QueryException wrong, int inRow) {
        return wrong.withContext(name + ", line " + rows.line(inRow));
    }
}
