-- Merges all bars of a tier that begin before a time into the next tier and deletes them, in one step. Repeating it
-- changes nothing. A late part whose trades the coarser bar holds already is dropped; one that adds trades is merged
-- and counts as a revision.
-- $1 fromTf
-- $2 toTf
-- $3 spanMs
-- $4 before
WITH moved AS (
  DELETE FROM market_ohlc WHERE tf = $1 AND open_time < $4::bigint RETURNING *
), grouped AS (
  SELECT symbol, open_time - open_time % $3::bigint AS bucket,
    (array_agg(open ORDER BY open_time))[1] AS open, max(high) AS high, min(low) AS low,
    (array_agg(close ORDER BY open_time DESC))[1] AS close, sum(volume) AS volume, sum(quote_volume) AS quote_volume,
    sum(trades)::bigint AS trades, sum(taker_buy_volume) AS taker_buy_volume,
    sum(taker_buy_quote_volume) AS taker_buy_quote_volume, min(first_trade) AS first_trade,
    max(last_trade) AS last_trade, count(*)::integer AS made_from, bool_and(is_complete) AS is_complete,
    bool_or(has_missing_data) OR max(last_trade) - min(first_trade) + 1 <> sum(trades) AS has_missing_data
  FROM moved GROUP BY symbol, bucket
), merged AS (
  INSERT INTO market_ohlc AS held (
    symbol, tf, open_time, open, high, low, close, volume, quote_volume, trades, taker_buy_volume,
    taker_buy_quote_volume, first_trade, last_trade, made_from, is_complete, has_missing_data, source
  )
  SELECT symbol, $2, bucket, open, high, low, close, volume, quote_volume, trades, taker_buy_volume,
    taker_buy_quote_volume, first_trade, last_trade, made_from, is_complete, has_missing_data, 'rollup'
  FROM grouped
  ON CONFLICT (symbol, tf, open_time) DO UPDATE SET
    open = CASE WHEN excluded.first_trade < held.first_trade THEN excluded.open ELSE held.open END,
    close = CASE WHEN excluded.last_trade > held.last_trade THEN excluded.close ELSE held.close END,
    high = greatest(held.high, excluded.high),
    low = least(held.low, excluded.low),
    volume = held.volume + excluded.volume,
    quote_volume = held.quote_volume + excluded.quote_volume,
    trades = held.trades + excluded.trades,
    taker_buy_volume = held.taker_buy_volume + excluded.taker_buy_volume,
    taker_buy_quote_volume = held.taker_buy_quote_volume + excluded.taker_buy_quote_volume,
    first_trade = least(held.first_trade, excluded.first_trade),
    last_trade = greatest(held.last_trade, excluded.last_trade),
    made_from = held.made_from + excluded.made_from,
    has_missing_data = greatest(held.last_trade, excluded.last_trade) - least(held.first_trade, excluded.first_trade) + 1
      <> held.trades + excluded.trades,
    revision = held.revision + 1, updated_at = now()
  WHERE excluded.first_trade > held.last_trade OR excluded.last_trade < held.first_trade
  RETURNING 1
)
SELECT (SELECT count(*) FROM moved)::integer AS moved
