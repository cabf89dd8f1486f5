/// PostgreSQL tables to Arrow files, under one snapshot: a library, and a Maven goal around it.
package dev.quarrel.export;
