SELECT i.c, count(*), sum(k) FROM (SELECT u.k AS k, unnest(u.items) AS i FROM (SELECT unnest(o) AS u FROM b)) GROUP BY i.c
