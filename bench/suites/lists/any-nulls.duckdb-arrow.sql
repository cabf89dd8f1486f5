SELECT count(*) FROM b WHERE list_contains(n, 7)
