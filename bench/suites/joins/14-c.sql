SELECT count(*), min(w6.year), max(c7.note), min(a8.year)
FROM country AS c11, credit AS c7, award AS a8, genre AS g4, credit AS c0, role AS r2, country AS c10, person AS p9, work_company AS w5, kind AS k3, country AS c12, work AS w13, work AS w1, work AS w6
WHERE c0.work_id = w1.id
  AND c0.role_id = r2.id
  AND w1.kind_id = k3.id
  AND w1.genre_id = g4.id
  AND w5.work_id = w1.id
  AND w6.kind_id = k3.id
  AND c7.role_id = r2.id
  AND a8.work_id = w6.id
  AND c7.person_id = p9.id
  AND w1.country_id = c10.id
  AND p9.country_id = c11.id
  AND w6.country_id = c12.id
  AND c7.work_id = w13.id
  AND a8.work_id = c7.work_id
  AND p9.name LIKE 'S%'
  AND w1.year > 2005
  AND c7.note IS NOT NULL
  AND c10.continent = 'europe'
  AND (w6.title LIKE 'The s%' OR w6.minutes > 100)
