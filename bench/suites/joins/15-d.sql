SELECT count(*), min(w0.title), max(w6.year), min(e7.released)
FROM company_kind AS c11, genre AS g5, link AS l1, edition AS e7, link AS l4, kind AS k14, link_kind AS l9, country AS c8, company AS c10, country AS c13, link_kind AS l2, work AS w6, work AS w0, country AS c12, work_company AS w3
WHERE l1.linked_id = w0.id
  AND l1.kind_id = l2.id
  AND w3.work_id = w0.id
  AND l4.kind_id = l2.id
  AND w0.genre_id = g5.id
  AND l4.linked_id = w6.id
  AND e7.work_id = w6.id
  AND e7.country_id = c8.id
  AND l1.kind_id = l9.id
  AND w3.company_id = c10.id
  AND w3.kind_id = c11.id
  AND w6.country_id = c12.id
  AND e7.country_id = c13.id
  AND w0.kind_id = k14.id
  AND w0.minutes < 32
  AND k14.name IN ('short', 'episode')
  AND c11.name = 'distribution'
  AND c12.code = 'jp'
  AND c13.code = 'fr'
  AND l2.name LIKE '%of%'
