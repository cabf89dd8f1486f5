package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.PlanBuilder;
import dev.quarrel.core.cpu.PlanRunner;
import dev.quarrel.core.cpu.TestRows;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Conditions on codes while dictionaries, the width of codes and the presence of NULLs change from batch to batch.
@Tag("compiled")
class DictionaryNarrowingTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final Schema SCHEMA = new Schema(List.of(new Field("s", DataType.UTF8, true)));

    private enum Condition {
        IS_NULL(Objects::isNull),
        IS_NOT_NULL(Objects::nonNull),
        NULL_OR_EQUAL(text -> text == null || text.equals("b")),
        EQUAL("b"::equals),
        NOT_EQUAL(text -> text != null && !text.equals("b"));

        private final Predicate<String> isTrue;

        Condition(Predicate<String> isTrue) {
            this.isTrue = isTrue;
        }

        int lower(ProgramBuilder builder, int slot) {
            int text = builder.load(0, ProgramBuilder.ALL_ROWS);
            int constant = builder.constant(slot, DataType.UTF8, ProgramBuilder.ALL_ROWS);
            ToIntFunction<Opcode> ofText = op -> builder.value(op, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, text);
            return switch (this) {
                case IS_NULL -> ofText.applyAsInt(Opcode.IS_NULL);
                case IS_NOT_NULL -> ofText.applyAsInt(Opcode.IS_NOT_NULL);
                case EQUAL -> builder.value(Opcode.EQ_UTF8, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, text, constant);
                case NOT_EQUAL ->
                    builder.value(Opcode.NE_UTF8, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, text, constant);
                case NULL_OR_EQUAL -> {
                    int isNull = ofText.applyAsInt(Opcode.IS_NULL);
                    int isEqual =
                            builder.value(Opcode.EQ_UTF8, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, text, constant);
                    yield builder.value(Opcode.OR, DataType.BOOL, ProgramBuilder.ALL_ROWS, 0, isNull, isEqual);
                }
            };
        }
    }

    private static Dictionary dictionary(String... entries) {
        return new Dictionary((Utf8Column) TestRows.column(DataType.UTF8, Arrays.asList((Object[]) entries)));
    }

    private static Batch batch(Dictionary dictionary, int codeBytes, String... texts) {
        List<String> entries = new ArrayList<>();
        for (int entry = 0; entry < dictionary.size(); entry++) {
            entries.add((String) TestRows.value(dictionary.values(), entry));
        }
        MemorySegment codes = Arena.ofAuto().allocate(Math.max(1, texts.length * (long) codeBytes), 8);
        for (int row = 0; row < texts.length; row++) {
            int code = texts[row] == null ? 0 : entries.indexOf(texts[row]);
            for (int at = 0; at < codeBytes; at++) {
                codes.set(ValueLayout.JAVA_BYTE, row * (long) codeBytes + at, (byte) (code >>> 8 * at));
            }
        }
        Validity validity =
                TestRows.column(DataType.UTF8, Arrays.asList((Object[]) texts)).validity();
        Column column = new DictionaryColumn(texts.length, codes, codeBytes, dictionary, validity);
        return Batch.view(SCHEMA, List.of(column), texts.length);
    }

    /// Counts by the machine and row by row.
    private static void check(Condition condition, List<Batch> batches, int... threads) {
        MemoryTable table = new MemoryTable("public", "t", SCHEMA, batches);
        List<List<Object>> expected = new ArrayList<>();
        for (Batch batch : batches) {
            for (int row = 0; row < batch.rowCount(); row++) {
                Object text = TestRows.value(batch.column(0), row);
                if (condition.isTrue.test((String) text)) {
                    expected.add(TestRows.row(text));
                }
            }
        }
        PlanBuilder plans = new PlanBuilder();
        int slot = plans.constant(DataType.UTF8, "b");
        QueryPlan plan = plans.scan(table)
                .program(builder -> new PlanBuilder.Out(
                        builder.mask(Opcode.MASK_TRUE, ProgramBuilder.ALL_ROWS, condition.lower(builder, slot)),
                        List.of(builder.load(0, ProgramBuilder.ALL_ROWS))))
                .result();
        for (int count : threads) {
            try (PlanRunner runner = new PlanRunner(count, 64)) {
                TestRows.assertSame(
                        TestRows.ordered(runner.rows(plan, table)), TestRows.ordered(expected), condition.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theDictionaryOfABatchWithNullsIsAnswered(Condition condition) {
        Dictionary one = dictionary("a", "b", "c");
        Dictionary other = dictionary("c", "a", "b");
        check(
                condition,
                List.of(
                        batch(one, 1, "a", "b", "b"),
                        batch(other, 1, null, "b", "c"),
                        batch(other, 1, "b", "a", "c", "b"),
                        batch(one, 1, "c", "b")),
                1);
    }

    @ParameterizedTest
    @EnumSource
    void theFirstBatchAloneHasNulls(Condition condition) {
        Dictionary one = dictionary("a", "b", "c");
        check(condition, List.of(batch(one, 2, "a", null, "b"), batch(one, 2, "a", "b")), 1);
    }

    @ParameterizedTest
    @EnumSource
    void batchesOfEveryKindMix(Condition condition) {
        Random random = new Random(SEED);
        List<Dictionary> dictionaries = List.of(
                dictionary("a", "b", "c"),
                dictionary("c", "b"),
                dictionary("b"),
                dictionary("x", "a", "y", "c", "z", "b"));
        for (int round = 0; round < 20; round++) {
            List<Batch> batches = new ArrayList<>();
            for (int number = 0; number < 20; number++) {
                Dictionary dictionary = dictionaries.get(random.nextInt(4));
                int nulls = random.nextInt(3); // none, some, all
                String[] texts = new String[random.nextInt(150)];
                for (int row = 0; row < texts.length; row++) {
                    texts[row] = nulls == 2 || nulls == 1 && random.nextInt(4) == 0
                            ? null
                            : (String) TestRows.value(dictionary.values(), random.nextInt(dictionary.size()));
                }
                batches.add(batch(dictionary, 1 << random.nextInt(3), texts));
            }
            check(condition, batches, 1, 3);
        }
    }

    /// A file's dictionary may have more entries than its codes can say.
    @Test
    void entriesBeyondTheCodesAreNoCodes() {
        String[] entries = new String[300];
        for (int entry = 0; entry < entries.length; entry++) {
            entries[entry] = "e" + entry;
        }
        entries[258] = "b";
        Dictionary dictionary = dictionary(entries);
        List<Batch> batches = List.of(batch(dictionary, 1, "e2", "e3", "e2"), batch(dictionary, 2, "e2", "b", "e3"));
        for (Condition condition : Condition.values()) {
            check(condition, batches, 1);
        }
    }
}
