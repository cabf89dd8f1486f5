SELECT count(*) FROM b WHERE list_contains(s, 'w007')
