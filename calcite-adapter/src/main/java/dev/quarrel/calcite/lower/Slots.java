package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The numbered slots of one plan's constants and parameters; equal ones share a slot.
public final class Slots {
    private final List<Slot> slots = new ArrayList<>();
    private final Map<Slot, Integer> numbers = new HashMap<>();

    public int constant(Literal literal) {
        return number(new Slot.Constant(literal));
    }

    /// @param number 1-based, as in `$1`
    public int parameter(int number, DataType type) {
        return number(new Slot.Parameter(number, type));
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
