SELECT count(*), max(r1.score), max(r1.votes), min(w7.year)
FROM work AS w13, work_company AS w6, country AS c3, company_kind AS c8, edition AS e5, language AS l9, work AS w14, work AS w10, genre AS g11, country AS c15, company AS c4, work AS w0, language AS l12, work AS w7, genre AS g2, rating AS r1
WHERE r1.work_id = w0.id
  AND w0.genre_id = g2.id
  AND w0.country_id = c3.id
  AND c4.country_id = c3.id
  AND e5.country_id = c3.id
  AND w6.work_id = w0.id
  AND e5.work_id = w7.id
  AND w6.kind_id = c8.id
  AND w7.language_id = l9.id
  AND r1.work_id = w10.id
  AND w10.genre_id = g11.id
  AND w0.language_id = l12.id
  AND w6.work_id = w13.id
  AND r1.work_id = w14.id
  AND c4.country_id = c15.id
  AND c15.continent = 'europe'
  AND l12.name = 'polish'
  AND w0.year BETWEEN 1990 AND 2010
  AND g2.name = 'crime'
  AND r1.votes > 1000
  AND c3.continent = 'europe'
