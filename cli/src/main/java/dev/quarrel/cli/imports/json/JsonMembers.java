package dev.quarrel.cli.imports.json;

import dev.quarrel.core.json.JsonScanner;
import java.util.List;

/// The columns of an object's members.
final class JsonMembers {
    private final List<JsonColumn> columns;
    private final MemberNames names;

    JsonMembers(List<String> names, List<JsonColumn> columns) {
        this.columns = List.copyOf(columns);
        this.names = new MemberNames(names);
    }

    List<JsonColumn> columns() {
        return columns;
    }

    /// Takes the members of the object that the block's reader is at. Of several of one name the last counts.
    ///
    /// - Errors: a misfit for one that has no column, and is not null.
    void append(int row, JsonBlock block) {
        JsonScanner scanner = block.scanner();
        scanner.advance();
        if (scanner.closes('}')) {
            return;
        }
        do {
            int key = scanner.checkKey();
            int place = names.find(block.bytes(), key + 1, block.nameEnd(key));
            if (place >= 0) {
                JsonColumn column = columns.get(place);
                if (column.count() > row) {
                    column.truncate(row);
                }
                column.append(row, block);
            } else if (JsonColumn.beginValue(scanner) != 0) {
                throw RowFailure.misfit(block.row());
            }
        } while (scanner.continues('}'));
    }
}
