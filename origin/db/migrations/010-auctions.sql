-- Opening auctions: what a pair's state is made of, which trades were part of one, and the public record of each.

ALTER TABLE trading_pairs ADD COLUMN state text NOT NULL DEFAULT 'trading' CHECK (state IN ('trading', 'halted', 'auction'));
UPDATE trading_pairs SET state = CASE WHEN is_trading THEN 'trading' ELSE 'halted' END;
ALTER TABLE trading_pairs DROP COLUMN is_trading;
ALTER TABLE trading_pairs ADD COLUMN opens_at bigint NOT NULL DEFAULT 0;
ALTER TABLE trading_pairs ADD COLUMN freeze_ms bigint NOT NULL DEFAULT 0;
-- The progress of the pair's auction as the journal writes it; an empty list before the first one.
ALTER TABLE trading_pairs ADD COLUMN auction text NOT NULL DEFAULT '[]';

-- The number of the pair's auction that a trade was part of; 0 for none.
ALTER TABLE trade_ledger ADD COLUMN auction integer NOT NULL DEFAULT 0 CHECK (auction >= 0);

-- The orders that took part, without their owners: pages as the engine listed them at the bell, and which entry of the journal has them.
CREATE TABLE auction_orders (
  pair text NOT NULL,
  number integer NOT NULL CHECK (number >= 1),
  first integer NOT NULL CHECK (first >= 0),
  grid integer NOT NULL,
  sequence bigint NOT NULL,
  orders text NOT NULL,
  PRIMARY KEY (pair, number, first)
);

CREATE TABLE auctions (
  pair text NOT NULL,
  number integer NOT NULL CHECK (number >= 1),
  grid integer NOT NULL,
  sequence bigint NOT NULL,
  rung_at bigint NOT NULL,
  reference_ticks bigint NOT NULL,
  orders integer NOT NULL CHECK (orders >= 0),
  -- 0 when nothing traded.
  ticks bigint NOT NULL CHECK (ticks >= 0),
  lots numeric(38, 0) NOT NULL CHECK (lots >= 0),
  first_trade_id bigint NOT NULL,
  trades integer NOT NULL CHECK (trades >= 0),
  PRIMARY KEY (pair, number)
);

DO $$
DECLARE
  ledger_table text;
BEGIN
  FOREACH ledger_table IN ARRAY ARRAY['auction_orders', 'auctions'] LOOP
    EXECUTE format('CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()', ledger_table);
    EXECUTE format('CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows()', ledger_table);
  END LOOP;
  IF to_regrole('sluice_ledger') IS NOT NULL THEN
    GRANT SELECT, INSERT ON auction_orders, auctions TO sluice_ledger;
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN RAISE NOTICE 'the role sluice_ledger is another owner''s and is not used';
END
$$;
