package dev.quarrel.calcite.parse;

import java.util.List;
import org.apache.calcite.sql.SqlNode;

/// The positions of a statement's infix operators, which its syntax tree does not record. The first request
/// splits the text into lexemes.
public final class OperatorPlaces {
    private final String text;
    private List<Lexeme> lexemes;

    public OperatorPlaces(String text) {
        this.text = text;
    }

    /// The Java string index of the operator that follows an operand.
    public int after(SqlNode operand) {
        if (lexemes == null) {
            lexemes = Lexer.scan(text);
        }
        int end = operand.getParserPosition().getEndColumnNum();
        int low = 0;
        int high = lexemes.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lexemes.get(middle).start() >= end) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        while (low < lexemes.size() && lexemes.get(low).isSymbol(")")) {
            low++;
        }
        return low < lexemes.size() ? lexemes.get(low).start() : Positions.start(operand);
    }
}
