SELECT count(*), max(w0.title), max(w0.year), min(r1.votes)
FROM rating AS r1, work AS w0, kind AS k2
WHERE r1.work_id = w0.id
  AND w0.kind_id = k2.id
  AND k2.name IN ('radio', 'series')
  AND r1.votes > 1000
