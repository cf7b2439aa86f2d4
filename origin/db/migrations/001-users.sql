-- People with an account. Names are kept in the one spelling in which they are compared.
CREATE TABLE users (
  id uuid PRIMARY KEY,
  username text NOT NULL CONSTRAINT users_username_key UNIQUE CHECK (username ~ '^[a-z0-9_]{3,32}$'),
  email text NOT NULL CONSTRAINT users_email_key UNIQUE CHECK (
    email = lower(email) AND octet_length(email) <= 254 AND email ~ '^[^@[:space:]]{1,64}@[^@[:space:]]+$'
  ),
  -- Argon2id is what we write; bcrypt is taken over from elsewhere and leaves with the next login.
  password_hash text NOT NULL CHECK (password_hash ~ '^(\$argon2id\$v=19\$|\$2[aby]\$(0[4-9]|1[0-4])\$)'),
  role text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'suspended')),
  -- Grows with each change of the row, so that copies elsewhere never go back in time.
  revision integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz,
  CHECK (updated_at >= created_at)
);

-- What changed lately, for those who keep copies.
CREATE INDEX users_updated_at ON users (updated_at);
-- Search by the beginning of a name or an address.
CREATE INDEX users_username_prefix ON users (username text_pattern_ops);
CREATE INDEX users_email_prefix ON users (email text_pattern_ops);

CREATE FUNCTION users_before_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at THEN
    RAISE EXCEPTION 'the id and the beginning of an account stay';
  END IF;
  NEW.revision := OLD.revision + 1;
  NEW.updated_at := greatest(clock_timestamp(), OLD.updated_at);
  RETURN NEW;
END
$$;

CREATE TRIGGER users_before_update BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION users_before_update();
