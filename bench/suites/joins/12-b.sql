SELECT count(*), min(w0.year), min(c6.note), min(p7.name)
FROM work AS w0, rating AS r3, country AS c8, work AS w4, work AS w10, credit AS c6, keyword AS k5, work_keyword AS w2, genre AS g1, person AS p7, language AS l9, role AS r11
WHERE w0.genre_id = g1.id
  AND w2.work_id = w0.id
  AND r3.work_id = w0.id
  AND w4.genre_id = g1.id
  AND w2.keyword_id = k5.id
  AND c6.work_id = w4.id
  AND c6.person_id = p7.id
  AND w0.country_id = c8.id
  AND w0.language_id = l9.id
  AND w2.work_id = w10.id
  AND c6.role_id = r11.id
  AND r3.work_id = c6.work_id
  AND k5.word LIKE 'ri%'
  AND l9.name = 'japanese'
  AND r11.name IN ('guest', 'camera')
