/** Deliberate mistakes in the scripts. The auditor must object to each, or it would miss the real mistake too. */
export const mutations: readonly Mutation[] = [
  ["a slot lives one moment too long", "slot_until and slot_until > now", "slot_until and slot_until >= now"],
  ["lapsed slots are not returned", "local LAPSED_MAX = 64", "local LAPSED_MAX = 0"],
  [
    "one slot too many is given",
    "return max_active - redis.call('ZCOUNT'",
    "return max_active + 1 - redis.call('ZCOUNT'",
  ],
  ["one slot is never given", "return max_active - redis.call('ZCOUNT'", "return max_active - 1 - redis.call('ZCOUNT'"],
  ["the cap is ignored", "and seen.turn <= seen.room\n", "\n"],
  ["an entry costs nothing", "    bucket.tokens = bucket.tokens - 1\n", ""],
  ["an entry is never held back", "\n    and entry_ms(seen.turn, seen.order) <= hold_ms(seen.room)", ""],
  [
    "a visitor takes the token of another in front",
    "entry_ms(seen.turn, seen.order) <= hold_ms",
    "entry_ms(1, seen.order) <= hold_ms",
  ],
  [
    "a visitor takes the entry of another in front",
    "local entry = take_entry(seen.turn, order)",
    "local entry = take_entry(1, order)",
  ],
  [
    "an entry that was left free is lost",
    "if time > now then bucket.free[#bucket.free + 1] = time else",
    "if time <= now then",
  ],
  ["an entry that was left free is given twice", "    table.remove(bucket.free, from - 1 + number - credit)\n", ""],
  [
    "a free entry that has passed saves no token",
    "if time <= now then credit = credit + 1 elseif",
    "if time <= now then credit = credit elseif",
  ],
  ["more than the burst is saved up", "  credit = math.min(credit, burst - 1)\n", ""],
  [
    "a future entry is taken at once",
    "return { 'admitted', expires_at, 1, entry - now }",
    "return { 'admitted', expires_at, 1, 0 }",
  ],
  ["a future entry is not remembered", "entry > now and 'admitted:' .. entry or 'admitted'", "'admitted'"],
  [
    "visitors are held too early",
    "math.min(HOLD_MS_MAX - saved_ms, room * 500 / rate)",
    "math.min(2 * HOLD_MS_MAX - saved_ms, room * 500 / rate)",
  ],
  [
    "a visitor enters long before one in front who is held",
    "if other.order < order then earliest",
    "if false then earliest",
  ],
  ["visitors in a narrow room are held too early", "room * 500 / rate", "room * 5000 / rate"],
  ["a visitor passes one who is expected later", "not seen.is_far and not seen.expected_by and", "not seen.is_far and"],
  [
    "a visitor waits for one who is late",
    "elseif expected_at + TURN_LATE_MS < now and not",
    "elseif expected_at + 900 < now and not",
  ],
  [
    "a visitor passes one who is a moment late",
    "elseif expected_at + TURN_LATE_MS < now and not",
    "elseif expected_at < now and not",
  ],
  [
    "visitors are asked to come after their turn",
    "local exact = math.max(entry_ms(turn, seen.order) - lead, held_up_ms",
    "local exact = math.max(entry_ms(turn, seen.order) + 200, held_up_ms",
  ],
  ["the past counts beyond the burst", "tokens = math.min(burst, tokens),", "tokens = tokens,"],
  [
    "an entry is not written",
    "bucket.rate_count, bucket.admitted_at, bucket.is_changed = bucket.rate_count + 1, now, true",
    "bucket.rate_count = bucket.rate_count + 1",
  ],
  [
    "fractions of the refill are lost",
    "tokens + (now - at) * rate / 1000 + credit",
    "tokens + (now - at) * rate / 1000 - 0.01 + credit",
  ],
  [
    "a visitor who polls on time is skipped",
    "due - LATE_MS + late_ms > now or",
    "due - LATE_MS + late_ms > now + 600 or",
  ],
  [
    "an outage makes all visitors late",
    "> now or is_forgiven(due) or tickets[index] == TICKET then",
    "> now or tickets[index] == TICKET then",
  ],
  ["lower lanes go first", "(LANE_MAX - lane) * LANE_SPAN", "lane * LANE_SPAN"],
  [
    "the line is served from its end",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'REV', 'WITHSCORES')",
  ],
  [
    "a returning visitor goes to the end",
    "return stand_at(place and math.min(place, order) or order)",
    "return stand_at(order - order % LANE_SPAN + bucket.sequence + 1)",
  ],
  ["a repeated join loses its place", "local held = place or (held_order", "local held = (held_order"],
  [
    "a used-up ticket comes back",
    "if used then return answer_used() end",
    "if used and is_active then return answer_used() end",
  ],
  [
    "a session that ended is said to run",
    "if is_active then return { 'admitted', slot_until, 0,",
    "if used == 'admitted' then return { 'admitted', now, 0,",
  ],
  [
    "a visitor who leaves keeps the slot",
    "redis.call('ZREM', ACTIVE, TICKET)\n  redis.call('ZREM', READY, TICKET)\n",
    "redis.call('ZREM', READY, TICKET)\n",
  ],
  [
    "a pause stops no admission",
    "(mode == 'active' or mode == 'drain') and not is_before_opening",
    "not is_before_opening",
  ],
  ["a session that is over is renewed", "or slot_until <= now then return 0", "or slot_until < now then return 0"],
  ["a silent visitor is not counted", "note('expired', waited(orders[index], due))", ""],
  ["a returning visitor counts as a newcomer", "is_join and 'enqueued' or 'returned'", "'enqueued'"],
  [
    "a visitor who leaves counts twice",
    "if place then note('left', waited(place, now)) end",
    "note('left', waited(place or 0, now))",
  ],
  [
    "admitted visitors count as if they had not waited",
    "note('admitted', waited(order, entry))",
    "note('admitted', 0)",
  ],
  [
    "the line moves before the opening",
    "(mode == 'active' or mode == 'drain') and not is_before_opening",
    "mode == 'active' or mode == 'drain'",
  ],
  ["the line opens a moment late", "if opens_at and now < opens_at then", "if opens_at and now <= opens_at then"],
  [
    "places are taken before their time",
    "if phase == 'scheduled' then return { 'scheduled', places_at, opens_at, now } end",
    "",
  ],
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
  [
    "a drawn place is published before the opening",
    "position, order = 0, order - order % SPAN + 1",
    "position = position",
  ],
  [
    "a ticket carries its drawn place before the opening",
    "position, order = 0, order - order % SPAN + 1",
    "position = 0",
  ],
  ["nothing is drawn", "local is_drawn = phase == 'prequeue' and order_kind ~= 'fifo'", "local is_drawn = false"],
  ["the largest number goes first", "+ 2 * number + 1", "+ SPAN - 2 * number - 1"],
  ["a visitor who joins after the opening goes before the drawn ones", "    go_on_behind(drawn)\n", ""],
  ["places after a draw carry no time", "clock + spans_ahead * SPAN)", "clock)"],
];

