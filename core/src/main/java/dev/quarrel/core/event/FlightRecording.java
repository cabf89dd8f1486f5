package dev.quarrel.core.event;

import jdk.jfr.FlightRecorder;

/// Whether the JVM's recorder has started. Before that, the first class of an event to be initialized starts most of
/// it, which takes a twentieth of a second: who makes events asks here first, and does not touch their classes.
public final class FlightRecording {
    private FlightRecording() {}

    /// True from the first recording or stream of events on.
    public static boolean hasBegun() {
        return FlightRecorder.isInitialized();
    }
}
