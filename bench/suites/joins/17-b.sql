SELECT count(*), max(w0.title), min(w9.year), max(p10.born)
FROM work_keyword AS w4, country AS c11, link AS l2, work AS w5, work_keyword AS w1, role AS r8, genre AS g7, keyword AS k16, work AS w0, language AS l12, work AS w15, credit AS c6, person AS p10, link_kind AS l14, keyword AS k3, work AS w9, language AS l13
WHERE w1.work_id = w0.id
  AND l2.work_id = w0.id
  AND w1.keyword_id = k3.id
  AND w4.keyword_id = k3.id
  AND w1.work_id = w5.id
  AND c6.work_id = w5.id
  AND w0.genre_id = g7.id
  AND c6.role_id = r8.id
  AND c6.work_id = w9.id
  AND c6.person_id = p10.id
  AND p10.country_id = c11.id
  AND w0.language_id = l12.id
  AND w5.language_id = l13.id
  AND l2.kind_id = l14.id
  AND l2.work_id = w15.id
  AND w4.keyword_id = k16.id
  AND g7.name IN ('family', 'thriller', 'drama')
  AND (w0.title LIKE 'The s%' OR w0.minutes > 100)
  AND c11.code IN ('au', 'ca', 'pt')
  AND k3.word IN ('island-ka4', 'harbour-bra84', 'city-gor136')
  AND w9.minutes < 51