/**
 * The first seed that shows a mistake, where seed 1 does not. Another is searched for when a change of the scripts
 * hides it.
 */
export const tellingSeeds: ReadonlyMap<string, number> = new Map([
  ["a visitor takes the token of another in front", 13],
  ["a visitor takes the entry of another in front", 42],
  ["an entry that was left free is lost", 42],
  ["an entry that was left free is given twice", 42],
  ["a free entry that has passed saves no token", 898],
  ["more than the burst is saved up", 42],
  ["a future entry is taken at once", 13],
  ["a future entry is not remembered", 24],
  ["visitors are held too early", 13],
  ["a visitor enters long before one in front who is held", 980],
  ["visitors in a narrow room are held too early", 26],
  ["a visitor passes one who is expected later", 4],
  ["a visitor waits for one who is late", 5],
  ["an entry is not written", 2],
  ["fractions of the refill are lost", 2],
  ["a visitor who polls on time is skipped", 2],
  ["an outage makes all visitors late", 19],
  ["the line opens a moment late", 13],
  ["places are taken before their time", 3],
  ["an event that is over takes newcomers", 9],
  ["an event's cap is not in force", 16],
  ["a session is renewed by the queue's time, not the event's", 16],
  ["the largest number goes first", 4],
  ["a visitor who joins after the opening goes before the drawn ones", 129],
]);

/** The mistake, the right text, and the text that replaces it. */
export type Mutation = readonly [what: string, right: string, wrong: string];
