SELECT count(*), max(w0.year), min(p8.name), max(k12.word)
FROM link_kind AS l10, country AS c4, work AS w7, link AS l5, country AS c9, work AS w0, review AS r3, keyword AS k6, person AS p8, language AS l13, work AS w14, keyword AS k12, genre AS g2, member AS m11, work_keyword AS w1
WHERE w1.work_id = w0.id
  AND w0.genre_id = g2.id
  AND r3.work_id = w0.id
  AND w0.country_id = c4.id
  AND l5.work_id = w0.id
  AND w1.keyword_id = k6.id
  AND w1.work_id = w7.id
  AND p8.country_id = c4.id
  AND w0.country_id = c9.id
  AND l5.kind_id = l10.id
  AND r3.member_id = m11.id
  AND w1.keyword_id = k12.id
  AND w7.language_id = l13.id
  AND w1.work_id = w14.id
  AND w1.work_id = l5.work_id
  AND g2.name = 'comedy'
  AND l13.name LIKE '%n%'
  AND k12.word IN ('island-ka37', 'city-gor136', 'wolf-ur82')
  AND m11.plan = 'free'
  AND w7.minutes < 36
