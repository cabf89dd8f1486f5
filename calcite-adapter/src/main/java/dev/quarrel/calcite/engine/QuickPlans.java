package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.host.PhysicalPlan;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.RegisterType;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;

/// Recognises quick plans: those that finish in microseconds for any parameter values, and read no table or file
/// and never wait. A thread that serves many clients may run one between two of their messages. A change of the
/// catalog does not affect such a plan.
final class QuickPlans {
    private static final int MAX_ROWS = 64;
    private static final int MAX_INSTRUCTIONS = 256;

    private QuickPlans() {}

    /// Whether a statement names no table, in sub-queries neither.
    static boolean readsNoTable(SqlNode node) {
        try {
            node.accept(new SqlBasicVisitor<Void>() {
                @Override
                public Void visit(SqlCall call) {
                    if (call instanceof SqlSelect select && select.getFrom() != null
                            || call.getKind() == SqlKind.EXPLICIT_TABLE) {
                        throw Util.FoundOne.NULL;
                    }
                    return super.visit(call);
                }
            });
            return true;
        } catch (Util.FoundOne _) {
            return false;
        }
    }

    /// Whether the work is a few operations on values of fixed width: text may be long, and matching it slow.
    static boolean isLittleWork(PhysicalPlan plan) {
        if (!(plan instanceof PhysicalPlan.Device device) || !device.inputs().isEmpty()) {
            return false;
        }
        QueryPlan pipelines = device.plan();
        if (pipelines.pipelines().size() != 1) {
            return false;
        }
        Pipeline pipeline = pipelines.root();
        return pipeline.source() instanceof Source.Values values
                && values.rowCount() <= MAX_ROWS
                && pipeline.joins().isEmpty()
                && pipeline.sink() instanceof Sink.Result
                && isLittleWork(pipeline.lastProgram());
    }

    private static boolean isLittleWork(Program program) {
        if (program.code().size() > MAX_INSTRUCTIONS) {
            return false;
        }
        for (Instruction instruction : program.code()) {
            for (int register : instruction.arguments()) {
                if (program.registers().get(register) instanceof RegisterType.Value(DataType.Utf8 _)) {
                    return false;
                }
            }
        }
        return true;
    }
}
