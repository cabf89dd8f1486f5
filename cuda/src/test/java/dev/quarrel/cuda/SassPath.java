package dev.quarrel.cuda;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Counts what an instruction of the interpreter takes of the machine's: the longest way through the machine code from
/// where the instruction is fetched to where the next one is.
///
/// The instruction's words are known, so branches on its opcode and flags are followed as they go; where a branch
/// depends on data, the longer way counts. An instruction that a predicate turns off counts: it is issued. What leaves
/// for the next tile counts for END alone; lanes that a collective finds apart (`BRA.DIV`) do not.
final class SassPath {
    private static final Pattern LINE =
            Pattern.compile("^\\s*/\\*([0-9a-f]{4,})\\*/\\s+(?:@(!?)(U?P\\w+)\\s+)?([A-Z][\\w.]*)\\s*([^;]*);");
    private static final Pattern HEX = Pattern.compile("(-?)0x([0-9a-f]+)");
    private static final Pattern REGISTER = Pattern.compile("(U?R)(\\d+)");
    private static final Pattern PREDICATE = Pattern.compile("U?P\\d");
    private static final int FETCHED_WORDS = 4;
    private static final int NOWHERE = Integer.MIN_VALUE / 2;

    private record Code(int address, boolean isNegated, String guard, String op, List<String> operands) {
        String base() {
            int dot = op.indexOf('.');
            return dot < 0 ? op : op.substring(0, dot);
        }
    }

    private record Place(int address, Map<String, Integer> known) {}

    private final List<Code> codes = new ArrayList<>();
    private final Map<Integer, Integer> indexOf = new HashMap<>();
    private final int fetch;
    private final Map<List<Integer>, Integer> counted = new HashMap<>();

    private int[] words;
    private int tileBranch = -1; // where it is decided whether there is a next tile
    private int undecided = -1;
    private Map<Place, Integer> lengths;
    private Set<Place> open;

