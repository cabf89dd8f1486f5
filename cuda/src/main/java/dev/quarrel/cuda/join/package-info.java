/// The build side of a join on the device: the survey of its keys, and the tables made of them.
package dev.quarrel.cuda.join;
