-- Trades in the order of their ids, as one text: rows are separated by the ASCII record separator, fields by the unit
-- separator. One text per page instead of a row per trade is several times faster.
-- $1 after
-- $2 upTo
-- $3 limit
-- $4 pair
-- $5 before
SELECT count(*)::integer AS count,
  coalesce(max(trade_id), 0)::text AS "lastId",
  coalesce(string_agg(concat_ws(chr(31), trade_id, symbol, grid, (extract(epoch FROM executed_at) * 1000)::bigint,
    price, qty, value, taker_side, buy_order_id, sell_order_id, buy_user_id, sell_user_id, buy_fee, sell_fee,
    sequence
  ), chr(30) ORDER BY trade_id), '') AS trades
FROM (
  SELECT * FROM trade_ledger
  WHERE trade_id > $1::bigint AND sequence <= $2::bigint AND ($4 = '' OR symbol = $4)
    AND executed_at < to_timestamp($5::float8 / 1000)
  ORDER BY trade_id LIMIT $3::integer
) AS page
