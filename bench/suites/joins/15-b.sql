SELECT count(*), max(c0.note), max(w8.note), max(a10.year)
FROM language AS l4, credit AS c0, company_kind AS c11, work AS w1, work_company AS w8, person AS p3, work AS w2, work_keyword AS w5, award_kind AS a14, work_keyword AS w9, role AS r7, country AS c12, genre AS g13, keyword AS k6, award AS a10
WHERE c0.work_id = w1.id
  AND c0.work_id = w2.id
  AND c0.person_id = p3.id
  AND w2.language_id = l4.id
  AND w5.work_id = w2.id
  AND w5.keyword_id = k6.id
  AND c0.role_id = r7.id
  AND w8.work_id = w1.id
  AND w9.keyword_id = k6.id
  AND a10.person_id = p3.id
  AND w8.kind_id = c11.id
  AND w1.country_id = c12.id
  AND w2.genre_id = g13.id
  AND a10.kind_id = a14.id
  AND c0.work_id = w5.work_id
  AND g13.name IN ('crime', 'history', 'comedy')
  AND a14.name = 'music'
  AND (w1.title LIKE 'The s%' OR w1.minutes > 100)
  AND w2.minutes < 137
  AND l4.name = 'hindi'
