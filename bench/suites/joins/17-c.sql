SELECT count(*), max(p5.born), max(c6.note), max(p13.name)
FROM link_kind AS l10, person AS p13, person AS p5, person AS p15, work AS w3, credit AS c6, award_kind AS a9, language AS l12, link AS l4, person AS p11, role AS r1, credit AS c2, award AS a7, kind AS k14, country AS c16, credit AS c0, work AS w8
WHERE c0.role_id = r1.id
  AND c2.role_id = r1.id
  AND c2.work_id = w3.id
  AND l4.work_id = w3.id
  AND c2.person_id = p5.id
  AND c6.role_id = r1.id
  AND a7.person_id = p5.id
  AND l4.work_id = w8.id
  AND a7.kind_id = a9.id
  AND l4.kind_id = l10.id
  AND c6.person_id = p11.id
  AND w3.language_id = l12.id
  AND c6.person_id = p13.id
  AND w8.kind_id = k14.id
  AND a7.person_id = p15.id
  AND p13.country_id = c16.id
  AND r1.name = 'self'
  AND c6.note IS NOT NULL
  AND c0.note IN ('(as himself)', '(uncredited)')
  AND w3.year IS NULL
  AND p11.name LIKE 'S%'
