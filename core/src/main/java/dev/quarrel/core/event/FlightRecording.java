package dev.quarrel.core.event;

import jdk.jfr.FlightRecorder;

/// Whether the JVM's recorder has started: the first event that is made before that starts most of it, which takes a
/// twentieth of a second.
final class FlightRecording {
    private FlightRecording() {}

    /// True from the first recording or stream of events on.
    static boolean hasBegun() {
        return FlightRecorder.isInitialized();
    }
}
