/**
 * Mistakes made on purpose in the texts of the scripts. The auditor must object to each: an auditor that lets one of
 * them pass would let the real one pass too.
 */
export const mutations: readonly Mutation[] = [
  ["a slot lives one moment too long", "slot_until and slot_until > now", "slot_until and slot_until >= now"],
  ["lapsed slots are left lying", "local LAPSED_MAX = 64", "local LAPSED_MAX = 0"],
  ["one slot too many is given", "local room = max_active - ", "local room = max_active + 1 - "],
  ["one slot is never given", "local room = max_active - ", "local room = max_active - 1 - "],
  ["the cap is forgotten", "room = math.min(room, PROMOTIONS_MAX)", "room = PROMOTIONS_MAX"],
  ["too many are promoted at once", "slots.room <= 0 or slots.ahead <= 0 and order > slots.last_called", "slots.room <= 0"],
  ["who missed a turn waits for all others", "slots.ahead <= 0 and order > slots.last_called", "slots.ahead <= 0"],
  ["walking in costs nothing", "bucket.tokens, bucket.is_changed = bucket.tokens - 1, true", "bucket.is_changed = true"],
  ["walking in is never held back", "if is_moving and bucket.tokens >= math.min(position, kept_max()) then", "if is_moving then"],
  ["a newcomer takes the token of somebody before", "bucket.tokens >= math.min(position, kept_max())", "bucket.tokens >= 1"],
  ["everybody waits for who is late", "bucket.tokens >= math.min(position, kept_max())", "bucket.tokens >= position"],
  [
    "the past counts beyond the burst",
    "tokens = math.min(burst, tokens + math.max(0, now - refilled_at) * rate / 1000)",
    "tokens = tokens + math.max(0, now - refilled_at) * rate / 1000",
  ],
  ["what was spent is not written", "bucket.tokens, bucket.is_changed = bucket.tokens - 1, true", "bucket.tokens = bucket.tokens - 1"],
  ["fractions of the refill are lost", "* rate / 1000)", "* rate / 1000 - 0.01)"],
  ["who is overdue is promoted", "if due > now then", "if due > 0 then"],
  ["who is present is passed over", "if due > now then", "if due > now + 1400 then"],
  ["nobody is looked at behind one who is gone", "if taken == 0 or slots.is_spent then return false end", "if true then return false end"],
  ["an outage makes everybody late", "if is_forgiven(due) then due = silence.back_by end", ""],
  ["an outage costs people their reservations", "ticket ~= TICKET and is_forgiven(lapsed_at)", "false"],
  ["lower lanes go first", "(LANE_MAX - lane) * LANE_SPAN", "lane * LANE_SPAN"],
  [
    "the line is served from its end",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'REV', 'WITHSCORES')",
  ],
  [
    "who comes back goes to the end",
    "return stand_at(place and math.min(place, order) or order)",
    "return stand_at(order - order % LANE_SPAN + bucket.sequence + 1)",
  ],
  ["a repeated join loses its place", "local held = place or (held_order", "local held = (held_order"],
  ["a repeated join with a slot gets another place", "return stand_at(ready_order)", "return stand_at(0)"],
  ["a used-up ticket comes back", "if used then return answer_used() end", "if used and is_active then return answer_used() end"],
  [
    "a session that ended is said to run",
    "if is_active then return { 'admitted', slot_until, 0 } end",
    "if used == 'admitted' then return { 'admitted', now, 0 } end",
  ],
  [
    "who leaves keeps the slot",
    "redis.call('ZREM', READY, TICKET)\n  redis.call('ZREM', ACTIVE, TICKET)\n",
    "redis.call('ZREM', READY, TICKET)\n",
  ],
  ["a slot is kept past the claim window", "math.min(now + claim_ms, due), ticket)", "now + claim_ms * 10, ticket)"],
  ["a slot is kept for who is overdue", "math.min(now + claim_ms, due), ticket)", "now + claim_ms, ticket)"],
  [
    "the next poll comes after the claim window",
    "local poll_ms_max = math.min(POLL_MS_MAX, claim_ms * POLL_SHARE_OF_CLAIM)",
    "local poll_ms_max = POLL_MS_MAX",
  ],
  ["a pause stops nobody", "(mode == 'active' or mode == 'drain') and not is_before_opening", "not is_before_opening"],
  ["a paused line lets reservations in", "if is_moving and bucket.tokens >=", "if bucket.tokens >="],
  ["a session that is over is renewed", "slot_until <= now or", "slot_until < now or"],
  ["a reservation is renewed like a session", "or redis.call('ZSCORE', READY, session) then return 0", "then return 0"],
  [
    "nobody moves up when somebody leaves",
    "local has_more = promote(HEADS_MAX) or has_lapsed\n  save()",
    "local has_more = has_lapsed\n  save()",
  ],
  [
    "only the head's own poll moves the line",
    "local has_more = promote(HEADS_MAX) or has_lapsed\n  local answer",
    "local has_more = redis.call('ZRANK', WAITING, TICKET) == 0 and promote(HEADS_MAX) or has_lapsed\n  local answer",
  ],
  [
    "the position forgets those with a slot",
    "local position = ready + redis.call('ZRANK', WAITING, TICKET) + 1",
    "local position = redis.call('ZRANK', WAITING, TICKET) + 1",
  ],
  ["who fell silent is counted nowhere", "note('expired', waited(order, due))", ""],
  ["who did not claim is counted nowhere", "note('expired', waited(order, lapsed_at))", ""],
  ["who comes back counts as a newcomer", "is_join and 'enqueued' or 'returned'", "'enqueued'"],
  ["who leaves counts twice", "if order then note('left', waited(order, now)) end", "note('left', waited(order or 0, now))"],
  ["the admitted count as if they had not waited", "note('admitted', waited(order, now))", "note('admitted', 0)"],
  [
    "the line moves before the opening",
    "(mode == 'active' or mode == 'drain') and not is_before_opening",
    "mode == 'active' or mode == 'drain'",
  ],
  ["the line opens a moment late", "if opens_at and now < opens_at then", "if opens_at and now <= opens_at then"],
  ["places are taken before their time", "if phase == 'scheduled' then return { 'scheduled', places_at, opens_at, now } end", ""],
  ["an event that is over takes newcomers", "if phase == 'over' then return { 'over' } end", ""],
  [
    "an event's cap is not in force",
    "local max_active = is_event and tonumber(event[1]) or tonumber(own[2])",
    "local max_active = tonumber(own[2])",
  ],
  [
    "a session is renewed by the queue's time, not the event's",
    "(is_event and tonumber(event[4]) or tonumber(own[5]) or 0)",
    "(tonumber(own[5]) or 0)",
  ],
  ["a draw is told before the opening", "position, order = 0, order - order % SPAN + 1", "position = position"],
  ["what a ticket drew can be read off it before the opening", "position, order = 0, order - order % SPAN + 1", "position = 0"],
  ["nothing is drawn", "local is_drawn = phase == 'prequeue' and order_kind ~= 'fifo'", "local is_drawn = false"],
  ["the largest number goes first", "+ 2 * number + 1", "+ SPAN - 2 * number - 1"],
  ["who comes after the opening stands before those who were drawn", "    go_on_behind(drawn)\n", ""],
  ["numbers after a draw tell no time", "clock + spans_ahead * SPAN)", "clock)"],
];

/** Seeds that show what few others do. Where one no longer does, another is looked for. */
export const tellingSeeds: ReadonlyMap<string, number> = new Map([
  ["a newcomer takes the token of somebody before", 12],
  ["who missed a turn waits for all others", 55],
  ["nobody is looked at behind one who is gone", 54],
  ["an outage makes everybody late", 47],
  ["an outage costs people their reservations", 47],
  ["a session that is over is renewed", 5],
  ["a reservation is renewed like a session", 31],
  ["the line opens a moment late", 10],
  ["an event that is over takes newcomers", 13],
  ["an event's cap is not in force", 7],
  ["who comes after the opening stands before those who were drawn", 199],
]);

/** What is wrong, the text that is right, and the text that takes its place. */
export type Mutation = readonly [what: string, right: string, wrong: string];
