-- Candles for ever, in tiers: 10 minutes for 7 days, hours for 90 days, days without end. A moment of a pair is in one
-- tier only. Amounts are exact decimals; trades are numbered per pair, so a bar says which trades it holds.
CREATE TABLE market_ohlc (
  symbol text NOT NULL,
  tf text NOT NULL CHECK (tf IN ('10m', '1h', '1d')),
  -- Milliseconds since 1970.
  open_time bigint NOT NULL,
  open numeric NOT NULL,
  high numeric NOT NULL,
  low numeric NOT NULL,
  close numeric NOT NULL,
  volume numeric NOT NULL,
  quote_volume numeric NOT NULL,
  trades bigint NOT NULL CHECK (trades > 0),
  taker_buy_volume numeric NOT NULL,
  taker_buy_quote_volume numeric NOT NULL,
  first_trade bigint NOT NULL,
  last_trade bigint NOT NULL CHECK (last_trade >= first_trade),
  -- How many bars of the finer tier it was made from; 0 if it was made from trades.
  made_from integer NOT NULL DEFAULT 0,
  is_complete boolean NOT NULL,
  -- Trades between its first and its last one are missing.
  has_missing_data boolean NOT NULL,
  source text NOT NULL CHECK (source IN ('trades', 'rollup', 'rebuild')),
  -- Counts the changes after the first write of a complete bar: a late part or a repair.
  revision integer NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (symbol, tf, open_time)
);

-- Minutes that have left Redis: one file for each pair and day.
CREATE TABLE candle_archives (
  symbol text NOT NULL,
  -- Days since 1970.
  day integer NOT NULL,
  path text NOT NULL,
  bars integer NOT NULL CHECK (bars > 0),
  sha256 text NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (symbol, day)
);
