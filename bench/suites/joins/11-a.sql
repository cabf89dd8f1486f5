SELECT count(*), min(w2.note), max(r6.score), min(r6.votes)
FROM language AS l10, company_kind AS c4, country AS c9, credit AS c1, person AS p5, link AS l7, rating AS r6, work_company AS w2, company AS c8, work AS w0, role AS r3
WHERE c1.work_id = w0.id
  AND w2.work_id = w0.id
  AND c1.role_id = r3.id
  AND w2.kind_id = c4.id
  AND c1.person_id = p5.id
  AND r6.work_id = w0.id
  AND l7.linked_id = w0.id
  AND w2.company_id = c8.id
  AND w0.country_id = c9.id
  AND w0.language_id = l10.id
  AND c1.work_id = r6.work_id
  AND p5.gender = 'f'
  AND c9.code IN ('at', 'ca', 'ru')
  AND r6.score > 7.9
