SELECT u.at.x, count(*) FROM (SELECT unnest(o) AS u FROM b) GROUP BY 1
