SELECT count(*), min(w0.title), min(w0.year), min(e3.released)
FROM genre AS g1, work AS w0, country AS c2, edition AS e3
WHERE w0.genre_id = g1.id
  AND w0.country_id = c2.id
  AND e3.country_id = c2.id
  AND w0.country_id = e3.country_id
  AND c2.code = 'nl'
  AND e3.released > '1935-02-11'
