-- Deletes a user's own key at another venue.
-- $1 id
-- $2 userId
DELETE FROM venue_keys WHERE id = $1 AND user_id = $2 RETURNING id
