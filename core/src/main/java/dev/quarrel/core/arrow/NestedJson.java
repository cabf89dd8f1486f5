package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Values that have been read, and become JSON a row at a time, as PostgreSQL's `to_json` writes it.
///
/// - Source: PostgreSQL's `json.c` (array_to_json_internal, composite_to_json).
sealed interface NestedJson {
    /// Appends a row's value, `null` where it is NULL.
    void append(int row, StringBuilder out);

    /// - Errors: none; what no member has is `null`.
    record Nothing() implements NestedJson {
        @Override
        public void append(int row, StringBuilder out) {
            out.append("null");
        }
    }

    record Values(Column column, JsonShape.Value shape) implements NestedJson {
        @Override
        public void append(int row, StringBuilder out) {
            JsonForm form = shape.form();
            String text = text(column, row);
            if (text == null || form == null) {
                out.append(text);
            } else {
                form.append(text, false, out);
            }
        }

        /// Null for NULL.
        static String text(Column column, int row) {
            boolean isPresent = column.validity().isPresent(row)
                    && !(column instanceof DictionaryColumn coded
                            && !coded.dictionary().values().validity().isPresent(coded.code(row)));
            if (!isPresent) {
                return null;
            }
            TextBuffer text = new TextBuffer();
            PgText.append(column, row, text);
            return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
        }
    }

    record Elements(ListRows lists, NestedJson elements) implements NestedJson {
        @Override
        public void append(int row, StringBuilder out) {
            if (!lists.validity().isPresent(row)) {
                out.append("null");
                return;
            }
            out.append('[');
            int start = lists.offsets()[row];
            for (int index = start; index < lists.end(row); index++) {
                out.append(index == start ? "" : ",");
                elements.append(index, out);
            }
            out.append(']');
        }
    }

    record Members(Validity validity, List<String> names, List<NestedJson> members) implements NestedJson {
        @Override
        public void append(int row, StringBuilder out) {
            if (!validity.isPresent(row)) {
                out.append("null");
                return;
            }
            for (int member = 0; member < members.size(); member++) {
                out.append(member == 0 ? '{' : ',');
                JsonStrings.append(names.get(member), out);
                out.append(':');
                members.get(member).append(row, out);
            }
            out.append(members.isEmpty() ? "{}" : "}");
        }
    }

    record Pairs(ListRows lists, Values keys, NestedJson values) implements NestedJson {
        @Override
        public void append(int row, StringBuilder out) {
            if (!lists.validity().isPresent(row)) {
                out.append("null");
                return;
            }
            out.append('{');
            int start = lists.offsets()[row];
            for (int index = start; index < lists.end(row); index++) {
                out.append(index == start ? "" : ",");
                String key = Values.text(keys.column(), index);
                JsonStrings.append(
                        key == null
                                ? ""
                                : keys.shape().form() == null
                                        ? key
                                        : keys.shape().form().plain(key),
                        out);
                out.append(':');
                values.append(index, out);
            }
            out.append('}');
        }
    }
}
