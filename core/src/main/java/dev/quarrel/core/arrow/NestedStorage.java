package dev.quarrel.core.arrow;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;

/// Which lists, structs and maps of a file are had as such ([dev.quarrel.core.column.NestedColumn]), and not as their
/// texts alone.
final class NestedStorage {
    private NestedStorage() {}

    /// Null for values that are no lists or structs, and for those that have a text alone, or have such within them:
    /// ranges, vectors, hstores, hexadecimal bytes, numerics each with a scale of its own, list views, and lists
    /// that lie in a dictionary or in runs. Unions within others are their texts.
    static NestedType type(Storage storage) {
        return storage instanceof Storage.Listed || storage instanceof Storage.Structured ? within(storage) : null;
    }

    private static NestedType within(Storage storage) {
        return switch (storage) {
            case Storage.Fixed(DataType type) -> leaf(type);
            case Storage.Widened(Widening _, DataType type) -> leaf(type);
            case Storage.Bits _ -> leaf(DataType.BOOL);
            case Storage.Text(DataType type, boolean _, PgType holds) -> new NestedType.Leaf(holds, type);
            case Storage.TextViews(DataType type) -> leaf(type);
            case Storage.FixedBytes _ -> leaf(DataType.BINARY);
            case Storage.Coded(DataType type, long _, int _) -> leaf(type);
            case Storage.AllNull _, Storage.OneOf _ -> NestedType.TEXT;
            case Storage.Runs(int _, Storage values) -> values.isFlat() ? within(values) : null;
            case Storage.Gathered(Storage values, long _, int _) -> values.isFlat() ? within(values) : null;
            case Storage.Listed listed -> lists(listed);
            case Storage.Structured(List<String> names, List<Storage> members, boolean isRange) ->
                isRange ? null : composite(names, members);
            case Storage.ListedViews _,
                    Storage.HexBytes _,
                    Storage.UnscaledAndScale _,
                    Storage.Spread _,
                    Storage.Json _,
                    Storage.Unreadable _ -> null;
        };
    }

    private static NestedType leaf(DataType type) {
        return new NestedType.Leaf(PgType.of(type), type);
    }

    private static NestedType lists(Storage.Listed listed) {
        return switch (listed.form()) {
            case ARRAY, DIMENSIONS -> {
                NestedType element = within(listed.element());
                yield element == null ? null : new NestedType.Array(element, 1);
            }
            case MAP -> {
                List<Storage> members = ((Storage.Structured) listed.element()).members();
                NestedType key = within(members.getFirst());
                NestedType value = within(members.getLast());
                yield key == null || value == null ? null : new NestedType.Pairs(key, value);
            }
            case RANGES, VECTOR, HSTORE -> null;
        };
    }

    private static NestedType composite(List<String> names, List<Storage> members) {
        List<NestedType.Member> types = new ArrayList<>();
        for (int member = 0; member < names.size(); member++) {
            NestedType type = within(members.get(member));
            if (type == null) {
                return null;
            }
            types.add(new NestedType.Member(names.get(member), type));
        }
        return new NestedType.Composite(types);
    }
}
