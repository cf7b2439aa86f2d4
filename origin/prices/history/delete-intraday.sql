-- Today's courses are kept for two days: today and yesterday.
-- $1 before
DELETE FROM intraday_ohlc WHERE date < $1::date
