SELECT (u.at).x, count(*) FROM b, unnest(o) u GROUP BY 1
