SELECT count(*), min(c0.note), min(w2.title), max(p4.name)
FROM work_keyword AS w3, genre AS g5, person AS p4, award AS a7, award_kind AS a8, credit AS c0, link AS l6, role AS r1, work AS w2
WHERE c0.role_id = r1.id
  AND c0.work_id = w2.id
  AND w3.work_id = w2.id
  AND c0.person_id = p4.id
  AND w2.genre_id = g5.id
  AND l6.work_id = w2.id
  AND a7.person_id = p4.id
  AND a7.kind_id = a8.id
  AND c0.work_id = w3.work_id
  AND g5.name = 'horror'
