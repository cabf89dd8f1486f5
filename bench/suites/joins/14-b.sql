SELECT count(*), min(c0.note), max(r3.votes), min(p12.born)
FROM award AS a5, rating AS r3, person AS p12, work AS w10, credit AS c0, alias AS a4, person AS p1, work AS w2, genre AS g11, award AS a9, country AS c7, award_kind AS a6, award_kind AS a13, language AS l8
WHERE c0.person_id = p1.id
  AND c0.work_id = w2.id
  AND r3.work_id = w2.id
  AND a4.person_id = p1.id
  AND a5.person_id = p1.id
  AND a5.kind_id = a6.id
  AND p1.country_id = c7.id
  AND w2.language_id = l8.id
  AND a9.kind_id = a6.id
  AND a9.work_id = w10.id
  AND w2.genre_id = g11.id
  AND a4.person_id = p12.id
  AND a5.kind_id = a13.id
  AND w2.year BETWEEN 1990 AND 2010
  AND a6.name IN ('camera', 'picture')
  AND c7.continent = 'europe'
  AND w10.minutes < 147
  AND a13.name = 'camera'
