SELECT count(*), min(p0.name), min(a1.year), max(a2.name)
FROM alias AS a2, award AS a1, credit AS c3, person AS p0
WHERE a1.person_id = p0.id
  AND a2.person_id = p0.id
  AND c3.person_id = p0.id
  AND a1.person_id = a2.person_id
  AND p0.gender = 'f'
  AND c3.note IN ('(archive footage)', '(co-producer)')
