package dev.quarrel.cuda.service;

import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Source;
import dev.quarrel.cuda.facts.BuildSurvey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Surveys of build sides, kept from query to query: the same pipeline over the same table with the same values has the
/// same rows. Those that have not been asked for longest are forgotten.
///
/// Threads share it.
public final class KnownBuilds {
    private static final int MOST = 256;

    private final Map<Key, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Known> eldest) {
            return size() > MOST;
        }
    };
    private long lastNumber;

    /// What a build side's rows depend on, and what is known of them.
    ///
    /// @param table its number: one that has changed has another
    /// @param pipeline numbered 0
    /// @param values of the slots that it reads
    /// @param grouped columns of the payload that are surveyed
    private record Key(long table, Pipeline pipeline, Map<Integer, Literal> values, List<Integer> grouped) {}

    /// A build side that has been seen before, or is from here on.
    public static final class Known {
        private final long number;
        private volatile BuildSurvey survey;

        private Known(long number) {
            this.number = number;
        }

        /// Never another's, so tables may be kept by it.
        public long number() {
            return number;
        }

        /// Null until it is known.
        public BuildSurvey survey() {
            return survey;
        }

        public void learn(BuildSurvey made) {
            survey = made;
        }
    }

    /// @param table the number of its table
    public synchronized Known find(long table, Pipeline pipeline, List<Integer> grouped, List<Literal> slotValues) {
        Pipeline content = new Pipeline(0, pipeline.source(), pipeline.programs(), pipeline.joins(), pipeline.sink());
        Key key = new Key(table, content, values(pipeline, slotValues), grouped);
        return known.computeIfAbsent(key, _ -> new Known(++lastNumber));
    }

    private static Map<Integer, Literal> values(Pipeline pipeline, List<Literal> slotValues) {
        Map<Integer, Literal> values = new TreeMap<>();
        for (Program program : pipeline.programs()) {
            for (Instruction instruction : program.code()) {
                if (instruction.op() == Opcode.CONST) {
                    values.put(instruction.immediate(), slotValues.get(instruction.immediate()));
                }
            }
        }
        for (ColumnRange range : ((Source.TableScan) pipeline.source()).ranges()) {
            for (int slot : new int[] {range.low(), range.high()}) {
                if (slot >= 0) {
                    values.put(slot, slotValues.get(slot));
                }
            }
        }
        return values;
    }
}
