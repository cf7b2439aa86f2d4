-- Deletes an item with its prices and its history.
-- $1 itemCode
WITH history AS (DELETE FROM historical_ohlc WHERE item_code = $1)
DELETE FROM tracked_items WHERE item_code = $1
