SELECT count(*), max(c0.name), min(w1.note), max(w2.title)
FROM company AS c0, work AS w2, work_company AS w1
WHERE w1.company_id = c0.id
  AND w1.work_id = w2.id
  AND w2.year > 2024
  AND c0.name LIKE '%Film%'
