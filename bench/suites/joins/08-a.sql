SELECT count(*), max(w2.title), max(r7.score), max(r7.votes)
FROM kind AS k4, work_company AS w1, rating AS r7, work AS w2, work AS w6, work AS w0, company_kind AS c5, language AS l3
WHERE w1.work_id = w0.id
  AND w1.work_id = w2.id
  AND w2.language_id = l3.id
  AND w2.kind_id = k4.id
  AND w1.kind_id = c5.id
  AND w6.language_id = l3.id
  AND r7.work_id = w2.id
  AND w1.work_id = r7.work_id
  AND w1.note LIKE '%(DVD)%'
  AND l3.name = 'french'
  AND w6.year IS NULL
