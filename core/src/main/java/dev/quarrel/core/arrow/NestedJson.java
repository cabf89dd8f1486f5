package dev.quarrel.core.arrow;

import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import java.util.List;

/// Values that have been read, and become JSON a row at a time, as PostgreSQL's `to_json` writes it.
///
/// - Source: PostgreSQL's `json.c` (array_to_json_internal, composite_to_json).
sealed interface NestedJson {
    /// Appends a row's value, `null` where it is NULL.
    void append(int row, TextBuffer out);

    /// What no struct has as a member.
    record Nothing() implements NestedJson {
        @Override
        public void append(int row, TextBuffer out) {
            out.appendAscii("null");
        }
    }

    /// Values that are not taken apart any further.
    final class Values implements NestedJson {
        private final Column column;
        private final JsonForm form; // null for documents
        private final TextBuffer text = new TextBuffer();

        Values(Column column, JsonShape.Value shape) {
            this.column = column;
            this.form = shape.form();
        }

        @Override
        public void append(int row, TextBuffer out) {
            if (!isPresent(row)) {
                out.appendAscii("null");
            } else if (form == null || form == JsonForm.BARE) {
                PgText.append(column, row, out);
            } else if (form == JsonForm.TEXT) {
                text.clear();
                PgText.append(column, row, text);
                appendString(text, out);
            } else {
                text.clear();
                PgText.append(column, row, text);
                StringBuilder document = new StringBuilder();
                form.append(text.toString(), false, document);
                out.append(document.toString());
            }
        }

        /// Appends a row's value as the key of a member; a NULL is an empty one.
        void appendKey(int row, TextBuffer out) {
            text.clear();
            if (isPresent(row)) {
                PgText.append(column, row, text);
            }
            if (form == null || form == JsonForm.BARE || form == JsonForm.TEXT) {
                appendString(text, out);
            } else {
                StringBuilder key = new StringBuilder();
                JsonStrings.append(form.plain(text.toString()), key);
                out.append(key.toString());
            }
        }

        private static void appendString(TextBuffer text, TextBuffer out) {
            out.append('"');
            for (int index = 0; index < text.length(); index++) {
                byte each = text.array()[index];
                if (each == '"' || each == '\\' || each >= 0 && each < ' ') {
                    StringBuilder escaped = new StringBuilder();
                    JsonStrings.append(String.valueOf((char) each), escaped);
                    out.appendAscii(escaped.substring(1, escaped.length() - 1));
                } else {
                    out.append(each);
                }
            }
            out.append('"');
        }

        private boolean isPresent(int row) {
            return column.validity().isPresent(row)
                    && !(column instanceof DictionaryColumn coded
                            && !coded.dictionary().values().validity().isPresent(coded.code(row)));
        }
    }

    record Elements(ListRows lists, NestedJson elements) implements NestedJson {
        @Override
        public void append(int row, TextBuffer out) {
            if (!lists.validity().isPresent(row)) {
                out.appendAscii("null");
                return;
            }
            out.append('[');
            int start = lists.offsets()[row];
            for (int index = start; index < lists.end(row); index++) {
                if (index > start) {
                    out.append(',');
                }
                elements.append(index, out);
            }
            out.append(']');
        }
    }

    /// @param names each as JSON's string
    record Members(Validity validity, List<String> names, List<NestedJson> members) implements NestedJson {
        static Members of(Validity validity, List<String> names, List<NestedJson> members) {
            List<String> strings = names.stream()
                    .map(name -> {
                        StringBuilder string = new StringBuilder();
                        JsonStrings.append(name, string);
                        return string.append(':').toString();
                    })
                    .toList();
            return new Members(validity, strings, members);
        }

        @Override
        public void append(int row, TextBuffer out) {
            if (!validity.isPresent(row)) {
                out.appendAscii("null");
                return;
            }
            out.append('{');
            for (int member = 0; member < members.size(); member++) {
                if (member > 0) {
                    out.append(',');
                }
                out.append(names.get(member));
                members.get(member).append(row, out);
            }
            out.append('}');
        }
    }

    record Pairs(ListRows lists, Values keys, NestedJson values) implements NestedJson {
        @Override
        public void append(int row, TextBuffer out) {
            if (!lists.validity().isPresent(row)) {
                out.appendAscii("null");
                return;
            }
            out.append('{');
            int start = lists.offsets()[row];
            for (int index = start; index < lists.end(row); index++) {
                if (index > start) {
                    out.append(',');
                }
                keys.appendKey(index, out);
                out.append(':');
                values.append(index, out);
            }
            out.append('}');
        }
    }
}
