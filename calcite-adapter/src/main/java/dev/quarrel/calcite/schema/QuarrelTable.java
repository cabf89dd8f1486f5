package dev.quarrel.calcite.schema;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.rel.QuarrelRel;
import dev.quarrel.calcite.rel.QuarrelTableScan;
import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.PostgresTypeFactory;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.TranslatableTable;
import org.apache.calcite.schema.impl.AbstractTable;

/// A table of a catalog snapshot, as Calcite sees it.
public final class QuarrelTable extends AbstractTable implements TranslatableTable, DeclaredTable {
    private static final RelDataTypeFactory FACTORY = new PostgresTypeFactory();

    private final Table table;
    private final Engine engine;
    private final Convention convention;

    public QuarrelTable(Table table) {
        this(table, null, QuarrelRel.CONVENTION);
    }

    /// @param engine what runs statements over the table that come from Calcite's own driver
    /// @param convention of the engine's nodes in an application's own planner
    public QuarrelTable(Table table, Engine engine, Convention convention) {
        this.table = table;
        this.engine = engine;
        this.convention = convention;
    }

    /// See the constructor; null for a table that a session looks up.
    public Engine engine() {
        return engine;
    }

    public Table source() {
        return table;
    }

    /// - Errors: `QueryException` when the table cannot be read, with the reason.
    @Override
    public RelDataType getRowType(RelDataTypeFactory typeFactory) {
        table.awaitOpen(PlanningLimits::tick);
        if (table.fault() != null) {
            throw table.fault();
        }
        RelDataTypeFactory.Builder row = typeFactory.builder();
        // An application's own planner would show them in every row.
        int shown = table.schema().size() - (engine == null ? 0 : table.hiddenColumns());
        for (Field field : table.schema().fields().subList(0, shown)) {
            row.add(field.name(), SqlTypes.relType(typeFactory, field));
        }
        return row.build();
    }

    /// Of times, intervals, bits and numerics of many digits as they are declared; Calcite's types have the rest.
    @Override
    public int typmod(int column) {
        return typmod(table.schema().field(column));
    }

    static int typmod(Field field) {
        PgType.Declared declared = PgType.Declared.of(field);
        boolean isWide = declared.type() == PgType.NUMERIC && field.type() instanceof DataType.Utf8;
        return switch (declared.type()) {
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL, BIT, VARBIT -> declared.typmod();
            default -> isWide ? declared.typmod() : SqlTypes.typmod(SqlTypes.relType(FACTORY, field));
        };
    }

    @Override
    public Collation collation(int column) {
        return table.schema().field(column).collation();
    }

    @Override
    public ViewDefinition view() {
        return table.view();
    }

    @Override
    public int hiddenColumns() {
        return table.hiddenColumns();
    }

    @Override
    public DeclaredTable elements(String column) {
        return table.fault() == null ? ElementShape.of(table, column) : null;
    }

    @Override
    public boolean isScanned() {
        return true;
    }

    @Override
    public List<String> primaryKey() {
        return table.uniqueKeys().stream()
                .filter(UniqueKey::isPrimary)
                .map(UniqueKey::columns)
                .findFirst()
                .orElse(List.of());
    }

    @Override
    public List<Integer> sortedBy() {
        return table.sortedBy();
    }

    @Override
    public Collation collation(String name) {
        return table.isOpen()
                ? table.schema().fields().stream()
                        .map(Field::collation)
                        .filter(each -> each != null && each.name().equals(name))
                        .findFirst()
                        .orElse(null)
                : null;
    }

    @Override
    public Statistic getStatistic() {
        return Statistics.of((double) table.stats().rowCount(), List.of());
    }

    @Override
    public RelNode toRel(RelOptTable.ToRelContext context, RelOptTable relOptTable) {
        return new QuarrelTableScan(
                context.getCluster(), context.getCluster().traitSetOf(convention), relOptTable, table);
    }
}
