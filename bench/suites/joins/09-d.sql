SELECT count(*), min(p0.name), max(a5.year), max(w7.title)
FROM work AS w7, award_kind AS a8, credit AS c2, person AS p0, role AS r3, award AS a1, award AS a5, award_kind AS a4, country AS c6
WHERE a1.person_id = p0.id
  AND c2.person_id = p0.id
  AND c2.role_id = r3.id
  AND a1.kind_id = a4.id
  AND a5.kind_id = a4.id
  AND p0.country_id = c6.id
  AND c2.work_id = w7.id
  AND a5.kind_id = a8.id
  AND w7.minutes < 78
  AND c2.note IN ('(archive footage)', '(co-producer)')
  AND r3.name IN ('actress', 'writer')
