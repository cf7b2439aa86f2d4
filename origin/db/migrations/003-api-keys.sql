-- Keys with which programs sign their requests. The secret is sealed (AES-256-GCM), because HMAC needs it in clear.
CREATE TABLE api_keys (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{22}$'),
  user_id uuid NOT NULL REFERENCES users (id),
  label text NOT NULL CHECK (char_length(label) BETWEEN 1 AND 64),
  permissions text[] NOT NULL CHECK (cardinality(permissions) BETWEEN 1 AND 3 AND permissions <@ ARRAY['info', 'trade', 'withdraw']),
  cidrs text[] NOT NULL DEFAULT '{}' CHECK (cardinality(cidrs) <= 20),
  sealed_secret text NOT NULL CHECK (sealed_secret ~ '^v[0-9]+\.[A-Za-z0-9_-]+$'),
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  revision integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  CHECK (expires_at IS NULL OR expires_at > created_at)
);

CREATE INDEX api_keys_user ON api_keys (user_id) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_updated_at ON api_keys (updated_at);

-- A user's own keys at another venue, sealed the same way: key and secret together.
CREATE TABLE venue_keys (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{22}$'),
  user_id uuid NOT NULL REFERENCES users (id),
  venue text NOT NULL CHECK (venue IN ('indodax')),
  label text NOT NULL CHECK (char_length(label) BETWEEN 1 AND 64),
  sealed_pair text NOT NULL CHECK (sealed_pair ~ '^v[0-9]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT venue_keys_one_each UNIQUE (user_id, venue)
);
