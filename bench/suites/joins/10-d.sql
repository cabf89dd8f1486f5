SELECT count(*), max(w0.year), min(p5.born), min(c9.note)
FROM edition AS e2, person AS p5, role AS r4, credit AS c9, work AS w0, kind AS k1, award AS a6, country AS c7, award_kind AS a8, credit AS c3
WHERE w0.kind_id = k1.id
  AND e2.work_id = w0.id
  AND c3.work_id = w0.id
  AND c3.role_id = r4.id
  AND c3.person_id = p5.id
  AND a6.work_id = w0.id
  AND p5.country_id = c7.id
  AND a6.kind_id = a8.id
  AND c9.role_id = r4.id
  AND c3.work_id = a6.work_id
  AND r4.name IN ('director', 'guest')
  AND c3.position < 8
  AND w0.title LIKE '%river%'
  AND e2.released BETWEEN '1990-01-01' AND '2005-12-31'
