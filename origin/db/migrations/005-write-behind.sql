-- The state of the venue as of the write-behind's position (`ledger_consumer_offsets`, consumer `sync`). With the journal's bodies after it
-- these tables are everything that an empty Redis has to be given back. Counted in ticks, lots and smallest steps, as the engine counts.

CREATE TABLE venue_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The engine's time, in milliseconds.
  at bigint NOT NULL DEFAULT 0,
  next_order_id bigint NOT NULL DEFAULT 1,
  next_trade_id bigint NOT NULL DEFAULT 1
);

INSERT INTO venue_state DEFAULT VALUES;

CREATE TABLE currencies (
  currency text PRIMARY KEY,
  scale integer NOT NULL,
  supply numeric(38, 0) NOT NULL CHECK (supply >= 0)
);

CREATE TABLE trading_pairs (
  pair text PRIMARY KEY,
  base_currency text NOT NULL,
  quote_currency text NOT NULL,
  tick_steps numeric(38, 0) NOT NULL,
  lot_steps numeric(38, 0) NOT NULL,
  value_steps_min numeric(38, 0) NOT NULL,
  maker_fee_ppm integer NOT NULL,
  taker_fee_ppm integer NOT NULL,
  is_trading boolean NOT NULL,
  band_ppm integer NOT NULL,
  version integer NOT NULL,
  grid integer NOT NULL,
  last_ticks bigint NOT NULL
);

CREATE TABLE trading_users (
  user_id text PRIMARY KEY,
  is_frozen boolean NOT NULL
);

CREATE TABLE assets (
  user_id text NOT NULL,
  currency text NOT NULL,
  available numeric(38, 0) NOT NULL CHECK (available >= 0),
  frozen numeric(38, 0) NOT NULL CHECK (frozen >= 0),
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, currency)
);

CREATE TABLE orders (
  id bigint PRIMARY KEY,
  user_id text NOT NULL,
  pair text NOT NULL,
  grid integer NOT NULL,
  side text NOT NULL,
  type text NOT NULL,
  time_in_force text NOT NULL,
  post_only boolean NOT NULL,
  ticks bigint NOT NULL,
  lots bigint NOT NULL,
  quote_amount numeric(38, 0) NOT NULL,
  filled_lots bigint NOT NULL,
  filled_value numeric(38, 0) NOT NULL,
  fee_paid numeric(38, 0) NOT NULL,
  status text NOT NULL,
  cancel_reason text NOT NULL,
  client_order_id text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- What a restore and the archive look for: those that still stand, and those that were made long ago.
CREATE INDEX orders_open ON orders (id) WHERE status IN ('open', 'partiallyFilled');
CREATE INDEX orders_created_at ON orders USING brin (created_at);

-- Client order ids and references that are remembered for 24 hours.
CREATE TABLE order_references (
  user_id text NOT NULL,
  kind text NOT NULL,
  reference text NOT NULL,
  digest text NOT NULL,
  order_id bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (user_id, kind, reference)
);

CREATE INDEX order_references_at ON order_references (at);

-- Files of orders that ended long ago, each with orders that were made on one day.
CREATE TABLE order_archives (
  path text PRIMARY KEY,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL CHECK (last_id >= first_id),
  orders integer NOT NULL CHECK (orders > 0),
  sha256 text NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX order_archives_ids ON order_archives (first_id, last_id);
