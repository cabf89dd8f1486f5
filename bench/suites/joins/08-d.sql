SELECT count(*), min(p0.born), min(p0.name), max(c1.note)
FROM country AS c5, credit AS c1, edition AS e7, role AS r4, person AS p0, award AS a6, work AS w2, alias AS a3
WHERE c1.person_id = p0.id
  AND c1.work_id = w2.id
  AND a3.person_id = p0.id
  AND c1.role_id = r4.id
  AND p0.country_id = c5.id
  AND a6.person_id = p0.id
  AND e7.country_id = c5.id
  AND a3.person_id = a6.person_id
  AND r4.name = 'costume'
  AND c1.note IN ('(archive footage)', '(co-producer)')
  AND w2.title LIKE '%river%'
