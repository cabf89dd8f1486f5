SELECT sum(v.a) FROM b WHERE v.b = 'w007'
