SELECT count(*), min(p0.name), min(a1.year), max(w11.title)
FROM work AS w11, country AS c9, language AS l10, work AS w3, review AS r4, credit AS c6, award_kind AS a2, member AS m8, award AS a1, role AS r12, link_kind AS l7, person AS p0, link AS l5
WHERE a1.person_id = p0.id
  AND a1.kind_id = a2.id
  AND a1.work_id = w3.id
  AND r4.work_id = w3.id
  AND l5.work_id = w3.id
  AND c6.person_id = p0.id
  AND l5.kind_id = l7.id
  AND r4.member_id = m8.id
  AND m8.country_id = c9.id
  AND w3.language_id = l10.id
  AND l5.linked_id = w11.id
  AND c6.role_id = r12.id
  AND a1.work_id = r4.work_id
  AND a2.name IN ('picture', 'picture')
  AND p0.born > '1951-09-21'
  AND c9.continent = 'europe'
  AND l7.name LIKE '%of%'
