SELECT count(*), max(p0.name), min(w9.title), max(w14.year)
FROM person AS p0, work AS w14, member AS m7, country AS c1, kind AS k6, work AS w4, work AS w9, language AS l5, edition AS e2, language AS l13, country AS c12, genre AS g11, award_kind AS a10, alias AS a8, award AS a3
WHERE p0.country_id = c1.id
  AND e2.country_id = c1.id
  AND a3.person_id = p0.id
  AND e2.work_id = w4.id
  AND w4.language_id = l5.id
  AND w4.kind_id = k6.id
  AND m7.country_id = c1.id
  AND a8.person_id = p0.id
  AND a3.work_id = w9.id
  AND a3.kind_id = a10.id
  AND w9.genre_id = g11.id
  AND e2.country_id = c12.id
  AND w9.language_id = l13.id
  AND e2.work_id = w14.id
  AND a3.person_id = a8.person_id
  AND w9.title LIKE '%river%'
  AND w14.year > 1941
  AND g11.name IN ('horror', 'horror', 'crime')
  AND e2.released BETWEEN '1990-01-01' AND '2005-12-31'
  AND m7.joined >= '2020-01-01'
  AND k6.name <> 'short'
