SELECT count(*), max(r0.stars), min(r0.written), min(w1.year)
FROM language AS l2, review AS r0, work AS w1
WHERE r0.work_id = w1.id
  AND w1.language_id = l2.id
  AND l2.name = 'french'
  AND r0.stars IN (1, 5)
