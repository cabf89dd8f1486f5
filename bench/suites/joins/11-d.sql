SELECT count(*), max(r4.score), max(e5.released), min(m9.joined)
FROM country AS c10, rating AS r4, work AS w2, edition AS e5, country AS c7, work AS w0, genre AS g1, kind AS k3, work AS w8, review AS r6, member AS m9
WHERE w0.genre_id = g1.id
  AND w2.genre_id = g1.id
  AND w0.kind_id = k3.id
  AND r4.work_id = w0.id
  AND e5.work_id = w0.id
  AND r6.work_id = w2.id
  AND w2.country_id = c7.id
  AND r4.work_id = w8.id
  AND r6.member_id = m9.id
  AND e5.country_id = c10.id
  AND r4.work_id = e5.work_id
  AND c7.code IN ('dk', 'au', 'pl')
  AND m9.plan = 'gold'
  AND w0.year BETWEEN 1990 AND 2010
  AND g1.name IN ('drama', 'fantasy', 'family')
