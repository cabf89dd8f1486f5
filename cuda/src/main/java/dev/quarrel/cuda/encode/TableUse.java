package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Program;
import dev.quarrel.cuda.vm.TableKind;
import java.util.List;

/// The content of a table that a program reads.
public sealed interface TableUse {
    TableKind kind();

    /// The join whose keys are looked up here, or -1.
    default int keysOf() {
        return -1;
    }

    /// The keys of a build side.
    record KeySet(int join) implements TableUse {
        @Override
        public int keysOf() {
            return join;
        }

        @Override
        public TableKind kind() {
            return TableKind.BITS;
        }
    }

    /// By key: what the columns of a build side add to the number of the group.
    record KeyDigits(int join) implements TableUse {
        @Override
        public int keysOf() {
            return join;
        }

        @Override
        public TableKind kind() {
            return TableKind.DENSE;
        }
    }

    /// By key: the build row.
    record KeyRows(int join, boolean isHashed) implements TableUse {
        @Override
        public int keysOf() {
            return join;
        }

        @Override
        public TableKind kind() {
            return isHashed ? TableKind.HASH : TableKind.DENSE;
        }
    }

    /// A table of keys that are less by `by` in the column than in the table.
    record Shifted(TableUse table, long by) implements TableUse {
        @Override
        public int keysOf() {
            return table.keysOf();
        }

        @Override
        public TableKind kind() {
            return table.kind();
        }
    }

    /// By build row: the next one of the same key.
    record NextRow(int join) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.DENSE;
        }
    }

    /// By build row: what its columns add to the number of the group.
    record RowDigits(int join) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.DENSE;
        }
    }

    /// By build row: a column's values.
    record Payload(int join, int column, boolean isWide) implements TableUse {
        @Override
        public TableKind kind() {
            return isWide ? TableKind.ARRAY_64 : TableKind.DENSE;
        }
    }

    /// By build row: whether a column's value is present.
    record PayloadPresent(int join, int column) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.BITS;
        }
    }

    /// The keys of the groups, which the kernel finds.
    ///
    /// @param slots a power of two
    record Groups(int slots) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.GROUPS;
        }
    }

    /// The values of a grouping column, which the kernel finds.
    ///
    /// @param column its number among the keys
    /// @param slots a power of two
    record Keys(int column, int slots) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.GROUPS;
        }
    }

    /// By code of a text column: the hash of the text.
    record TextHashes(int input) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.ARRAY_64;
        }
    }

    /// What texts without a dictionary are compared with.
    ///
    /// @param texts their bytes, as characters up to 255
    record Texts(List<String> texts) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.TEXTS;
        }

        /// The table's words.
        public long[] words() {
            int count = 1 + texts.size();
            for (String text : texts) {
                count += wordsOf(text);
            }
            long[] words = new long[count];
            words[0] = texts.size();
            int at = 1 + texts.size();
            for (int number = 0; number < texts.size(); number++) {
                String text = texts.get(number);
                words[1 + number] = (long) at << Integer.SIZE | text.length();
                for (int index = 0; index < text.length(); index++) {
                    words[at + index / Long.BYTES] |= (long) text.charAt(index) << index % Long.BYTES * Byte.SIZE;
                }
                at += wordsOf(text);
            }
            return words;
        }

        private static int wordsOf(String text) {
            return Math.max(1, (text.length() + Long.BYTES - 1) / Long.BYTES);
        }
    }

    /// The codes of a text column that satisfy a condition.
    ///
    /// @param condition over the one column; its selection is the answer
    record TextSet(int input, Program condition) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.BITS;
        }
    }

    /// An array that is given.
    record Given(int[] values) implements TableUse {
        @Override
        public TableKind kind() {
            return TableKind.DENSE;
        }
    }
}
