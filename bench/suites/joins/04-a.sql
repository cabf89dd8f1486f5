SELECT count(*), min(w0.year), min(r1.stars), min(c2.note)
FROM award AS a3, review AS r1, credit AS c2, work AS w0
WHERE r1.work_id = w0.id
  AND c2.work_id = w0.id
  AND a3.work_id = w0.id
  AND c2.note IS NOT NULL
  AND w0.year > 2022
