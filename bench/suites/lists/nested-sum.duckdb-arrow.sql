SELECT count(*), sum(i.p) FROM (SELECT unnest(u.items) AS i FROM (SELECT unnest(o) AS u FROM b))
