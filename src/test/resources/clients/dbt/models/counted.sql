select count(*) as n from {{ source('shop', 'words') }}
