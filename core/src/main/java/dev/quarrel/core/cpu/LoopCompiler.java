package dev.quarrel.core.cpu;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_short;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Makes hidden classes of loops: one a shape, kept for the next statement of that shape whatever its literals.
///
/// Constants come as scalars, tables as arrays, columns as memory: a shape names them by number only.
final class LoopCompiler {
    /// Shapes kept; the least recently used go first.
    private static final int MAX_SHAPES = 256;

    private static final ClassDesc SEGMENT =
            MemorySegment.class.describeConstable().orElseThrow();
    private static final ClassDesc SEGMENTS = SEGMENT.arrayType();
    private static final ClassDesc OBJECTS = CD_Object.arrayType();
    private static final ClassDesc INTS = CD_int.arrayType();
    private static final ClassDesc LONGS = CD_long.arrayType();
    private static final ClassDesc MATH = LoopMath.class.describeConstable().orElseThrow();
    private static final ClassDesc LOOP = GroupLoop.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc LOOP_TYPE =
            MethodTypeDesc.of(CD_void, INTS, CD_int, CD_long, SEGMENTS, OBJECTS, LONGS, LONGS);

    private static final Map<GroupShape, GroupLoop> LOOPS = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<GroupShape, GroupLoop> eldest) {
            return size() > MAX_SHAPES;
        }
    };

    private LoopCompiler() {}

    /// What a row does to its group's states.
    enum Fold {
        /// 64 bits.
        SUM,
        /// 128 bits, of a long.
        WIDE_SUM,
        MIN,
        MAX;

        int words() {
            return this == WIDE_SUM ? 2 : 1;
        }
    }

    /// @param value an int or a long; WIDE_SUM takes a long
    /// @param at the state's first word after the group's first
    record Update(Fold fold, Term value, int at) {}

    /// A loop's shape.
    ///
    /// @param place the first word of the row's group, or null if there is one group only; that word counts the
    /// rows
    record GroupShape(Term place, List<Update> updates) {
        GroupShape {
            updates = List.copyOf(updates);
        }
    }

    /// The loop of a shape, made at its first use.
    static GroupLoop groups(GroupShape shape) {
        synchronized (LOOPS) {
            return LOOPS.computeIfAbsent(shape, LoopCompiler::define);
        }
    }

    private static GroupLoop define(GroupShape shape) {
        ClassDesc self = ClassDesc.of(LoopCompiler.class.getPackageName(), "CompiledGroups");
        byte[] bytes = ClassFile.of()
                .build(
                        self,
                        type -> type.withSuperclass(LOOP)
                                .withFlags(ClassFile.ACC_FINAL)
                                .withMethodBody(
                                        INIT_NAME,
                                        MTD_void,
                                        0,
                                        code -> code.aload(0)
                                                .invokespecial(LOOP, INIT_NAME, MTD_void)
                                                .return_())
                                .withMethodBody("all", LOOP_TYPE, 0, code -> new Body(code, shape, false).emit())
                                .withMethodBody("some", LOOP_TYPE, 0, code -> new Body(code, shape, true).emit()));
        try {
            MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(bytes, true);
            return (GroupLoop) hidden.lookupClass().getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException problem) {
            throw new IllegalStateException("a compiled loop cannot be made: " + shape, problem);
        }
    }

    /// One method's code.
    private static final class Body {
        // Parameters.
        private static final int ROWS = 1;
        private static final int COUNT = 2;
        private static final int FIRST_ROW = 3;
        private static final int COLUMNS = 5;
        private static final int ARRAYS = 6;
        private static final int SCALARS = 7;
        private static final int STATES = 8;

        private final CodeBuilder code;
        private final GroupShape shape;
        private final boolean isIndexed;
        private final Map<Integer, Integer> columns = new HashMap<>();
        private final Map<Integer, Integer> bases = new HashMap<>();
        private final Map<Integer, Integer> arrays = new HashMap<>();
        private final Map<Term, Integer> values = new LinkedHashMap<>();
        private final Map<Integer, Integer> totals = new HashMap<>();
        private int row;

        Body(CodeBuilder code, GroupShape shape, boolean isIndexed) {
            this.code = code;
            this.shape = shape;
            this.isIndexed = isIndexed;
        }

        void emit() {
            prepare();
            int index = code.allocateLocal(TypeKind.INT);
            row = isIndexed ? code.allocateLocal(TypeKind.INT) : index;
            Label head = code.newLabel();
            Label end = code.newLabel();
            code.iconst_0().istore(index);
            code.labelBinding(head);
            code.iload(index).iload(COUNT).if_icmpge(end);
            if (isIndexed) {
                code.aload(ROWS).iload(index).iaload().istore(row);
            }
            Map<Term, Integer> invariant = Map.copyOf(values);
            update();
            values.keySet().retainAll(invariant.keySet());
            code.iinc(index, 1).goto_(head);
            code.labelBinding(end);
            finish();
            code.return_();
        }

        /// Loads into locals what is the same for all rows.
        private void prepare() {
            TreeSet<Integer> widths = new TreeSet<>();
            if (shape.place() != null) {
                prepare(shape.place(), widths);
            }
            for (Update update : shape.updates()) {
                prepare(update.value(), widths);
            }
            for (int width : widths) {
                int base = code.allocateLocal(TypeKind.LONG);
                code.lload(FIRST_ROW).loadConstant((long) width).lmul().lstore(base);
                bases.put(width, base);
            }
            if (shape.place() == null) {
                for (Update update : shape.updates()) {
                    for (int word = 0; word < update.fold().words(); word++) {
                        if (update.fold() != Fold.WIDE_SUM) {
                            int total = code.allocateLocal(TypeKind.LONG);
                            code.aload(STATES)
                                    .loadConstant(update.at())
                                    .laload()
                                    .lstore(total);
                            totals.put(update.at(), total);
                        }
                    }
                }
            }
        }

        private void prepare(Term term, TreeSet<Integer> widths) {
            switch (term) {
                case Term.Cell(int column, int bytes, boolean _) -> {
                    widths.add(bytes);
                    if (!columns.containsKey(column)) {
                        int local = code.allocateLocal(TypeKind.REFERENCE);
                        code.aload(COLUMNS).loadConstant(column).aaload().astore(local);
                        columns.put(column, local);
                    }
                }
                case Term.Element(int array, Term index, boolean isWide) -> {
                    prepare(index, widths);
                    array(array, isWide);
                }
                case Term.AtRow(int array, boolean isWide) -> array(array, isWide);
                case Term.Scalar(int number, boolean isWide) -> {
                    if (!values.containsKey(term)) {
                        int local = code.allocateLocal(isWide ? TypeKind.LONG : TypeKind.INT);
                        code.aload(SCALARS).loadConstant(number).laload();
                        if (isWide) {
                            code.lstore(local);
                        } else {
                            code.l2i().istore(local);
                        }
                        values.put(term, local);
                    }
                }
                case Term.Offset(Term value, Term base) -> {
                    prepare(value, widths);
                    prepare(base, widths);
                }
                case Term.Scaled(Term value, Term factor) -> {
                    prepare(value, widths);
                    prepare(factor, widths);
                }
                case Term.Sum(Term left, Term right) -> {
                    prepare(left, widths);
                    prepare(right, widths);
                }
                case Term.Widened(Term value) -> prepare(value, widths);
                case Term.Call(String _, Term left, Term right, boolean _) -> {
                    prepare(left, widths);
                    if (right != null) {
                        prepare(right, widths);
                    }
                }
            }
        }

        private void array(int array, boolean isWide) {
            if (!arrays.containsKey(array)) {
                int local = code.allocateLocal(TypeKind.REFERENCE);
                code.aload(ARRAYS)
                        .loadConstant(array)
                        .aaload()
                        .checkcast(isWide ? LONGS : INTS)
                        .astore(local);
                arrays.put(array, local);
            }
        }

        private void update() {
            int place = -1;
            if (shape.place() != null) {
                place = value(shape.place());
                code.aload(STATES)
                        .iload(place)
                        .dup2()
                        .laload()
                        .lconst_1()
                        .ladd()
                        .lastore();
            }
            for (Update update : shape.updates()) {
                int value = value(update.value());
                if (update.fold() == Fold.WIDE_SUM) {
                    code.aload(STATES);
                    at(place, update.at());
                    code.lload(value).invokestatic(MATH, "addWide", MethodTypeDesc.of(CD_void, LONGS, CD_int, CD_long));
                } else if (place < 0) {
                    int total = totals.get(update.at());
                    code.lload(total);
                    fold(update, value);
                    code.lstore(total);
                } else {
                    code.aload(STATES);
                    at(place, update.at());
                    code.dup2().laload();
                    fold(update, value);
                    code.lastore();
                }
            }
        }

        private void at(int place, int word) {
            if (place < 0) {
                code.loadConstant(word);
            } else {
                code.iload(place).loadConstant(word).iadd();
            }
        }

        private void fold(Update update, int value) {
            if (update.value().isWide()) {
                code.lload(value);
            } else {
                code.iload(value).i2l();
            }
            switch (update.fold()) {
                case SUM -> code.ladd();
                case MIN -> extreme("min");
                case MAX -> extreme("max");
                case WIDE_SUM -> throw new IllegalStateException("a wide sum is no single word");
            }
        }

        private void extreme(String name) {
            code.invokestatic(
                    Math.class.describeConstable().orElseThrow(), name, MethodTypeDesc.of(CD_long, CD_long, CD_long));
        }

        private void finish() {
            if (shape.place() != null) {
                return;
            }
            code.aload(STATES)
                    .iconst_0()
                    .dup2()
                    .laload()
                    .iload(COUNT)
                    .i2l()
                    .ladd()
                    .lastore();
            totals.forEach((word, local) -> code.aload(STATES)
                    .loadConstant(word.intValue())
                    .lload(local)
                    .lastore());
        }

        /// The local that holds a term's value in this row.
        private int value(Term term) {
            Integer known = values.get(term);
            if (known != null) {
                return known;
            }
            push(term);
            int local = code.allocateLocal(term.isWide() ? TypeKind.LONG : TypeKind.INT);
            if (term.isWide()) {
                code.lstore(local);
            } else {
                code.istore(local);
            }
            values.put(term, local);
            return local;
        }

        private void load(Term term) {
            int local = value(term);
            if (term.isWide()) {
                code.lload(local);
            } else {
                code.iload(local);
            }
        }

        private void push(Term term) {
            switch (term) {
                case Term.Cell(int column, int bytes, boolean isCode) -> cell(column, bytes, isCode);
                case Term.Element(int array, Term index, boolean isWide) -> {
                    int local = value(index);
                    code.aload(arrays.get(array)).iload(local);
                    element(isWide);
                }
                case Term.AtRow(int array, boolean isWide) -> {
                    code.aload(arrays.get(array)).iload(row);
                    element(isWide);
                }
                case Term.Scalar _ -> throw new IllegalStateException("scalars stand before the loop");
                case Term.Offset(Term value, Term base) -> {
                    load(value);
                    load(base);
                    if (value.isWide()) {
                        code.lsub().l2i();
                    } else {
                        code.isub();
                    }
                }
                case Term.Scaled(Term value, Term factor) -> {
                    load(value);
                    load(factor);
                    code.imul();
                }
                case Term.Sum(Term left, Term right) -> {
                    load(left);
                    load(right);
                    code.iadd();
                }
                case Term.Widened(Term value) -> {
                    load(value);
                    code.i2l();
                }
                case Term.Call(String method, Term left, Term right, boolean isWide) -> {
                    load(left);
                    ClassDesc type = isWide ? CD_long : CD_int;
                    if (right == null) {
                        code.invokestatic(MATH, method, MethodTypeDesc.of(type, type));
                    } else {
                        load(right);
                        code.invokestatic(MATH, method, MethodTypeDesc.of(type, type, type));
                    }
                }
            }
        }

        private void element(boolean isWide) {
            if (isWide) {
                code.laload();
            } else {
                code.iaload();
            }
        }

        private void cell(int column, int bytes, boolean isCode) {
            code.aload(columns.get(column));
            Class<?> layout =
                    switch (bytes) {
                        case 1 -> ValueLayout.OfByte.class;
                        case 2 -> ValueLayout.OfShort.class;
                        case 4 -> ValueLayout.OfInt.class;
                        default -> ValueLayout.OfLong.class;
                    };
            ClassDesc result =
                    switch (bytes) {
                        case 1 -> CD_byte;
                        case 2 -> CD_short;
                        case 4 -> CD_int;
                        default -> CD_long;
                    };
            ClassDesc layoutType = layout.describeConstable().orElseThrow();
            code.getstatic(MATH, "INT" + Math.min(bytes, 8) * 8, layoutType)
                    .lload(bases.get(bytes))
                    .iload(row)
                    .i2l()
                    .loadConstant((long) bytes)
                    .lmul()
                    .ladd()
                    .invokeinterface(SEGMENT, "get", MethodTypeDesc.of(result, layoutType, CD_long));
            if (isCode && bytes < 4) {
                code.loadConstant(bytes == 1 ? 0xFF : 0xFFFF).iand();
            }
        }
    }
}
