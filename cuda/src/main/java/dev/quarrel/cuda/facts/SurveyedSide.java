package dev.quarrel.cuda.facts;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.cuda.encode.BuildSide;
import dev.quarrel.cuda.encode.NoKernel;

/// A build side whose tables the device makes. It has no rows: in a numbering's place of a row is that of a value.
///
/// - Errors: [NoKernel] for what takes rows.
///
/// @param build the query's
public record SurveyedSide(DeviceBuild build) implements BuildSide {
    private BuildSurvey survey() {
        return build.survey();
    }

    @Override
    public int rowCount() {
        return survey().rows();
    }

    @Override
    public int keyedRows() {
        return survey().rows();
    }

    @Override
    public boolean isUnique() {
        return survey().isUnique();
    }

    @Override
    public boolean isDense() {
        return true;
    }

    @Override
    public long least() {
        return survey().keys().least();
    }

    @Override
    public long width() {
        return survey().keys().values();
    }

    @Override
    public KeyRange keyRange(int key) {
        throw takesRows();
    }

    @Override
    public int mostMatches() {
        throw takesRows();
    }

    @Override
    public boolean hasNulls(int payload) {
        BuildSurvey.Values values = survey().columns().get(payload);
        return values == null || values.hasNull();
    }

    @Override
    public long[] bounds(int payload) {
        return null;
    }

    @Override
    public Numbering numbering(int payload, boolean needsNull) {
        return values(payload).numbering(needsNull);
    }

    @Override
    public Column gather(int payload, int[] rows, Allocator allocator) {
        return values(payload).gather(rows, allocator);
    }

    private BuildSurvey.Values values(int payload) {
        BuildSurvey.Values values = survey().columns().get(payload);
        if (values == null) {
            throw takesRows();
        }
        return values;
    }

    @Override
    public BuildSide part(int number, int count) {
        throw takesRows();
    }

    private static NoKernel takesRows() {
        return new NoKernel("the rows of a join table on the device are asked for");
    }

    @Override
    public void close() {
        // What it stands for is the query's.
    }
}
