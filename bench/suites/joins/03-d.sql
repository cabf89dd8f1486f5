SELECT count(*), max(w0.title), min(r2.stars), min(r2.written)
FROM credit AS c1, review AS r2, work AS w0
WHERE c1.work_id = w0.id
  AND r2.work_id = w0.id
  AND c1.work_id = r2.work_id
  AND w0.title LIKE '%river%'
  AND c1.note = '(co-producer)'
