SELECT count(*), min(w2.note), min(p3.name), max(k9.word)
FROM role AS r12, work_company AS w2, credit AS c0, company_kind AS c13, work AS w1, work AS w15, country AS c11, person AS p3, keyword AS k9, edition AS e6, country AS c14, work_company AS w5, company_kind AS c4, work AS w16, work_keyword AS w7, company_kind AS c8, company AS c10
WHERE c0.work_id = w1.id
  AND w2.work_id = w1.id
  AND c0.person_id = p3.id
  AND w2.kind_id = c4.id
  AND w5.kind_id = c4.id
  AND e6.work_id = w1.id
  AND w7.work_id = w1.id
  AND w5.kind_id = c8.id
  AND w7.keyword_id = k9.id
  AND w5.company_id = c10.id
  AND c10.country_id = c11.id
  AND c0.role_id = r12.id
  AND w2.kind_id = c13.id
  AND p3.country_id = c14.id
  AND w5.work_id = w15.id
  AND w7.work_id = w16.id
  AND c0.work_id = e6.work_id
  AND c0.note = '(archive footage)'
  AND r12.name = 'guest'
  AND c11.continent = 'europe'
  AND (w15.title LIKE 'The s%' OR w15.minutes > 100)
  AND w2.note IS NULL
  AND w1.minutes < 28
