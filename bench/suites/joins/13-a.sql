SELECT count(*), max(m4.joined), max(c5.note), max(w10.title)
FROM work AS w3, genre AS g7, work AS w10, country AS c12, person AS p0, role AS r9, alias AS a1, language AS l11, person AS p6, member AS m4, country AS c8, country AS c2, credit AS c5
WHERE a1.person_id = p0.id
  AND p0.country_id = c2.id
  AND w3.country_id = c2.id
  AND m4.country_id = c2.id
  AND c5.work_id = w3.id
  AND c5.person_id = p6.id
  AND w3.genre_id = g7.id
  AND p0.country_id = c8.id
  AND c5.role_id = r9.id
  AND c5.work_id = w10.id
  AND w10.language_id = l11.id
  AND p0.country_id = c12.id
  AND w3.country_id = p0.country_id
  AND c8.code = 'dk'
  AND c2.code IN ('us', 'dk', 'de')
  AND (w3.title LIKE 'The s%' OR w3.minutes > 100)
  AND (p6.gender = 'm' AND p6.name LIKE '%an%' OR p6.gender = 'f')
  AND g7.name = 'history'
