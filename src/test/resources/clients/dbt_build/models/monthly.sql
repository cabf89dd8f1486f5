{{ config(materialized='view') }}
select date_trunc('month', at) as month, sum(amount) as amount, count(*) as n from {{ ref('typed') }} group by 1
