SELECT count(*), min(c0.name), min(w4.title), max(w4.year)
FROM company AS c0, company_kind AS c3, kind AS k5, country AS c1, work AS w4, work_company AS w2
WHERE c0.country_id = c1.id
  AND w2.company_id = c0.id
  AND w2.kind_id = c3.id
  AND w4.country_id = c1.id
  AND w4.kind_id = k5.id
  AND c0.country_id = w4.country_id
  AND c0.name LIKE 'K%'
  AND w4.minutes < 53
