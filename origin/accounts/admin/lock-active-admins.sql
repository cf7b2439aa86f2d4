-- Locks the admins who can sign in until the end of the transaction: two admins who demote each other wait here.
SELECT id::text AS id FROM users WHERE role = 'admin' AND status = 'active' ORDER BY id FOR UPDATE
