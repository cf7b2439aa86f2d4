-- How an invite changes a join: a better lane, and one place for one person.
--
-- KEYS[10] invite   set: tickets that used the invite, and 'revoked' when it was taken back
-- KEYS[11] person   string: ticket, order and time of the place that the invited person holds
-- ARGV[5] lane      0 to 3, higher goes first
-- ARGV[9] uses      how many places the invite is good for; 0 without an invite
-- ARGV[10] keptUntil the last moment at which the invite can be accepted (ms)
-- ARGV[11] isKeyed  1 when the invite names a person
-- ARGV[12] replaced the ticket that this person had before, if that is known to be used up; '' otherwise
-- Returns nothing: the script that includes it does.

-- @include "line"

local INVITE, PERSON = KEYS[10], KEYS[11]
local LANE_MAX = 3
local lane, uses, kept_until = tonumber(ARGV[5]), tonumber(ARGV[9]), tonumber(ARGV[10])
local is_keyed, replaced = ARGV[11] == '1', ARGV[12]

local function lane_of(order)
  return LANE_MAX - math.floor(order / LANE_SPAN)
end

-- The person returns on another device or with another invite. Only the call for the earlier ticket can tell whether
-- its place is still open: that ticket's keys are not here.
local function place_of_person()
  local record = is_keyed and redis.call('GET', PERSON)
  if not record then return nil end
  local ticket, order, joined_at = string.match(record, '^(%S+) (%d+) (%d+)$')
  if not ticket or ticket == TICKET or ticket == replaced then return nil end
  if redis.call('SISMEMBER', INVITE, 'revoked') == 1 then return { 'invite_revoked' } end
  return { 'person', ticket, tonumber(order), tonumber(joined_at) }
end

-- Why no place can be taken with the invite, or nil. Called again after a lost reply, a ticket does not count against
-- itself.
local function invite_refusal()
  if redis.call('SISMEMBER', INVITE, 'revoked') == 1 then return { 'invite_revoked' } end
  local is_new = redis.call('SISMEMBER', INVITE, TICKET) == 0
  if is_new and redis.call('SCARD', INVITE) >= uses then return { 'invite_used' } end
  return nil
end

local function use_invite(order)
  redis.call('SADD', INVITE, TICKET)
  redis.call('PEXPIREAT', INVITE, kept_until)
  if not is_keyed then return end
  local record = table.concat({ TICKET, string.format('%.0f', order), string.format('%.0f', now) }, ' ')
  redis.call('SET', PERSON, record, 'PX', KEEP_MS)
end
