package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The numbered slots of one plan's constants and parameters; equal ones share a slot.
public final class Slots {
    private final List<Slot> slots = new ArrayList<>();
    private final Map<Slot, Integer> numbers = new HashMap<>();
    private final Map<Lifted, Integer> lifted = new LinkedHashMap<>();

    /// Each has a slot of its own, whatever others hold the same value.
    private record Lifted(LiftedLiteral literal, DataType type) {}

    public int constant(Literal literal) {
        return number(new Slot.Constant(literal));
    }

    /// @param number 1-based, as in `$1`
    public int parameter(int number, DataType type) {
        return number(new Slot.Parameter(number, type));
    }

    /// The slot of a literal that may have another value in another statement.
    ///
    /// - Returns: -1 where the type does not have its value.
    int lifted(LiftedLiteral literal, DataType type) {
        Lifted key = new Lifted(literal, type);
        Integer known = lifted.get(key);
        if (known != null) {
            return known;
        }
        Literal value = SlotFill.valueOf(literal.literal(), type);
        if (value == null) {
            return -1;
        }
        slots.add(new Slot.Constant(value));
        lifted.put(key, slots.size() - 1);
        return slots.size() - 1;
    }

    /// The slots of [#lifted(LiftedLiteral, DataType)].
    List<SlotFill> fills() {
        return lifted.entrySet().stream()
                .map(each -> new SlotFill(
                        each.getValue(), each.getKey().literal(), each.getKey().type()))
                .toList();
    }

    private int number(Slot slot) {
        Integer known = numbers.get(slot);
        if (known != null) {
            return known;
        }
        slots.add(slot);
        numbers.put(slot, slots.size() - 1);
        return slots.size() - 1;
    }

    public Slot get(int number) {
        return slots.get(number);
    }

    public List<Slot> all() {
        return slots;
    }
}
