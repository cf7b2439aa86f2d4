-- An item that is counted in another unit begins with no price.
-- $1 itemCode
WITH history AS (DELETE FROM historical_ohlc WHERE item_code = $1), today AS (DELETE FROM intraday_ohlc WHERE item_code = $1)
DELETE FROM current_prices WHERE item_code = $1
