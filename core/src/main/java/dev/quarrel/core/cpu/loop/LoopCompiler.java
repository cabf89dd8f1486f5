package dev.quarrel.core.cpu.loop;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Makes hidden classes of loops: one a shape, kept for the next statement of that shape whatever its literals.
///
/// Constants come as scalars, tables and columns as arrays: a shape names them by number only.
final class LoopCompiler {
    /// Shapes kept; the least recently used go first.
    private static final int MAX_SHAPES = 256;

    private static final ClassDesc OBJECTS = CD_Object.arrayType();
    private static final ClassDesc INTS = CD_int.arrayType();
    private static final ClassDesc LONGS = CD_long.arrayType();
    private static final ClassDesc MATH = LoopMath.class.describeConstable().orElseThrow();
    private static final ClassDesc LOOP = GroupLoop.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc LOOP_TYPE =
            MethodTypeDesc.of(CD_void, INTS, CD_int, OBJECTS, OBJECTS, LONGS, LONGS);

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

        /// The state of a group without rows.
        long initial() {
            return switch (this) {
                case SUM, WIDE_SUM -> 0;
                case MIN -> Long.MAX_VALUE;
                case MAX -> Long.MIN_VALUE;
            };
        }
    }

    /// @param value an int or a long; WIDE_SUM takes a long
    /// @param at the state's first word after the group's first
    record Update(Fold fold, Term value, int at) {
        /// Adds a group's state to that of the group that starts at `group`.
        ///
        /// @param more the state
        /// @param high its second word, if it has one
        void merge(long[] states, int group, long more, long high) {
            int word = group + at;
            switch (fold) {
                case SUM -> states[word] += more;
                case WIDE_SUM -> {
                    long sum = states[word] + more;
                    states[word + 1] += high + (Long.compareUnsigned(sum, more) < 0 ? 1 : 0);
                    states[word] = sum;
                }
                case MIN -> states[word] = Math.min(states[word], more);
                case MAX -> states[word] = Math.max(states[word], more);
            }
        }
    }

    /// A loop's shape.
    ///
    /// @param place the first word of the row's group, or null if there is one group only; that word counts the
    ///     rows
    /// @param isSet whether a group is but a bit, number `place` of the states, that says that it has rows
    record GroupShape(Term place, List<Update> updates, boolean isSet) {
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
                                .withMethodBody("add", LOOP_TYPE, 0, code -> new Body(code, shape).emit()));
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
        private static final int COLUMNS = 3;
        private static final int ARRAYS = 4;
        private static final int SCALARS = 5;
        private static final int STATES = 6;

        private final CodeBuilder code;
        private final GroupShape shape;
        private final Map<Integer, Integer> columns = new HashMap<>();
        private final Map<Integer, Integer> arrays = new HashMap<>();
        private final Map<Term, Integer> values = new LinkedHashMap<>();
        private final Map<Integer, Integer> totals = new HashMap<>();
        private boolean readsRows;
        private int index;
        private int row;

        Body(CodeBuilder code, GroupShape shape) {
            this.code = code;
            this.shape = shape;
        }

        void emit() {
            prepare();
            index = code.allocateLocal(TypeKind.INT);
            row = code.allocateLocal(TypeKind.INT);
            Label head = code.newLabel();
            Label end = code.newLabel();
            code.iconst_0().istore(index);
            code.labelBinding(head);
            code.iload(index).iload(COUNT).if_icmpge(end);
            if (readsRows) {
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
            if (shape.place() != null) {
                prepare(shape.place());
            }
            for (Update update : shape.updates()) {
                prepare(update.value());
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

        private void prepare(Term term) {
            switch (term) {
                case Term.Cell(int column, boolean isWide) -> {
                    if (!columns.containsKey(column)) {
                        columns.put(column, array(COLUMNS, column, isWide));
                    }
                }
                case Term.Element(int array, Term index, boolean isWide) -> {
                    prepare(index);
                    array(array, isWide);
                }
                case Term.AtRow(int array, boolean isWide) -> {
                    readsRows = true;
                    array(array, isWide);
                }
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
                    prepare(value);
                    prepare(base);
                }
                case Term.Scaled(Term value, Term factor) -> {
                    prepare(value);
                    prepare(factor);
                }
                case Term.Sum(Term left, Term right) -> {
                    prepare(left);
                    prepare(right);
                }
                case Term.Widened(Term value) -> prepare(value);
                case Term.Call(String _, Term left, Term right, boolean _) -> {
                    prepare(left);
                    if (right != null) {
                        prepare(right);
                    }
                }
            }
        }

        private void array(int array, boolean isWide) {
            if (!arrays.containsKey(array)) {
                arrays.put(array, array(ARRAYS, array, isWide));
            }
        }

        private int array(int parameter, int number, boolean isWide) {
            int local = code.allocateLocal(TypeKind.REFERENCE);
            code.aload(parameter)
                    .loadConstant(number)
                    .aaload()
                    .checkcast(isWide ? LONGS : INTS)
                    .astore(local);
            return local;
        }

        private void update() {
            int place = -1;
            if (shape.isSet()) {
                place = value(shape.place());
                code.aload(STATES)
                        .iload(place)
                        .bipush(6)
                        .iushr()
                        .dup2()
                        .laload()
                        .lconst_1()
                        .iload(place)
                        .lshl()
                        .lor()
                        .lastore();
            } else if (shape.place() != null) {
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
                case Term.Cell(int column, boolean isWide) -> {
                    code.aload(columns.get(column)).iload(index);
                    element(isWide);
                }
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
    }
}
