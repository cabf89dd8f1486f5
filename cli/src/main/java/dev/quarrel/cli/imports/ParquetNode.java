package dev.quarrel.cli.imports;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import java.util.List;

/// A column of a Parquet file that has lists or structs, or what is within one.
///
/// What its leaves say of a value is its definition level: how many of the optional and repeated fields on the way
/// there are. A field is there where that is at least the field's own level.
///
/// - Source: Apache Parquet, "Nested Encoding".
sealed interface ParquetNode {
    /// The definition level from which it is there, and not NULL.
    int level();

    /// A column of the file whose levels say where its values are and which of them are NULL.
    int leaf();

    /// The type of the lists or structs that it becomes.
    NestedType type();

    /// How many fields there are from it down to the deepest value.
    int depth();

    /// @param leaf its number among the file's columns
    record Values(int level, int leaf, ParquetColumn column) implements ParquetNode {
        @Override
        public NestedType type() {
            return new NestedType.Leaf(
                    PgType.of(column.field().type()), column.field().type());
        }

        @Override
        public int depth() {
            return 1;
        }
    }

    /// @param elementLevel the definition level from which there is an element, be it NULL
    /// @param repetition the repetition level of an element that is not the first
    record Lists(int level, int elementLevel, int repetition, ParquetNode element) implements ParquetNode {
        @Override
        public int leaf() {
            return element.leaf();
        }

        @Override
        public NestedType type() {
            return new NestedType.Array(element.type(), 1);
        }

        @Override
        public int depth() {
            return 1 + element.depth();
        }
    }

    /// @param entries structs of a key and a value, of which none is NULL
    record Maps(Lists entries) implements ParquetNode {
        @Override
        public int level() {
            return entries.level();
        }

        @Override
        public int leaf() {
            return entries.leaf();
        }

        @Override
        public NestedType type() {
            List<Member> members = ((Structs) entries.element()).members();
            return new NestedType.Pairs(
                    members.getFirst().node().type(), members.getLast().node().type());
        }

        @Override
        public int depth() {
            return entries.depth();
        }
    }

    /// @param members one at least
    record Structs(int level, List<Member> members) implements ParquetNode {
        public Structs {
            members = List.copyOf(members);
        }

        @Override
        public int leaf() {
            return members.getFirst().node().leaf();
        }

        @Override
        public NestedType type() {
            return new NestedType.Composite(members.stream()
                    .map(member ->
                            new NestedType.Member(member.name(), member.node().type()))
                    .toList());
        }

        @Override
        public int depth() {
            return 1
                    + members.stream()
                            .mapToInt(member -> member.node().depth())
                            .max()
                            .orElseThrow();
        }
    }

    record Member(String name, ParquetNode node) {}
}
