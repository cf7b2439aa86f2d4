-- Tracked prices (origin/prices/): what is tracked, where it comes from, the latest price, today's course, and the history.
-- Amounts are NUMERIC in the item's unit; a date is the day in Tehran.

CREATE TABLE price_settings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Null for the built-in schedule.
  schedule jsonb,
  -- Counts every change that readers of the board see; copies in Redis carry it.
  revision bigint NOT NULL DEFAULT 1,
  -- Built-in items and providers up to this version were inserted once; what an admin deletes stays deleted.
  seeded integer NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO price_settings DEFAULT VALUES;

CREATE TABLE price_providers (
  provider text PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('http', 'venue', 'feed', 'demo')),
  enabled boolean NOT NULL,
  description jsonb NOT NULL,
  -- Name to sealed text.
  secrets jsonb NOT NULL DEFAULT '{}',
  -- Taken and moved on in one statement by the process that fetches: each due time is fetched once.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- The due time of the last attempt.
  attempted_due_at timestamptz,
  attempted_at timestamptz,
  succeeded_at timestamptz,
  failures integer NOT NULL DEFAULT 0,
  -- Requests of the day in Tehran, for providers with a daily limit.
  requests_day date,
  requests_of_day integer NOT NULL DEFAULT 0,
  -- What the last attempt found: error, refused values, duration.
  report jsonb NOT NULL DEFAULT '{}',
  accepts_jumps boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX price_providers_due ON price_providers (due_at) WHERE enabled;

CREATE TABLE tracked_items (
  item_code text PRIMARY KEY,
  item_type text NOT NULL CHECK (item_type IN ('currency', 'crypto', 'gold', 'coin')),
  name_fa text NOT NULL,
  name_en text NOT NULL,
  name_ar text NOT NULL,
  enabled boolean NOT NULL,
  provider text NOT NULL REFERENCES price_providers (provider),
  unit text NOT NULL,
  decimals integer NOT NULL CHECK (decimals BETWEEN 0 AND 8),
  multiplier numeric NOT NULL CHECK (multiplier > 0),
  jump_percent_max integer NOT NULL CHECK (jump_percent_max > 0),
  category text NOT NULL DEFAULT '',
  icon text NOT NULL DEFAULT '',
  sort_order integer NOT NULL,
  -- Null: the provider's own table of keys has it.
  original_key text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX tracked_items_type ON tracked_items (item_type, enabled);
CREATE INDEX tracked_items_provider ON tracked_items (provider, enabled);

CREATE TABLE current_prices (
  item_code text PRIMARY KEY REFERENCES tracked_items ON DELETE CASCADE,
  item_type text NOT NULL,
  price numeric NOT NULL CHECK (price > 0),
  change numeric,
  change_percent numeric,
  -- As the provider states it; ours is computed.
  provider_change_percent numeric,
  high24h numeric NOT NULL,
  low24h numeric NOT NULL,
  volume24h numeric,
  market_cap numeric,
  last_updated timestamptz NOT NULL,
  source text NOT NULL CHECK (source IN ('api', 'cache', 'fallback')),
  data_age text NOT NULL CHECK (data_age IN ('fresh', 'stale')),
  -- After this time it is stale, whatever data_age says: no process may be left to write it.
  fresh_until timestamptz NOT NULL,
  provider text NOT NULL,
  -- apiTimestamp, fetchDuration, category, originalKey; refusal of a later value.
  metadata jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX current_prices_type ON current_prices (item_type, data_age);
CREATE INDEX current_prices_updated ON current_prices (last_updated DESC);

CREATE TABLE intraday_ohlc (
  item_code text NOT NULL REFERENCES tracked_items ON DELETE CASCADE,
  date date NOT NULL,
  date_jalali text NOT NULL,
  open numeric NOT NULL,
  high numeric NOT NULL,
  low numeric NOT NULL,
  close numeric NOT NULL,
  -- [{"time": "08:10", "price": "1133500"}, …], one for each ten minutes at most.
  data_points jsonb NOT NULL,
  update_count integer NOT NULL,
  first_update timestamptz NOT NULL,
  last_update timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (item_code, date)
);

CREATE INDEX intraday_ohlc_date ON intraday_ohlc (date DESC);

-- Bars of three resolutions that never overlap in time: a stretch is in the finest tier that still has it.
-- No foreign key: other series than items (pairs of the venue) fit as well, and a bulk load checks nothing a million times.
CREATE TABLE historical_ohlc (
  item_code text NOT NULL,
  item_type text NOT NULL,
  timeframe text NOT NULL CHECK (timeframe IN ('10m', '1h', '1d')),
  opened_at timestamptz NOT NULL,
  date date NOT NULL,
  open numeric NOT NULL,
  high numeric NOT NULL,
  low numeric NOT NULL,
  close numeric NOT NULL,
  volume numeric,
  -- Prices that were aggregated, and those that the schedule had asked for.
  data_points integer NOT NULL,
  expected_points integer NOT NULL,
  is_complete boolean NOT NULL,
  has_missing_data boolean NOT NULL,
  source text NOT NULL CHECK (source IN ('api', 'calculated', 'interpolated')),
  last_updated timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (item_code, timeframe, opened_at)
);

CREATE INDEX historical_ohlc_item ON historical_ohlc (item_code, opened_at DESC);
CREATE INDEX historical_ohlc_tier ON historical_ohlc (timeframe, opened_at);
CREATE INDEX historical_ohlc_date ON historical_ohlc (date DESC);
