SELECT count(*) FROM b WHERE a @> '{7,9}'
