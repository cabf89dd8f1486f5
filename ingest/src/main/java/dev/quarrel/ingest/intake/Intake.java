package dev.quarrel.ingest.intake;

/// Takes chunks.
///
/// - Threads: any.
public interface Intake {
    /// Takes a chunk, whatever room there is. Whoever offers asks [#hasRoom] before it reads on.
    void offer(Chunk chunk, Receipt receipt);

    /// Whether more may be offered.
    boolean hasRoom();

    /// Has `action` run once there is room again, at once if there is; it must be quick.
    void whenRoom(Runnable action);
}
