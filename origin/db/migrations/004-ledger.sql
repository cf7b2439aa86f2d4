-- The ledger: what the journal says of money, once, for ever. Everything here only grows; triggers refuse anything else to everybody,
-- and the role that writes has no right to it.

-- How far each reader of the journal has come. Moved in the transaction that wrote what was read: that is what "exactly once" rests on.
CREATE TABLE ledger_consumer_offsets (
  consumer text PRIMARY KEY CHECK (consumer IN ('ledger', 'sync')),
  sequence bigint NOT NULL DEFAULT 0 CHECK (sequence >= 0),
  updated_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO ledger_consumer_offsets (consumer) VALUES ('ledger'), ('sync');

-- One row for each entry of the journal. `hash` chains over what was posted for it, and over the row before.
CREATE TABLE ledger_entries (
  sequence bigint PRIMARY KEY CHECK (sequence >= 1),
  journal_hash text NOT NULL CHECK (journal_hash ~ '^[A-Za-z0-9_-]{43}$'),
  hash text NOT NULL CHECK (hash ~ '^[A-Za-z0-9_-]{43}$'),
  last_command text NOT NULL,
  trades integer NOT NULL CHECK (trades >= 0),
  postings integer NOT NULL CHECK (postings >= 0),
  written_at timestamptz NOT NULL DEFAULT now()
);

-- Entries that could not be understood or posted, as they came. Their row in ledger_entries has no postings.
CREATE TABLE ledger_parked (
  sequence bigint PRIMARY KEY REFERENCES ledger_entries (sequence),
  reason text NOT NULL,
  body text NOT NULL,
  parked_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ledger_currencies (
  currency text PRIMARY KEY,
  scale integer NOT NULL CHECK (scale BETWEEN 0 AND 18)
);

-- What ticks and lots of a pair were worth; a pair whose steps change gets a new grid.
CREATE TABLE ledger_grids (
  pair text NOT NULL,
  grid integer NOT NULL,
  base_currency text NOT NULL REFERENCES ledger_currencies (currency),
  quote_currency text NOT NULL REFERENCES ledger_currencies (currency),
  tick_steps numeric(38, 0) NOT NULL CHECK (tick_steps > 0),
  lot_steps numeric(38, 0) NOT NULL CHECK (lot_steps > 0),
  PRIMARY KEY (pair, grid)
);

-- Every trade. Amounts are exact decimals; buy_fee is in the base currency, sell_fee in the quote currency.
CREATE TABLE trade_ledger (
  trade_id bigint NOT NULL CHECK (trade_id >= 1),
  sequence bigint NOT NULL,
  symbol text NOT NULL,
  grid integer NOT NULL,
  buy_user_id text NOT NULL,
  sell_user_id text NOT NULL,
  buy_order_id bigint NOT NULL,
  sell_order_id bigint NOT NULL,
  taker_side text NOT NULL CHECK (taker_side IN ('buy', 'sell')),
  price numeric NOT NULL CHECK (price > 0),
  qty numeric NOT NULL CHECK (qty > 0),
  value numeric NOT NULL CHECK (value > 0),
  buy_fee numeric NOT NULL CHECK (buy_fee BETWEEN 0 AND qty),
  sell_fee numeric NOT NULL CHECK (sell_fee BETWEEN 0 AND value),
  executed_at timestamptz NOT NULL,
  PRIMARY KEY (trade_id, executed_at)
) PARTITION BY RANGE (executed_at);

CREATE INDEX trade_ledger_symbol ON trade_ledger (symbol, executed_at);
CREATE INDEX trade_ledger_buyer ON trade_ledger (buy_user_id, executed_at);
CREATE INDEX trade_ledger_seller ON trade_ledger (sell_user_id, executed_at);

-- Double entry: the amounts of one movement (a trade, its fees, a deposit) add up to zero in each currency. `outside` is where deposits
-- come from and withdrawals go to, `house` is where fees go.
CREATE TABLE postings (
  sequence bigint NOT NULL,
  number integer NOT NULL CHECK (number >= 0),
  account text NOT NULL,
  currency text NOT NULL,
  amount numeric NOT NULL CHECK (amount <> 0),
  kind text NOT NULL CHECK (kind IN ('trade', 'fee', 'deposit', 'withdrawal', 'transfer')),
  -- The trade's id, or the id of the command that moved the money.
  cause text NOT NULL,
  reference text NOT NULL,
  posted_at timestamptz NOT NULL,
  PRIMARY KEY (sequence, number, posted_at)
) PARTITION BY RANGE (posted_at);

CREATE INDEX postings_account ON postings (account, posted_at);

-- The journal's own words, for as long as the tables of the write-behind lag behind: with them they make the exact state at the ledger's
-- position. These may go, the rest may not.
CREATE TABLE journal_bodies (
  sequence bigint PRIMARY KEY,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  last_command text NOT NULL,
  body text NOT NULL
);

-- Gone within minutes: compressing them would be wasted.
ALTER TABLE journal_bodies ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger only grows: % of % is refused', TG_OP, TG_TABLE_NAME;
END
$$;

DO $$
DECLARE
  ledger_table text;
BEGIN
  FOREACH ledger_table IN ARRAY ARRAY['ledger_entries', 'ledger_parked', 'ledger_currencies', 'ledger_grids', 'trade_ledger', 'postings'] LOOP
    EXECUTE format('CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()', ledger_table);
    EXECUTE format('CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows()', ledger_table);
  END LOOP;
END
$$;

-- The partition of a month for trades and one for postings, unless they are there. Row triggers and indexes come from the parent, the
-- one against TRUNCATE has to be said again.
CREATE FUNCTION ledger_ensure_month(month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  part text;
  first_day date := date_trunc('month', month)::date;
BEGIN
  -- One at a time; let go at the end of the transaction.
  PERFORM pg_advisory_xact_lock(7236091845500161025);
  FOREACH parent IN ARRAY ARRAY['trade_ledger', 'postings'] LOOP
    part := parent || to_char(first_day, '_YYYY_MM');
    IF to_regclass(part) IS NULL THEN
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        part, parent, first_day || ' 00:00:00+00', (first_day + interval '1 month')::date || ' 00:00:00+00'
      );
      EXECUTE format('CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows()', part);
    END IF;
  END LOOP;
END
$$;

-- Who writes the ledger: a role without UPDATE and DELETE, taken on inside the ledger's own transactions. Where we may not make roles the
-- triggers stand alone, and the log says so at each start.
DO $$
BEGIN
  IF to_regrole('sluice_ledger') IS NULL THEN
    CREATE ROLE sluice_ledger NOLOGIN;
  END IF;
EXCEPTION
  -- Another database of the same server has just made it.
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN RAISE NOTICE 'the role sluice_ledger could not be made';
END
$$;

DO $$
BEGIN
  IF to_regrole('sluice_ledger') IS NULL THEN
    RETURN;
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO sluice_ledger', current_schema());
  GRANT SELECT, INSERT ON ledger_entries, ledger_parked, ledger_currencies, ledger_grids, trade_ledger, postings, journal_bodies TO sluice_ledger;
  GRANT SELECT, UPDATE ON ledger_consumer_offsets TO sluice_ledger;
  IF NOT pg_has_role(current_user, 'sluice_ledger', 'MEMBER') THEN
    EXECUTE format('GRANT sluice_ledger TO %I', current_user);
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN RAISE NOTICE 'the role sluice_ledger is another owner''s and is not used';
END
$$;
