package dev.quarrel.cuda.driver;

import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/// A point in a stream that can be waited for or measured from.
public final class Event implements AutoCloseable {
    private final CudaContext context;
    private final CUevent event = new CUevent();
    private boolean closed;

    private Event(CudaContext context, int flags) {
        this.context = context;
        context.enter();
        context.check(JCudaDriver.cuEventCreate(event, flags), "cuEventCreate");
        context.opened();
    }

    /// One to wait for.
    public static Event forWaiting(CudaContext context) {
        return new Event(context, CUevent_flags.CU_EVENT_BLOCKING_SYNC | CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    /// One that also knows its time.
    public static Event forTiming(CudaContext context) {
        return new Event(context, CUevent_flags.CU_EVENT_BLOCKING_SYNC);
    }

    CUevent handle() {
        if (closed) {
            throw new IllegalStateException("the event is closed");
        }
        return event;
    }

    /// Puts the event after what `stream` has been given so far; where it stood before is forgotten.
    public void record(Stream stream) {
        context.enter();
        context.check(JCudaDriver.cuEventRecord(handle(), stream.handle()), "cuEventRecord");
    }

    /// Waits until the stream has passed the event; at once if it was never recorded.
    public void synchronize() {
        context.enter();
        context.check(JCudaDriver.cuEventSynchronize(handle()), "cuEventSynchronize");
    }

    /// Whether the stream has passed it.
    public boolean isPassed() {
        context.enter();
        int code = JCudaDriver.cuEventQuery(handle());
        if (code == CudaException.NOT_READY) {
            return false;
        }
        context.check(code, "cuEventQuery");
        return true;
    }

    /// Time between two events made for timing, that are both passed.
    public double secondsSince(Event earlier) {
        context.enter();
        float[] milliseconds = new float[1];
        context.check(JCudaDriver.cuEventElapsedTime(milliseconds, earlier.handle(), handle()), "cuEventElapsedTime");
        return milliseconds[0] / 1e3;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            context.release("cuEventDestroy", () -> JCudaDriver.cuEventDestroy(event));
        }
    }
}
