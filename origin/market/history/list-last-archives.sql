-- The last archived day of each pair.
SELECT symbol, max(day) AS day FROM candle_archives GROUP BY symbol
