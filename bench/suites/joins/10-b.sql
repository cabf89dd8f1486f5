SELECT count(*), min(p1.born), max(p1.name), min(e6.released)
FROM alias AS a7, person AS p1, work AS w4, work_company AS w9, credit AS c0, edition AS e6, company AS c8, role AS r5, country AS c3, person AS p2
WHERE c0.person_id = p1.id
  AND c0.person_id = p2.id
  AND p2.country_id = c3.id
  AND c0.work_id = w4.id
  AND c0.role_id = r5.id
  AND e6.work_id = w4.id
  AND a7.person_id = p1.id
  AND c8.country_id = c3.id
  AND w9.work_id = w4.id
  AND p2.country_id = c8.country_id
  AND c3.code IN ('cn', 'de', 'us')
  AND w9.note LIKE '%(DVD)%'
  AND (w4.title LIKE 'The s%' OR w4.minutes > 100)
  AND c0.note = '(archive footage)'
