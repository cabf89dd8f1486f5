SELECT count(*), min(c0.note), min(r5.score), max(p7.name)
FROM language AS l4, credit AS c6, genre AS g2, credit AS c0, work AS w1, person AS p7, role AS r3, award AS a9, rating AS r5, award AS a8
WHERE c0.work_id = w1.id
  AND w1.genre_id = g2.id
  AND c0.role_id = r3.id
  AND w1.language_id = l4.id
  AND r5.work_id = w1.id
  AND c6.role_id = r3.id
  AND c6.person_id = p7.id
  AND a8.person_id = p7.id
  AND a9.person_id = p7.id
  AND w1.year > 1976
  AND g2.name = 'fantasy'
  AND p7.born > '1985-01-14'
  AND c0.note = '(as himself)'
