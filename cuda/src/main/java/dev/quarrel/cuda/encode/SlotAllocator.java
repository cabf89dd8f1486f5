package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.VmProgram;
import java.util.BitSet;

/// Slots of shared memory: of values, and of masks.
final class SlotAllocator {
    private final BitSet slots = new BitSet();
    private final BitSet maskSlots = new BitSet();
    private int slotCount;
    private int maskSlotCount;

    int newSlot() {
        int slot = slots.nextClearBit(0);
        if (slot >= VmProgram.MAX_SLOTS) {
            throw new NoKernel("more than " + VmProgram.MAX_SLOTS + " values at a time in a CUDA kernel");
        }
        slots.set(slot);
        slotCount = Math.max(slotCount, slot + 1);
        return slot;
    }

    int newMaskSlots(int count) {
        int slot = maskSlots.nextClearBit(0);
        for (int used = maskSlots.nextSetBit(slot);
                used >= 0 && used < slot + count;
                used = maskSlots.nextSetBit(slot)) {
            slot = maskSlots.nextClearBit(used);
        }
        if (slot + count > VmProgram.MAX_MASK_SLOTS) {
            throw new NoKernel("more than " + VmProgram.MAX_MASK_SLOTS + " masks at a time in a CUDA kernel");
        }
        maskSlots.set(slot, slot + count);
        maskSlotCount = Math.max(maskSlotCount, slot + count);
        return slot;
    }

    void free(int slot) {
        slots.clear(slot);
    }

    void freeMasks(int slot, int count) {
        maskSlots.clear(slot, slot + count);
    }

    /// Slots of values that were in use at a time.
    int count() {
        return slotCount;
    }

    int maskCount() {
        return maskSlotCount;
    }
}
