package dev.quarrel.cuda.facts;

import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.column.ColumnUpload;
import dev.quarrel.cuda.encode.BuildSide;
import dev.quarrel.cuda.encode.Facts;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.Physical;
import java.math.BigDecimal;

/// The facts that are hoped for before a pipeline runs: text has dictionaries, ranges are narrow, build sides
/// are small and unique; of the table that is scanned its statistics are known, where it is given.
///
/// @param table or null
public record HopedFacts(QueryPlan plan, Source.TableScan scan, Table table) implements Facts {
    private int column(int input) {
        return table.schema().indexOf(scan.columnNames().get(input));
    }

    @Override
    public boolean isPlainText(int input) {
        return table != null
                && scan.types().get(input) instanceof DataType.Utf8
                && table.dictionary(column(input)) == null;
    }

    @Override
    public long textBytes(int input) {
        return isPlainText(input) ? PipelineFacts.textBytes(table, column(input)) : 0;
    }

    @Override
    public ColumnForm form(int input) {
        if (isPlainText(input)) {
            return ColumnForm.of(Physical.TEXT);
        }
        DataType type = scan.types().get(input);
        Dictionary dictionary = type instanceof DataType.Utf8 ? dictionary(input) : null;
        Physical plain = ColumnUpload.physical(type, dictionary == null ? 1 : dictionary.size());
        return table == null ? ColumnForm.of(plain) : PipelineFacts.form(table, column(input), plain);
    }

    @Override
    public boolean isNullable(int input) {
        return table != null && PipelineFacts.isNullable(table, column(input));
    }

    @Override
    public long[] range(int input) {
        return table == null ? new long[] {0, 1} : PipelineFacts.range(table, column(input));
    }

    @Override
    public boolean isClustered(int input) {
        return table != null && PipelineFacts.isClustered(table, column(input));
    }

    @Override
    public long rowCount() {
        return table == null ? 1 : table.stats().rowCount();
    }

    @Override
    public Dictionary dictionary(int input) {
        return table == null ? null : PipelineFacts.dictionary(table, column(input));
    }

    @Override
    public BuildSide build(int join) {
        return null;
    }

    @Override
    public Literal slotValue(int slot) {
        return switch (plan.slots().get(slot)) {
            case Slot.Constant(Literal literal) -> literal;
            case Slot.Parameter(int _, DataType type) ->
                switch (type) {
                    case DataType.Bool _ -> new Literal(type, true);
                    case DataType.Int16 _,
                            DataType.Int32 _,
                            DataType.Int64 _,
                            DataType.Date _,
                            DataType.Time _,
                            DataType.Timestamp _ -> new Literal(type, 1L);
                    case DataType.Float32 _ -> new Literal(type, 1f);
                    case DataType.Float64 _ -> new Literal(type, 1.0);
                    case DataType.Utf8 _ -> new Literal(type, "");
                    case DataType.Decimal(int _, int scale) -> new Literal(type, BigDecimal.ZERO.setScale(scale));
                    default -> Literal.ofNull(type);
                };
        };
    }

    @Override
    public boolean isKnown(int input, Program condition) {
        return true;
    }
}
