/// MessagePack, read in place and written: no object a value.
package dev.quarrel.ingest.msgpack;
