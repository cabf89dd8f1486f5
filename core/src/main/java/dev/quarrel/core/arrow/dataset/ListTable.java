package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.List;

/// A table whose lists can be read element by element, where all its files have them alike.
sealed interface ListTable extends Table permits ArrowTable, ElementTable {
    /// Lists of a column, or lists that lie in their elements.
    ///
    /// @param members each of the elements of the lists that the one before is, of which the last is what is
    /// meant; none for the column itself
    record Lists(int column, List<FilePart> members) {
        public Lists {
            members = List.copyOf(members);
        }

        Lists(int column) {
            this(column, List.of());
        }

        /// Lists that are a member of these lists' elements, or lie within those.
        Lists within(FilePart member, List<FilePart> inner) {
            List<FilePart> longer = new ArrayList<>(members);
            longer.add(member);
            longer.addAll(inner);
            return new Lists(column, longer);
        }
    }

    /// What lists hold in all files that have them; null where files differ, or one has them in another way.
    Field elementField(Lists lists);

    /// The members of the structs in lists, in order of first appearance; null where files have one in different types.
    List<FilePart> elementParts(Lists lists);

    /// Where lists are, without their elements.
    ///
    /// - Shape: a row for each of the batch's, of a column; of lists within others a row for each place that
    /// the lists around have elements at.
    ListRows lists(int batch, Lists lists, Allocator memory);

    /// Lists with their elements.
    ///
    /// - Shape: as of [#lists]; lists of a column that the file lacks have no elements, which are null, then,
    /// and so are those of a member that its structs lack.
    ///
    /// @param member of the elements, by its name; null for elements as a whole
    ListRows elements(int batch, Lists lists, FilePart member, Allocator memory);

    /// Bytes that `elements` allocates at most.
    long elementBytes(int batch, Lists lists);
}
