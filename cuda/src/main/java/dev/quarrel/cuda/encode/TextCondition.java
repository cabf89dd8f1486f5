package dev.quarrel.cuda.encode;

import dev.quarrel.core.cpu.text.LikeMatcher;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.vm.VmOpcode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/// A condition on text without a dictionary: an instruction, and what it compares the text with.
///
/// @param input of the source
/// @param texts their bytes, as characters up to 255
record TextCondition(VmOpcode op, int input, List<String> texts, boolean isNegated, boolean ignoresCase) {
    // Bytes of no text.
    private static final char ANY_RUN = 0xFE;
    private static final char ANY_CHARACTER = 0xFF;
    private static final Comparator<String> BY_LENGTH =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    /// Makes tests of a program's conditions.
    ///
    /// @param input whose text they are of
    record Maker(Body body, Facts facts, int input) {
        /// - Errors: [NoKernel] for constants that make no test.
        ///
        /// @return null for what is none, while its parts may be some
        TextCondition of(int register) {
            Instruction made = body.writer[register];
            return switch (made.op()) {
                case NOT -> negated(of(made.arguments().getFirst()));
                case OR, AND ->
                    together(of(made.arguments().get(0)), of(made.arguments().get(1)), made.op() == Opcode.AND);
                case EQ_UTF8, NE_UTF8, LT_UTF8, LE_UTF8, GT_UTF8, GE_UTF8 -> compared(made);
                case LIKE, ILIKE -> like(made);
                default -> null;
            };
        }

        private TextCondition compared(Instruction made) {
            int left = made.arguments().get(0);
            int right = made.arguments().get(1);
            boolean isReversed = isConstant(left);
            if (!isText(isReversed ? right : left) || !isConstant(isReversed ? left : right)) {
                return null;
            }
            List<String> texts = List.of(bytes(constant(isReversed ? left : right)));
            Relation relation = made.op().relation();
            return switch (isReversed ? relation.turned() : relation) {
                case EQ -> test(VmOpcode.TEXT_EQUAL, texts, false);
                case NE -> test(VmOpcode.TEXT_EQUAL, texts, true);
                case LT -> test(VmOpcode.TEXT_LESS, texts, false);
                case LE -> test(VmOpcode.TEXT_LESS_EQUAL, texts, false);
                case GT -> test(VmOpcode.TEXT_LESS_EQUAL, texts, true);
                case GE -> test(VmOpcode.TEXT_LESS, texts, true);
            };
        }

        private TextCondition like(Instruction made) {
            int pattern = made.arguments().get(1);
            int escape = made.arguments().get(2);
            if (!isText(made.arguments().get(0)) || !isConstant(pattern) || !isConstant(escape)) {
                return null;
            }
            boolean ignoresCase = made.op() == Opcode.ILIKE;
            LikeMatcher matcher;
            try {
                matcher = LikeMatcher.of(constant(pattern), constant(escape), ignoresCase);
            } catch (QueryException _) {
                throw new NoKernel("a pattern with such an escape has no CUDA kernel"); // the CPU raises it
            }
            byte[][] segments = matcher.segments();
            if (segments != null) {
                List<String> texts = new ArrayList<>();
                for (byte[] segment : segments) {
                    texts.add(new String(segment, StandardCharsets.ISO_8859_1));
                }
                return test(texts.size() == 1 ? VmOpcode.TEXT_EQUAL : VmOpcode.TEXT_LIKE, texts, false);
            }
            StringBuilder tokens = new StringBuilder();
            for (int token : matcher.tokens()) {
                switch (token) {
                    case LikeMatcher.ANY_RUN -> tokens.append(ANY_RUN);
                    case LikeMatcher.ANY_CHARACTER -> tokens.append(ANY_CHARACTER);
                    case LikeMatcher.LONE_ESCAPE ->
                        throw new NoKernel("a pattern that ends with its escape has no CUDA kernel");
                    default -> tokens.append((char) token);
                }
            }
            return new TextCondition(VmOpcode.TEXT_MATCH, input, List.of(tokens.toString()), false, ignoresCase);
        }

        private TextCondition test(VmOpcode op, List<String> texts, boolean isNegated) {
            return new TextCondition(op, input, texts, isNegated, false);
        }

        private boolean isText(int register) {
            return body.writer[register].op() == Opcode.LOAD;
        }

        private boolean isConstant(int register) {
            return body.writer[register].op() == Opcode.CONST;
        }

        private String constant(int register) {
            Object value = facts.slotValue(body.writer[register].immediate()).value();
            if (value == null) {
                throw new NoKernel("text compared with NULL has no CUDA kernel");
            }
            return (String) value;
        }
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static TextCondition negated(TextCondition test) {
        return test == null
                ? null
                : new TextCondition(test.op, test.input, test.texts, !test.isNegated, test.ignoresCase);
    }

    /// Equal to one or the other; or, for AND, to neither.
    private static TextCondition together(TextCondition one, TextCondition other, boolean isAnd) {
        for (TextCondition test : Arrays.asList(one, other)) {
            if (test == null || test.op != VmOpcode.TEXT_EQUAL || test.isNegated != isAnd) {
                return null;
            }
        }
        TreeSet<String> texts = new TreeSet<>(BY_LENGTH);
        texts.addAll(one.texts);
        texts.addAll(other.texts);
        return new TextCondition(one.op, one.input, List.copyOf(texts), isAnd, false);
    }
}
