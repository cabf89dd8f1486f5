package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.List;

/// Makes one instruction of several, once the code is there.
final class Fusion {
    private Fusion() {}

    /// MULTIPLY whose result is only added up.
    static void fuse(List<VmInstruction> code) {
        for (int at = 0; at + 1 < code.size(); at++) {
            VmInstruction product = code.get(at);
            VmInstruction sum = code.get(at + 1);
            boolean isLast = at + 2 >= code.size() || !usesHand(code.get(at + 2));
            if (product.op() == VmOpcode.MULTIPLY && sum.op() == VmOpcode.OWN_SUM && isLast) {
                code.set(
                        at,
                        new VmInstruction(
                                VmOpcode.OWN_MULTIPLY_SUM,
                                product.flags(),
                                sum.k(),
                                sum.a(),
                                product.b(),
                                product.c()));
                code.remove(at + 1);
            }
        }
    }

    /// Whether an instruction may read the values in hand.
    private static boolean usesHand(VmInstruction instruction) {
        return switch (instruction.op()) {
            case END,
                    MASK_LOAD,
                    MASK_STORE,
                    VALUE_LOAD,
                    VALUE_NULL,
                    LOAD_BOOL,
                    LOAD_U8,
                    LOAD_U16,
                    LOAD_I8,
                    LOAD_I16,
                    LOAD_I24,
                    LOAD_I32,
                    LOAD_I64 -> false;
            default -> true;
        };
    }
}
