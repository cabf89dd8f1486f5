SELECT count(*), min(w0.title), min(r2.score), min(r2.votes)
FROM edition AS e3, link AS l1, rating AS r2, company AS c6, work AS w0, country AS c5, genre AS g4
WHERE l1.work_id = w0.id
  AND r2.work_id = w0.id
  AND e3.work_id = w0.id
  AND w0.genre_id = g4.id
  AND e3.country_id = c5.id
  AND c6.country_id = c5.id
  AND l1.work_id = e3.work_id
  AND c5.code = 'br'
  AND r2.score BETWEEN 5 AND 7
