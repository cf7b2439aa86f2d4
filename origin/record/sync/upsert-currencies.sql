-- Currencies and their total supply.
-- $1 currencies
-- $2 scales
-- $3 supplies
INSERT INTO currencies (currency, scale, supply)
SELECT c1, c2::integer, c3::numeric FROM unnest($1::text[], $2::text[], $3::text[]) AS t (c1, c2, c3)
ON CONFLICT (currency) DO UPDATE SET scale = excluded.scale, supply = excluded.supply
