SELECT count(*), max(c0.name), max(r5.written), min(m7.joined)
FROM kind AS k4, member AS m7, company_kind AS c6, company AS c0, work AS w2, country AS c3, work_company AS w1, review AS r5
WHERE w1.company_id = c0.id
  AND w1.work_id = w2.id
  AND c0.country_id = c3.id
  AND w2.kind_id = k4.id
  AND r5.work_id = w2.id
  AND w1.kind_id = c6.id
  AND m7.country_id = c3.id
  AND c0.country_id = m7.country_id
  AND c0.name LIKE 'K%'
  AND c6.name = 'effects'
  AND w2.title LIKE '%river%'
