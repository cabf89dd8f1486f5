SELECT count(*), max(p2.name), min(a3.name), max(a5.year)
FROM country AS c4, person AS p2, credit AS c0, role AS r1, work AS w6, alias AS a3, award AS a5
WHERE c0.role_id = r1.id
  AND c0.person_id = p2.id
  AND a3.person_id = p2.id
  AND p2.country_id = c4.id
  AND a5.person_id = p2.id
  AND a5.work_id = w6.id
  AND r1.name = 'guest'
  AND w6.year IS NULL
