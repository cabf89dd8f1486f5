SELECT count(*), max(w1.note), max(w3.year), max(c4.note)
FROM company AS c0, work_company AS w1, credit AS c4, country AS c2, language AS l6, link_kind AS l7, company_kind AS c8, work AS w3, link AS l5
WHERE w1.company_id = c0.id
  AND c0.country_id = c2.id
  AND w1.work_id = w3.id
  AND c4.work_id = w3.id
  AND l5.work_id = w3.id
  AND w3.language_id = l6.id
  AND l5.kind_id = l7.id
  AND w1.kind_id = c8.id
  AND l7.name LIKE '%of%'
  AND l6.name = 'danish'
  AND c4.note = '(voice)'
