SELECT count(*), min(w1.title), min(a8.year), max(w9.title)
FROM award_kind AS a10, review AS r6, work AS w1, link AS l4, credit AS c0, role AS r3, country AS c7, work AS w9, award AS a8, person AS p2, work_keyword AS w5
WHERE c0.work_id = w1.id
  AND c0.person_id = p2.id
  AND c0.role_id = r3.id
  AND l4.work_id = w1.id
  AND w5.work_id = w1.id
  AND r6.work_id = w1.id
  AND w1.country_id = c7.id
  AND a8.person_id = p2.id
  AND r6.work_id = w9.id
  AND a8.kind_id = a10.id
  AND c0.position < 37
  AND r3.name IN ('actress', 'producer')
  AND w1.minutes < 31
