package dev.quarrel.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which instruction of PTX reads a carry that another kind left. `add.cc` and `mad.cc` leave a carry for `addc`
/// and `madc`, `sub.cc` leaves a borrow for `subc`; hardware holds the borrow inverted, so one read as the other
/// is wrong, and only there: neither the assembler nor the host's build of the kernels says a word.
/// `cuda/build-fatbins` looks for the same in what it compiles.
final class CarryChains {
    private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern LABEL = Pattern.compile("^[\\w$%]+\\s*:");
    private static final Pattern INSTRUCTION = Pattern.compile("^(@!?[%\\w$]+\\s+)?([a-z]\\w*(?:\\.\\w+)*)\\b");
    private static final Pattern CHAIN = Pattern.compile("^(add|addc|mad|madc|sub|subc)(\\..*)?$");
    private static final Pattern LEAVES = Pattern.compile("^(bra|brx|ret|exit|call|trap)(\\..*)?$");

    private CarryChains() {}

    /// The statements at fault, in order: what each reads is of the other kind, or was left by no instruction of the
    /// same basic block.
    static List<String> broken(String ptx) {
        List<String> broken = new ArrayList<>();
        String left = ""; // what the carry is of: "add", "sub", or nothing that is known
        for (String piece : COMMENT.matcher(ptx).replaceAll(" ").split("[;{}]")) {
            String statement = piece.strip();
            for (Matcher label = LABEL.matcher(statement); label.find(); label = LABEL.matcher(statement)) {
                left = "";
                statement = statement.substring(label.end()).strip();
            }
            Matcher instruction = INSTRUCTION.matcher(statement);
            if (!instruction.find()) {
                continue;
            }
            String code = instruction.group(2);
            if (LEAVES.matcher(code).matches()) {
                left = "";
                continue;
            }
            Matcher chain = CHAIN.matcher(code);
            if (!chain.matches()) {
                continue;
            }
            String kind = chain.group(1).startsWith("sub") ? "sub" : "add";
            if (chain.group(1).endsWith("c") && !left.equals(kind)) {
                broken.add(statement);
            }
            if ((code + ".").contains(".cc.")) {
                // What runs under a predicate may leave the carry of the one before it.
                left = instruction.group(1) == null || left.equals(kind) ? kind : "";
            }
        }
        return broken;
    }
}
