package dev.quarrel.core.arrow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Which members the texts of a column's structs have, and in which order, though a file may have them in another one,
/// or not all of them: those are NULL. Of a column of lists it says so of their elements.
///
/// @param members one a name: the same of its values; null for what is no struct, nor holds any
public record MemberOrder(List<String> names, List<MemberOrder> members) {
    public MemberOrder {
        names = List.copyOf(names);
        if (names.size() != members.size()) {
            throw new IllegalArgumentException(names + " and " + members);
        }
    }

    /// That of a file's column; null where no text of its values is that of a struct. Of a map's pairs, and of a struct
    /// two members of which have one name, the order is the file's, whatever that of others.
    public static MemberOrder of(Storage storage) {
        return switch (storage) {
            case Storage.Structured structured -> isReordered(structured) ? of(structured) : null;
            case Storage.Listed(Storage element, int _, Storage.ListForm form) -> form.hasOrder() ? of(element) : null;
            case Storage.ListedViews(Storage element, int _) -> of(element);
            case Storage.Runs(int _, Storage values) -> of(values);
            case Storage.Spread(Storage values) -> of(values);
            case Storage.Json(Storage values, JsonShape _) -> of(values);
            default -> null;
        };
    }

    private static MemberOrder of(Storage.Structured structured) {
        List<MemberOrder> members = new ArrayList<>();
        structured.members().forEach(member -> members.add(of(member)));
        return new MemberOrder(structured.names(), members);
    }

    static boolean isReordered(Storage.Structured structured) {
        return !structured.isRange()
                && structured.names().stream().distinct().count()
                        == structured.names().size();
    }

    /// Those of one order, and behind them those that another one has alone.
    ///
    /// @param one may be null, as may be the other
    public static MemberOrder merged(MemberOrder one, MemberOrder other) {
        if (one == null || other == null || one.equals(other)) {
            return one == null ? other : one;
        }
        Map<String, MemberOrder> members = new LinkedHashMap<>();
        for (MemberOrder each : List.of(one, other)) {
            for (int index = 0; index < each.names().size(); index++) {
                String name = each.names().get(index);
                members.put(name, merged(members.get(name), each.members().get(index)));
            }
        }
        return new MemberOrder(List.copyOf(members.keySet()), new ArrayList<>(members.values()));
    }

    /// The order of a member's values; null where they have none.
    public MemberOrder of(String name) {
        int index = names.indexOf(name);
        return index < 0 ? null : members.get(index);
    }
}
