/// The services of one device that its queries share: queues, admission, the cost model, and the surveys of
/// build sides.
package dev.quarrel.cuda.service;
