SELECT count(*), min(c4.note), min(p5.name), max(c7.note)
FROM credit AS c4, country AS c8, person AS p5, work AS w0, work AS w6, award_kind AS a2, award AS a1, genre AS g3, credit AS c7, work_keyword AS w9
WHERE a1.work_id = w0.id
  AND a1.kind_id = a2.id
  AND w0.genre_id = g3.id
  AND c4.work_id = w0.id
  AND c4.person_id = p5.id
  AND a1.work_id = w6.id
  AND c7.work_id = w6.id
  AND p5.country_id = c8.id
  AND w9.work_id = w6.id
  AND c4.work_id = a1.work_id
  AND w6.year > 2003
  AND c4.note = '(uncredited)'
  AND c7.note = '(uncredited)'
  AND a2.name = 'writing'
