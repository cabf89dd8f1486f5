package dev.quarrel.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/// The bytes that invocations read: JMH divides them by their time.
@AuxCounters(AuxCounters.Type.OPERATIONS)
@State(Scope.Thread)
public class BytesRead {
    public double gigabytes;
}
