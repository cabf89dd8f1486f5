package dev.quarrel.cuda.facts;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.cpu.expr.DictionaryAnswers;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.StoredRange;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.column.ColumnUpload;
import dev.quarrel.cuda.encode.BuildRows;
import dev.quarrel.cuda.encode.BuildSide;
import dev.quarrel.cuda.encode.Facts;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.Physical;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The facts about a pipeline that is about to run.
public final class PipelineFacts implements Facts, AutoCloseable {
    private static final int FEW_BATCHES = 4;
    private static final int SAMPLED_BATCHES = 16;
    private static final long LIKELY_TEXT_BYTES = 16;
    /// With `-Dquarrel.cuda.narrow=off` integers have the widths of their types, to compare with.
    private static final boolean IS_NARROW = !"off".equals(System.getProperty("quarrel.cuda.narrow"));

    private final Table table;
    private final int[] columns; // of the source, in the table
    private final ColumnForm[] forms; // of each, once it is asked for
    private final List<DataType> types;
    private final List<Literal> slotValues;
    private final List<BuildSide> builds = new ArrayList<>();
    private final List<BuildSide> wholes = new ArrayList<>(); // empty while no build side is a part
    private final Map<Program, DictionaryAnswers> tests = new HashMap<>();
    private int blockBytes;

    /// - Errors: [NoKernel] for build sides that the device does not take.
    public PipelineFacts(Pipeline pipeline, Source.TableScan scan, Table table, PipelineContext context) {
        this.table = table;
        this.types = scan.types();
        this.columns = new int[types.size()];
        this.forms = new ColumnForm[types.size()];
        for (int input = 0; input < columns.length; input++) {
            columns[input] = table.schema().indexOf(scan.columnNames().get(input));
        }
        this.slotValues = context.slotValues();
        try {
            for (var join : pipeline.joins()) {
                Materialized made = context.materialized(join.build());
                builds.add(made instanceof DeviceBuild build ? new SurveyedSide(build) : new BuildRows(made));
            }
        } catch (RuntimeException | Error problem) {
            close();
            throw problem;
        }
    }

    /// The table's column that an input is.
    public int column(int input) {
        return columns[input];
    }

    @Override
    public boolean isPlainText(int input) {
        return types.get(input) instanceof DataType.Utf8 && table.dictionary(columns[input]) == null;
    }

    @Override
    public long textBytes(int input) {
        return isPlainText(input) ? textBytes(table, columns[input]) : 0;
    }

    static long textBytes(Table table, int column) {
        long bytes = table.textBytes(column);
        return bytes < 0 ? table.stats().rowCount() * LIKELY_TEXT_BYTES : bytes;
    }

    @Override
    public ColumnForm form(int input) {
        if (isPlainText(input)) {
            return ColumnForm.of(Physical.TEXT);
        }
        if (forms[input] == null) {
            DataType type = types.get(input);
            int codes = type instanceof DataType.Utf8 ? dictionary(input).size() : 0;
            forms[input] = form(table, columns[input], ColumnUpload.physical(type, codes));
        }
        return forms[input];
    }

    /// The fewest bytes that hold what statistics say of a column; they are held to it when it is copied.
    public static ColumnForm form(Table table, int column, Physical plain) {
        StoredRange range = IS_NARROW ? StoredRange.of(table, column) : null;
        return range == null ? ColumnForm.of(plain) : ColumnForm.of(range, plain);
    }

    @Override
    public boolean isNullable(int input) {
        return isNullable(table, columns[input]);
    }

    static boolean isNullable(Table table, int column) {
        ColumnStats stats = table.stats().columns().get(column);
        return stats.nullCount() != 0 && table.schema().field(column).nullable();
    }

    @Override
    public long[] range(int input) {
        return range(table, columns[input]);
    }

    static long[] range(Table table, int column) {
        ColumnStats stats = table.stats().columns().get(column);
        return stats.min() instanceof Long least && stats.max() instanceof Long greatest
                ? new long[] {least, greatest}
                : null;
    }

    @Override
    public boolean isClustered(int input) {
        return isClustered(table, columns[input]);
    }

