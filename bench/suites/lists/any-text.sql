SELECT count(*) FROM b WHERE 'w007' = ANY (s)
