SELECT count(*), max(p0.born), min(p0.name), max(w2.title)
FROM credit AS c1, alias AS a4, work AS w2, info AS i3, person AS p0
WHERE c1.person_id = p0.id
  AND c1.work_id = w2.id
  AND i3.work_id = w2.id
  AND a4.person_id = p0.id
  AND c1.work_id = i3.work_id
  AND c1.note IN ('(uncredited)', '(co-producer)')
  AND i3.value > 'm'
