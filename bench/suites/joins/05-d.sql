SELECT count(*), min(w0.title), min(p2.born), min(p2.name)
FROM award AS a1, award_kind AS a3, work AS w0, work_keyword AS w4, person AS p2
WHERE a1.work_id = w0.id
  AND a1.person_id = p2.id
  AND a1.kind_id = a3.id
  AND w4.work_id = w0.id
  AND a1.work_id = w4.work_id
  AND (w0.title LIKE 'The s%' OR w0.minutes > 100)
  AND NOT a1.won AND a1.year < 2000