    /// Whether batches, some of which are looked at, have less than half of the column's range each.
    static boolean isClustered(Table table, int column) {
        long[] whole = range(table, column);
        int batches = table.batchCount();
        if (whole == null || batches < FEW_BATCHES) {
            return false;
        }
        double width = 0;
        int step = Math.max(1, batches / SAMPLED_BATCHES);
        int looked = 0;
        for (int batch = 0; batch < batches; batch += step) {
            ColumnStats stats = table.batchStats(batch, column);
            if (!(stats.min() instanceof Long least) || !(stats.max() instanceof Long greatest)) {
                return false;
            }
            width += (double) greatest - least;
            looked++;
        }
        return width / looked < ((double) whole[1] - whole[0]) / 2;
    }

    @Override
    public long rowCount() {
        return table.stats().rowCount();
    }

    @Override
    public Dictionary dictionary(int input) {
        return dictionary(table, columns[input]);
    }

    static Dictionary dictionary(Table table, int column) {
        Dictionary dictionary = table.dictionary(column);
        if (dictionary == null) {
            throw new NoKernel("text without a dictionary has no CUDA kernel");
        }
        return dictionary;
    }

    @Override
    public BuildSide build(int join) {
        return builds.get(join);
    }

    /// Whether the device makes some build side's tables.
    public boolean isSurveyed() {
        return builds.stream().anyMatch(SurveyedSide.class::isInstance);
    }

    /// Has the CPU make the rows of all build sides.
    ///
    /// - Errors: [NoKernel] as the constructor; the CPU's.
    public void takeRows() {
        builds.replaceAll(side -> side instanceof SurveyedSide(DeviceBuild build) ? new BuildRows(build.rows()) : side);
    }

    /// Lets a join's build side be one of several parts of itself, from here on.
    public void part(int join, int number, int count) {
        if (wholes.isEmpty()) {
            wholes.addAll(builds);
        }
        builds.set(join, wholes.get(join).part(number, count));
    }

    /// Lets all build sides be whole again.
    public void whole() {
        if (!wholes.isEmpty()) {
            builds.clear();
            builds.addAll(wholes);
            wholes.clear();
        }
    }

    /// Lets blocks have so much shared memory for the cells of groups.
    public void allowBlock(int bytes) {
        blockBytes = bytes;
    }

    @Override
    public int blockBytes() {
        return blockBytes;
    }

    @Override
    public Literal slotValue(int slot) {
        return slotValues.get(slot);
    }

    /// A bit a code: whether it satisfies a condition.
    public long[] accepted(int input, Program condition) {
        return tests.computeIfAbsent(condition, key -> new DictionaryAnswers(key, slotValues))
                .accepted(dictionary(input));
    }

    @Override
    public boolean isKnown(int input, Program condition) {
        try {
            Program opposite = opposite(condition);
            DictionaryAnswers fails = new DictionaryAnswers(opposite, slotValues);
            DictionaryAnswers holds = tests.computeIfAbsent(condition, key -> new DictionaryAnswers(key, slotValues));
            if (holds.acceptsNull() || fails.acceptsNull()) {
                return false;
            }
            long[] accepted = holds.accepted(dictionary(input));
            long[] refused = fails.accepted(dictionary(input));
            int known = 0;
            for (int word = 0; word < accepted.length; word++) {
                known += Long.bitCount(accepted[word] | refused[word]);
            }
            return known == dictionary(input).size();
        } catch (QueryException raised) {
            return false; // the CPU raises it, if a row gets there
        }
    }

    /// The condition whose selection are the rows in which the given one is false.
    private static Program opposite(Program condition) {
        List<RegisterType> registers = new ArrayList<>(condition.registers());
        List<Instruction> code = new ArrayList<>(condition.code());
        Instruction selects = code.removeLast();
        registers.add(new RegisterType.Value(DataType.BOOL));
        int not = registers.size() - 1;
        code.add(new Instruction(Opcode.NOT, not, selects.arguments(), 0, 0));
        code.add(new Instruction(Opcode.MASK_TRUE, selects.result(), List.of(not), 0, 0));
        return new Program(condition.inputs(), registers, code, condition.selection(), condition.outputs());
    }

    @Override
    public void close() {
        whole();
        builds.forEach(BuildSide::close);
        builds.clear();
    }
}
