/// What SQL/JSON paths find in a jsonb: the search, its dates and times, its variables.
package dev.quarrel.core.json.search;
