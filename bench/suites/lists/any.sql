SELECT count(*) FROM b WHERE 7 = ANY (a)
