SELECT count(*), max(w1.title), min(w1.year), max(a6.year)
FROM work AS w7, language AS l5, award AS a6, role AS r2, work AS w1, person AS p4, credit AS c0, edition AS e3
WHERE c0.work_id = w1.id
  AND c0.role_id = r2.id
  AND e3.work_id = w1.id
  AND c0.person_id = p4.id
  AND w1.language_id = l5.id
  AND a6.person_id = p4.id
  AND c0.work_id = w7.id
  AND c0.work_id = e3.work_id
  AND e3.released > '2019-02-10'
  AND r2.name IN ('producer', 'actor')
  AND NOT a6.won AND a6.year < 2000
