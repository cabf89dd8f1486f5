SELECT count(*), max(k4.word), min(w5.year), min(w15.year)
FROM country AS c10, language AS l14, member AS m12, work AS w15, work AS w0, country AS c6, member AS m13, work_keyword AS w2, kind AS k16, keyword AS k4, language AS l1, genre AS g3, country AS c9, edition AS e7, review AS r8, work AS w11, work AS w5
WHERE w0.language_id = l1.id
  AND w2.work_id = w0.id
  AND w0.genre_id = g3.id
  AND w2.keyword_id = k4.id
  AND w5.genre_id = g3.id
  AND w0.country_id = c6.id
  AND e7.work_id = w5.id
  AND r8.work_id = w0.id
  AND e7.country_id = c9.id
  AND e7.country_id = c10.id
  AND w2.work_id = w11.id
  AND r8.member_id = m12.id
  AND r8.member_id = m13.id
  AND w5.language_id = l14.id
  AND w2.work_id = w15.id
  AND w11.kind_id = k16.id
  AND c9.code IN ('gb', 'jp', 'ca')
  AND e7.released BETWEEN '1990-01-01' AND '2005-12-31'
  AND k16.name IN ('feature', 'episode')
  AND (w0.title LIKE 'The s%' OR w0.minutes > 100)
  AND k4.word IN ('silver-ka42', 'fire-ur105', 'silver-zo0')
  AND r8.stars = 4
