SELECT count(*), max(c0.note), min(w2.year), min(w6.year)
FROM link AS l3, award AS a4, work AS w2, edition AS e7, language AS l8, role AS r1, work AS w6, link_kind AS l5, credit AS c0
WHERE c0.role_id = r1.id
  AND c0.work_id = w2.id
  AND l3.linked_id = w2.id
  AND a4.work_id = w2.id
  AND l3.kind_id = l5.id
  AND l3.linked_id = w6.id
  AND e7.work_id = w2.id
  AND w2.language_id = l8.id
  AND a4.work_id = e7.work_id
  AND w6.year BETWEEN 1990 AND 2010
  AND l8.name LIKE '%n%'
  AND a4.won
