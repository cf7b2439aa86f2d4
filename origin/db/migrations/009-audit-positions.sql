-- How far the regular audits have gone through the ledger, written after a clean one only. `verified`: the next one begins behind it. `again`: the
-- walk that goes through everything once more, a stretch with each audit.
CREATE TABLE audit_walks (
  walk text PRIMARY KEY CHECK (walk IN ('verified', 'again')),
  sequence bigint NOT NULL CHECK (sequence >= 0),
  hash text NOT NULL,
  last_trade_id bigint NOT NULL,
  trades bigint NOT NULL,
  postings bigint NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now()
);

-- What each account has by the postings up to `verified`, in smallest steps.
CREATE TABLE audit_totals (
  account text NOT NULL,
  currency text NOT NULL,
  steps numeric(38, 0) NOT NULL,
  PRIMARY KEY (account, currency)
);
