SELECT count(*) FROM b WHERE list_contains(a, 7)
