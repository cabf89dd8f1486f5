SELECT count(*), min(r2.stars), min(r8.written), max(m13.joined)
FROM review AS r2, work AS w11, genre AS g5, company AS c7, member AS m13, member AS m4, language AS l3, review AS r8, genre AS g12, work AS w0, link AS l1, member AS m14, kind AS k15, country AS c6, work AS w10, link_kind AS l9
WHERE l1.work_id = w0.id
  AND r2.work_id = w0.id
  AND w0.language_id = l3.id
  AND r2.member_id = m4.id
  AND w0.genre_id = g5.id
  AND m4.country_id = c6.id
  AND c7.country_id = c6.id
  AND r8.member_id = m4.id
  AND l1.kind_id = l9.id
  AND r8.work_id = w10.id
  AND r8.work_id = w11.id
  AND w11.genre_id = g12.id
  AND r8.member_id = m13.id
  AND r2.member_id = m14.id
  AND w11.kind_id = k15.id
  AND m4.country_id = c7.country_id
  AND r8.stars = 4
  AND r2.written >= '2022-06-01'
  AND g12.name IN ('fantasy', 'romance', 'crime')
  AND g5.name IN ('history', 'fantasy', 'thriller')
  AND w11.title LIKE '%river%'
