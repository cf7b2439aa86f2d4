-- Writes a queue's whole configuration, if it is still the version that the writer has seen, and makes a draw where the
-- new configuration asks for one. From the moment at which people can take a place in a draw until the opening, nothing
-- that the draw depends on can be changed.
-- KEYS[1] meta     hash
-- KEYS[2] bucket   hash: the sequence
-- ARGV[1] expected the version seen, 0 for a queue that must not exist yet, -1 for whatever is there
-- ARGV[2] fields   JSON object of texts
-- ARGV[3] seed     for a new draw: random, and never seen before
-- Returns the new version, 0 when another version is there, -1 when the draw that is on fixes the order, -2 when it
-- fixes the start of the prequeue, -3 when there is no span of numbers left for another draw (there are some 500 in a
-- queue's life).

-- @include "order"

local META, BUCKET = KEYS[1], KEYS[2]
local DRAWS_KEPT = 5
local expected, fields, seed = tonumber(ARGV[1]), cjson.decode(ARGV[2]), ARGV[3]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local stored = redis.call('HMGET', META, 'version', 'order', 'prequeue_opens_at', 'opens_at', 'draw_span', 'draws')
local sequence = tonumber(redis.call('HGET', BUCKET, 'sequence')) or 0
local version = tonumber(stored[1]) or 0
if expected >= 0 and version ~= expected then return 0 end

local function is_drawn(order) return order == 'random' or order == 'lottery' end
local function is_ahead(moment) return moment and moment > now or false end

local old = { order = stored[2] or 'fifo', prequeue = tonumber(stored[3]), opens = tonumber(stored[4]) }
local new = { order = fields.order or 'fifo', prequeue = tonumber(fields.prequeue_opens_at) }
new.opens = tonumber(fields.opens_at)
local is_open_prequeue = is_ahead(old.opens) and old.prequeue and not is_ahead(old.prequeue)
if is_open_prequeue and (is_drawn(old.order) or is_drawn(new.order)) then
  if new.order ~= old.order then return -1 end
  if new.prequeue ~= old.prequeue then return -2 end
end

local draws, draw_span = cjson.decode(stored[6] or '[]'), stored[5]
-- A draw is under way until its opening. After that its seed is public: an opening that lies ahead is of another draw.
local is_under_way = is_drawn(old.order) and is_ahead(old.opens) and draws[1]
if is_under_way and not is_drawn(new.order) then table.remove(draws, 1) end
if is_under_way and is_drawn(new.order) then
  draws[1].order, draws[1].opensAt = new.order, new.opens
elseif is_drawn(new.order) and is_ahead(new.opens) then
  -- Behind every number that was given out.
  draw_span = span_of(math.max(sequence, clock_at(now))) + 1
  if draw_span + 1 >= LANE_SPAN / SPAN then return -3 end
  table.insert(draws, 1, { span = draw_span, seed = seed, order = new.order, opensAt = new.opens })
end
while #draws > DRAWS_KEPT do table.remove(draws) end

fields.version, fields.draw_span = version + 1, draw_span or nil
-- An empty table would be written as an object.
fields.draws = #draws > 0 and cjson.encode(draws) or '[]'
local flat = {}
for name, value in pairs(fields) do
  flat[#flat + 1] = name
  flat[#flat + 1] = value
end
redis.call('DEL', META)
redis.call('HSET', META, unpack(flat))
return version + 1
