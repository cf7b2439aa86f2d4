-- The admins who can sign in, held until the end of the transaction: two admins who dismiss each other wait here.
SELECT id::text AS id FROM users WHERE role = 'admin' AND status = 'active' ORDER BY id FOR UPDATE
