SELECT sum(len(u.items)) FROM (SELECT unnest(o) AS u FROM b)
