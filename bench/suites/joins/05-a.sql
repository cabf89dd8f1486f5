SELECT count(*), max(w0.title), max(w0.year), max(w1.note)
FROM work_company AS w1, genre AS g4, work_keyword AS w2, company_kind AS c3, work AS w0
WHERE w1.work_id = w0.id
  AND w2.work_id = w0.id
  AND w1.kind_id = c3.id
  AND w0.genre_id = g4.id
  AND g4.name = 'fantasy'
  AND c3.name = 'distribution'
