package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.text.TextFunctions;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.ir.Relation;
import java.util.List;

/// A comparison of text: by codes where both sides share a dictionary and equality is asked, as words of memory where a
/// column is asked for one text, else by bytes.
final class TextComparisonStep implements Step {
    private final Relation relation;
    private final int a;
    private final int b;
    private final int result;
    private final FunctionStep byBytes;

    TextComparisonStep(Relation relation, List<Integer> arguments, int result) {
        this.relation = relation;
        this.a = arguments.get(0);
        this.b = arguments.get(1);
        this.result = result;
        this.byBytes =
                new FunctionStep(arguments, result, (in, out, row) -> TextFunctions.compare(relation, in, out, row));
    }

    @Override
    public void run(TileProgram tile, Mask rows) {
        if (rows.isEmpty()) {
            return;
        }
        TextVector x = (TextVector) tile.value(a);
        TextVector y = (TextVector) tile.value(b);
        BoolVector out = (BoolVector) tile.value(result);
        if (relation.isEquality && isColumnAndText(x, y)) {
            out.intersectValidity(x, y, rows.wordCount());
            TextEquality.compare(x, y, relation.flip, out, rows);
            return;
        }
        if (relation.isEquality && isColumnAndText(y, x)) {
            out.intersectValidity(x, y, rows.wordCount());
            TextEquality.compare(y, x, relation.flip, out, rows);
            return;
        }
        if (!relation.isEquality || x.dictionary() == null || x.dictionary() != y.dictionary()) {
            byBytes.run(tile, rows);
            return;
        }
        out.intersectValidity(x, y, rows.wordCount());
        CompareKernels.current().equal(x.codes(), y.codes(), out.bits(), rows.wordCount(), relation.flip);
    }

    /// Whether the first is plain text that varies and the second one present text for all rows.
    private static boolean isColumnAndText(TextVector column, TextVector text) {
        return text.isConstant() && text.isPresent(0) && !column.isConstant() && column.entries() == null;
    }
}