    /// @param lines of the disassembled kernel
    SassPath(List<String> lines) {
        for (String line : lines) {
            Matcher found = LINE.matcher(line);
            if (found.find()) {
                List<String> operands = new ArrayList<>();
                for (String operand : found.group(5).split(",")) {
                    if (!operand.isBlank()) {
                        operands.add(operand.strip().replace(".reuse", ""));
                    }
                }
                indexOf.put(Integer.parseInt(found.group(1), 16), codes.size());
                codes.add(new Code(
                        Integer.parseInt(found.group(1), 16),
                        "!".equals(found.group(2)),
                        found.group(3),
                        found.group(4),
                        operands));
            }
        }
        // The interpreter fetches an instruction by one load of 16 bytes; nothing before it is loaded so.
        this.fetch = codes.stream()
                .filter(code -> code.op().equals("LDS.128"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no instruction is fetched"))
                .address();
        count(new int[FETCHED_WORDS], true);
        this.tileBranch = undecided;
        counted.clear();
    }

    /// Machine instructions for one of the interpreter's, of a tile.
    ///
    /// @param instruction its four words
    /// @param isEnd whether it ends the tile: then the start of the next one counts too
    int count(int[] instruction, boolean isEnd) {
        List<Integer> key = Arrays.stream(instruction).boxed().toList();
        Integer known = counted.get(key);
        if (known != null) {
            return known;
        }
        words = instruction;
        lengths = new HashMap<>();
        open = new HashSet<>();
        undecided = -1;
        int length = follow(new Place(fetch, Map.of()), true, isEnd);
        if (length <= 0) {
            throw new IllegalStateException("no way back from opcode " + (instruction[0] & 0xFFFF));
        }
        counted.put(key, length);
        return length;
    }

    /// Instructions from a place to the next fetch, at most.
    private int follow(Place from, boolean isFirst, boolean isEnd) {
        if (!isFirst && from.address() == fetch) {
            return 0;
        }
        Integer known = lengths.get(from);
        if (known != null) {
            return known;
        }
        if (!open.add(from)) {
            return NOWHERE; // a loop is gone through once
        }
        int length = straight(from, isFirst, isEnd);
        open.remove(from);
        lengths.put(from, length);
        return length;
    }

    private int straight(Place from, boolean isFirst, boolean isEnd) {
        Map<String, Integer> values = new HashMap<>(from.known());
        int count = 0;
        for (int index = indexOf.get(from.address()); ; index++) {
            Code code = codes.get(index);
            if (code.address() == fetch && !(isFirst && count == 0)) {
                return count;
            }
            Integer guard = guard(code, values);
            count++;
            switch (code.base()) {
                case "EXIT" -> {
                    if (guard != null && guard != 0) {
                        return NOWHERE;
                    }
                }
                case "BRX", "JMX" -> throw new IllegalStateException("a jump by table at " + code.address());
                case "BRA" -> {
                    if (code.op().equals("BRA.DIV") || guard != null && guard == 0) {
                        continue;
                    }
                    int target = (int) (long) Long.decode(code.operands().getLast());
                    if (guard != null && code.operands().size() == 1) {
                        return count + follow(new Place(target, Map.copyOf(values)), false, isEnd);
                    }
                    undecided = undecided < 0 ? code.address() : undecided;
                    if (code.address() == tileBranch && !isEnd) {
                        return NOWHERE;
                    }
                    return count + either(code, target, codes.get(index + 1).address(), values, isEnd);
                }
                case "BSSY", "BSYNC", "WARPSYNC", "NOP", "BAR", "YIELD" -> {}
                default -> {
                    if (code.address() == fetch) {
                        int register =
                                Integer.parseInt(code.operands().getFirst().substring(1));
                        for (int word = 0; word < FETCHED_WORDS; word++) {
                            values.put("R" + (register + word), words[word]);
                        }
                    } else if (guard == null || guard != 0) {
                        Map<String, Integer> made = new SassStep(values).run(code.op(), code.operands());
                        made.forEach((name, value) -> {
                            if (value == null || guard == null) {
                                values.remove(name);
                            } else {
                                values.put(name, value);
                            }
                        });
                    }
                }
            }
        }
    }

    private int either(Code branch, int target, int next, Map<String, Integer> values, boolean isEnd) {
        Map<String, Integer> taken = new HashMap<>(values);
        Map<String, Integer> passed = new HashMap<>(values);
        if (branch.guard() != null
                && PREDICATE.matcher(branch.guard()).matches()
                && branch.operands().size() == 1) {
            taken.put(branch.guard(), branch.isNegated() ? 0 : 1);
            passed.put(branch.guard(), branch.isNegated() ? 1 : 0);
        }
        return Math.max(
                follow(new Place(target, Map.copyOf(taken)), false, isEnd),
                follow(new Place(next, Map.copyOf(passed)), false, isEnd));
    }

    /// 1 if the instruction acts, 0 if not, null where that depends on data.
    private static Integer guard(Code code, Map<String, Integer> values) {
        if (code.guard() == null) {
            return 1;
        }
        Integer value = code.guard().endsWith("PT") ? Integer.valueOf(1) : values.get(code.guard());
        return value == null ? null : Integer.valueOf(code.isNegated() ? 1 - value : value);
    }

    /// What an instruction makes of values that are known: registers and, as 0 or 1, predicates.
    ///
    /// @param values by name
    private record SassStep(Map<String, Integer> values) {
        /// @return what is written; null for what is not known
        Map<String, Integer> run(String op, List<String> operands) {
            Map<String, Integer> made = new HashMap<>();
            String base = op.contains(".") ? op.substring(0, op.indexOf('.')) : op;
            switch (base) {
                case "ISETP" -> {
                    made.put(operands.get(0), compare(op, operands));
                    made.put(operands.get(1), null);
                }
                case "LOP3" -> logic(operands, made);
                case "PLOP3" -> {
                    made.put(operands.get(1), null);
                    List<Integer> inputs =
                            operands.subList(2, 5).stream().map(this::truth).toList();
                    made.put(operands.get(0), table(inputs, (int) (long) Long.decode(operands.get(5)), 1));
                }
                case "MOV", "UMOV", "R2UR" -> made.put(operands.get(0), value(operands.get(1)));
                case "PRMT" -> made.put(operands.get(0), permute(operands));
                case "SHF" -> {
                    Integer shift = value(operands.get(2));
                    Integer from = value(operands.get(3));
                    boolean isPlain = op.equals("SHF.R.U32.HI") && shift != null && from != null;
                    made.put(operands.get(0), isPlain ? Integer.valueOf(from >>> (shift & 31)) : null);
                }
                case "R2P" -> bits(operands, made);
                case "SEL" -> {
                    Integer first = truth(operands.get(3));
                    made.put(operands.get(0), first == null ? null : value(operands.get(first != 0 ? 1 : 2)));
                }
                default -> {
                    if (op.equals("IMAD.MOV.U32")) {
                        made.put(operands.get(0), value(operands.get(3)));
                    } else {
                        forget(op, base, operands, made);
                    }
                }
            }
            made.remove("PT");
            made.remove("RZ");
            return made;
        }

        /// A byte's bits as predicates: `R2P PR, R8.B2, mask`.
        private void bits(List<String> operands, Map<String, Integer> made) {
            String[] source = operands.get(1).split("\\.B");
            Integer value = value(source[0]);
            int first = source.length < 2 ? 0 : Byte.SIZE * Integer.parseInt(source[1]);
            int mask = operands.size() < 3 ? 0x7F : (int) (long) Long.decode(operands.get(2));
            for (int bit = 0; bit < Byte.SIZE - 1; bit++) {
                if ((mask >> bit & 1) != 0) {
                    made.put("P" + bit, value == null ? null : Integer.valueOf(value >>> first + bit & 1));
                }
            }
        }

        private static void forget(String op, String base, List<String> operands, Map<String, Integer> made) {
            for (int index = 0; index < Math.min(3, operands.size()); index++) {
                String operand = operands.get(index);
                Matcher register = REGISTER.matcher(operand);
                if (PREDICATE.matcher(operand).matches()) {
                    made.put(operand, null);
                } else if (register.matches()) {
                    boolean isPair = op.contains("64") || op.contains("WIDE") || base.equals("CS2R");
                    int count = op.contains(".128") ? 4 : isPair ? 2 : 1;
                    for (int at = 0; at < count; at++) {
                        made.put(register.group(1) + (Integer.parseInt(register.group(2)) + at), null);
                    }
                    if (index > 0) {
                        return;
                    }
                    // Predicates may follow the register.
                    index = operands.size() > 1
                                    && PREDICATE.matcher(operands.get(1)).matches()
                            ? index
                            : 3;
                }
            }
        }

        private Integer value(String operand) {
            if (operand.equals("RZ") || operand.equals("URZ")) {
                return 0;
            }
            Matcher number = HEX.matcher(operand);
            if (number.matches()) {
                int magnitude = (int) Long.parseLong(number.group(2), 16);
                return number.group(1).isEmpty() ? magnitude : -magnitude;
            }
            return values.get(operand);
        }

        private Integer truth(String operand) {
            boolean isNegated = operand.startsWith("!");
            String name = isNegated ? operand.substring(1) : operand;
            Integer value = name.endsWith("PT") ? Integer.valueOf(1) : values.get(name);
            return value == null ? null : Integer.valueOf(isNegated ? 1 - value : value);
        }

        private Integer compare(String op, List<String> operands) {
            List<String> parts = List.of(op.split("\\."));
            Integer x = value(operands.get(2));
            Integer y = value(operands.get(3));
            Integer also = truth(operands.get(4));
            boolean isAnd = parts.contains("AND");
            if (x == null || y == null || parts.contains("EX")) {
                boolean decides = also != null && !parts.contains("EX") && (isAnd ? also == 0 : also == 1);
                return decides ? also : null;
            }
            int order = parts.contains("U32") ? Integer.compareUnsigned(x, y) : Integer.compare(x, y);
            boolean holds =
                    switch (parts.get(1)) {
                        case "GT" -> order > 0;
                        case "GE" -> order >= 0;
                        case "LT" -> order < 0;
                        case "LE" -> order <= 0;
                        case "EQ" -> order == 0;
                        case "NE" -> order != 0;
                        default -> throw new IllegalStateException("what is " + op);
                    };
            if (isAnd) {
                return holds ? also : Integer.valueOf(0);
            }
            return holds ? Integer.valueOf(1) : also;
        }

        /// A table of eight truths, bit by bit, with one or two results: `LOP3 [P,] R, a, b, c, table, …`.
        private void logic(List<String> operands, Map<String, Integer> made) {
            int at = PREDICATE.matcher(operands.getFirst()).matches()
                            || operands.getFirst().equals("PT")
                    ? 1
                    : 0;
            List<Integer> inputs =
                    operands.subList(at + 1, at + 4).stream().map(this::value).toList();
            Integer result = table(inputs, (int) (long) Long.decode(operands.get(at + 4)), -1);
            made.put(operands.get(at), result);
            if (at == 1) {
                made.put(operands.getFirst(), result == null ? null : Integer.valueOf(result != 0 ? 1 : 0));
            }
        }

        /// @param ones what stands for true in all bits
        private static Integer table(List<Integer> inputs, int table, int ones) {
            Integer only = null;
            for (int choice = 0; choice < 8; choice++) {
                int number = choice;
                IntUnaryOperator input =
                        place -> inputs.get(place) != null ? inputs.get(place) : (number >> place & 1) != 0 ? ones : 0;
                int result = 0;
                for (int row = 0; row < 8; row++) {
                    if ((table >> row & 1) != 0) {
                        int a = input.applyAsInt(0);
                        int b = input.applyAsInt(1);
                        int c = input.applyAsInt(2);
                        result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
                    }
                }
                result &= ones;
                if (only != null && only != result) {
                    return null;
                }
                only = result;
            }
            return only;
        }

        private Integer permute(List<String> operands) {
            Integer low = value(operands.get(1));
            Integer selector = value(operands.get(2));
            Integer high = value(operands.get(3));
            if (low == null || selector == null || high == null) {
                return null;
            }
            long bytes = (low & 0xFFFF_FFFFL) | (long) high << 32;
            int result = 0;
            for (int at = 0; at < 4; at++) {
                int choice = selector >> 4 * at & 15;
                int value = (int) (bytes >>> 8 * (choice & 7)) & 0xFF;
                boolean isSign = (choice & 8) != 0;
                result |= (isSign ? (value & 0x80) != 0 ? 0xFF : 0 : value) << 8 * at;
            }
            return result;
        }
    }

    /// Lines that belong to a kernel, of all that were disassembled.
    static List<String> kernel(List<String> lines, String name) {
        Deque<String> found = new ArrayDeque<>();
        boolean isIt = false;
        for (String line : lines) {
            if (line.contains("Function : ")) {
                isIt = line.strip().endsWith("Function : " + name);
            } else if (isIt) {
                found.add(line);
            }
        }
        return List.copyOf(found);
    }
}
