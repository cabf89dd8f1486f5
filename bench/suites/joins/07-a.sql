SELECT count(*), max(p3.name), max(w4.title), max(a6.year)
FROM work AS w4, work_company AS w2, country AS c1, company AS c0, award AS a6, company_kind AS c5, person AS p3
WHERE c0.country_id = c1.id
  AND w2.company_id = c0.id
  AND p3.country_id = c1.id
  AND w2.work_id = w4.id
  AND w2.kind_id = c5.id
  AND a6.person_id = p3.id
  AND c0.name LIKE 'K%'
  AND a6.won
