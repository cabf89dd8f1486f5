/// Dates and times in formats of their own, `YYYY-MM-DD HH24:MI`: the formats, what they write and what they read.
package dev.quarrel.core.format;
