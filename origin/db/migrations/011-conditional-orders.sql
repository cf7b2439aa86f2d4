-- Orders with conditions, order lists, triggers that were reached and have not run yet, and the dead man's switch: with them a restored engine
-- continues exactly where the recorded one was.

-- Null for a plain order. Its fields have the names and units of the engine's row.
ALTER TABLE orders ADD COLUMN conditions jsonb;

-- Pending orders are not in the book, and a restore needs them as well.
DROP INDEX orders_open;
CREATE INDEX orders_open ON orders (id) WHERE status IN ('pending', 'open', 'partiallyFilled');

CREATE TABLE order_lists (
  id bigint PRIMARY KEY,
  user_id text NOT NULL,
  pair text NOT NULL,
  kind text NOT NULL,
  client_list_id text NOT NULL,
  -- In the order of their roles; 0 for an absent one.
  order_ids bigint[] NOT NULL,
  status text NOT NULL,
  reserved numeric(38, 0) NOT NULL CHECK (reserved >= 0),
  due_as bigint NOT NULL,
  target_profit_ppm integer NOT NULL,
  stop_loss_ppm integer NOT NULL,
  bought_lots bigint NOT NULL,
  bought_value numeric(38, 0) NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE INDEX order_lists_active ON order_lists (id) WHERE status = 'active';
CREATE INDEX order_lists_user ON order_lists (user_id, id);

-- As the journal writes them; an empty list if there are none.
ALTER TABLE trading_pairs ADD COLUMN waves text NOT NULL DEFAULT '[]';

-- When all orders of the user are cancelled, in milliseconds; null if they are not.
ALTER TABLE trading_users ADD COLUMN cancel_at bigint;

-- Files of the archive hold orders or order lists.
ALTER TABLE order_archives ADD COLUMN contents text NOT NULL DEFAULT 'orders' CHECK (contents IN ('orders', 'lists'));
