package dev.quarrel.cuda.join;

import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.GroupKey;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.encode.TableUse;
import dev.quarrel.cuda.facts.HopedFacts;
import java.util.List;
import java.util.TreeSet;

/// The demands on a build side, made by the pipelines that look up its keys.
///
/// @param grouped columns of the payload that are grouped by
/// @param needsUnique whether each key must come once
public record BuildUse(List<Integer> grouped, boolean needsUnique) {
    /// - Errors: [NoKernel] where one of them wants its rows, or where they have no form on the device.
    public static BuildUse of(QueryPlan plan, Pipeline build) {
        TreeSet<Integer> grouped = new TreeSet<>();
        boolean needsUnique = false;
        for (Pipeline user : plan.pipelines()) {
            EncodedPipeline encoded = null;
            for (int join = 0; join < user.joins().size(); join++) {
                if (user.joins().get(join).build() != build.id()) {
                    continue;
                }
                encoded = encoded == null ? hopedFor(plan, user) : encoded;
                if (wantsRows(encoded, join)) {
                    throw new NoKernel("the device makes join tables of keys and groups alone");
                }
                for (GroupKey key : encoded.keys()) {
                    if (key instanceof GroupKey.OfBuild of && of.join() == join) {
                        grouped.add(of.column());
                    }
                }
                JoinKind kind = user.joins().get(join).kind();
                needsUnique |= kind == JoinKind.INNER || kind == JoinKind.LEFT;
            }
        }
        return new BuildUse(List.copyOf(grouped), needsUnique);
    }

    private static EncodedPipeline hopedFor(QueryPlan plan, Pipeline user) {
        if (!(user.source() instanceof Source.TableScan scan) || !(user.sink() instanceof Sink.Aggregate)) {
            throw new NoKernel("the device makes join tables for aggregates alone");
        }
        return ProgramEncoder.encode(user, new HopedFacts(plan, scan, null));
    }

    /// Whether a program reads a table by build row.
    public static boolean wantsRows(EncodedPipeline encoded, int join) {
        for (TableUse use : encoded.tables()) {
            TableUse table = use instanceof TableUse.Shifted(TableUse plain, long _) ? plain : use;
            int of =
                    switch (table) {
                        case TableUse.KeyRows rows -> rows.join();
                        case TableUse.NextRow rows -> rows.join();
                        case TableUse.RowDigits rows -> rows.join();
                        case TableUse.Payload rows -> rows.join();
                        case TableUse.PayloadPresent rows -> rows.join();
                        case TableUse.KeySet _,
                                TableUse.KeyDigits _,
                                TableUse.Groups _,
                                TableUse.Keys _,
                                TableUse.Texts _,
                                TableUse.TextHashes _,
                                TableUse.TextSet _,
                                TableUse.Given _,
                                TableUse.Shifted _ -> -1;
                    };
            if (of == join) {
                return true;
            }
        }
        return false;
    }
}
