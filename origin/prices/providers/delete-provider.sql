-- Deletes a provider that no item uses.
-- $1 provider
DELETE FROM price_providers p WHERE provider = $1 AND NOT EXISTS (SELECT FROM tracked_items i WHERE i.provider = p.provider)
RETURNING provider
