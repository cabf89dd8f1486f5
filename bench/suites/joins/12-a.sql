SELECT count(*), max(w0.title), min(w0.year), min(r1.votes)
FROM country AS c9, country AS c11, person AS p8, rating AS r1, review AS r3, member AS m7, edition AS e2, language AS l4, work AS w10, work AS w6, work AS w0, country AS c5
WHERE r1.work_id = w0.id
  AND e2.work_id = w0.id
  AND r3.work_id = w0.id
  AND w0.language_id = l4.id
  AND e2.country_id = c5.id
  AND r1.work_id = w6.id
  AND r3.member_id = m7.id
  AND p8.country_id = c5.id
  AND m7.country_id = c9.id
  AND e2.work_id = w10.id
  AND w6.country_id = c11.id
  AND r1.score > 8.0
  AND c5.continent = 'europe'
  AND w10.year > 2006
  AND w0.year BETWEEN 1990 AND 2010
