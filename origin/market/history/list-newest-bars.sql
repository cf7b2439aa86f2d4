-- For each pair, the last trade that a complete or open bar holds, and the newest bar.
SELECT symbol, max(last_trade)::text AS "lastTrade", max(open_time)::text AS "openTime"
FROM market_ohlc
GROUP BY symbol
