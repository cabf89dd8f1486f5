SELECT count(*), max(r4.votes), min(p6.born), min(p6.name)
FROM rating AS r4, member AS m2, country AS c12, company_kind AS c11, person AS p6, country AS c3, work_company AS w7, work AS w0, company_kind AS c10, genre AS g8, review AS r1, kind AS k5, company AS c9
WHERE r1.work_id = w0.id
  AND r1.member_id = m2.id
  AND m2.country_id = c3.id
  AND r4.work_id = w0.id
  AND w0.kind_id = k5.id
  AND p6.country_id = c3.id
  AND w7.work_id = w0.id
  AND w0.genre_id = g8.id
  AND w7.company_id = c9.id
  AND w7.kind_id = c10.id
  AND w7.kind_id = c11.id
  AND m2.country_id = c12.id
  AND r1.work_id = r4.work_id
  AND g8.name IN ('horror', 'romance', 'thriller')
  AND c10.name = 'music'
  AND m2.joined >= '2020-01-01'
  AND c3.code IN ('ca', 'ru', 'ar')
  AND w7.note IS NULL
