/**
 * Mistakes made on purpose in the texts of the scripts. The auditor must object to each: an auditor that lets one of
 * them pass would let the real one pass too.
 */
export const mutations: readonly Mutation[] = [
  [
    "a slot lives one moment too long",
    "local is_active = slot_until and slot_until > now",
    "local is_active = slot_until and slot_until >= now",
  ],
  ["lapsed slots are left lying", "local LAPSED_MAX = 64", "local LAPSED_MAX = 0"],
  ["one slot too many", "math.min(max_active - ", "math.min(max_active + 1 - "],
  ["the cap is forgotten", "math.min(max_active - redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf'), ", "math.min("],
  ["walking in costs nothing", "bucket.pace = bucket.pace - 1", ""],
  ["walking in is never held back", "is_moving and bucket.pace >= 1", "is_moving"],
  ["reserving costs nothing", "bucket.tokens = bucket.tokens - 1", ""],
  ["unclaimed slots cost their token", "bucket.tokens = math.min(burst, bucket.tokens + count)", ""],
  [
    "the past counts beyond the burst",
    "pace = math.min(burst, (tonumber(stored[2]) or burst) + earned)",
    "pace = (tonumber(stored[2]) or burst) + earned",
  ],
  ["fractions of the refill are lost", "now - refilled_at) * rate / 1000", "now - refilled_at) * rate / 1000 - 0.01"],
  ["who is overdue is promoted", "tonumber(due[index]) >= now", "tonumber(due[index]) >= 0"],
  ["who is present is passed over", "tonumber(due[index]) >= now", "tonumber(due[index]) >= now + 1900"],
  ["the next one is passed over when the first is gone", "gone[#gone + 1] = ticket", "gone[#gone + 1] = ticket; break"],
  ["lower lanes go first", "(LANE_MAX - lane) * LANE_SPAN", "lane * LANE_SPAN"],
  [
    "the line is served from its end",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')",
    "redis.call('ZRANGE', WAITING, 0, count - 1, 'REV', 'WITHSCORES')",
  ],
  ["who comes back goes to the end", "return stand_at(order)", "return stand_at(order - order % LANE_SPAN + bucket.sequence + 1)"],
  ["a repeated join loses its place", "if place then return stand_at(place) end", ""],
  ["a repeated join with a slot gets another place", "return stand_at(ready_order)", "return stand_at(0)"],
  ["a used-up ticket comes back", "if used then return answer_used() end", "if used and is_active then return answer_used() end"],
  [
    "a session that ended is said to run",
    "if is_active then return { 'admitted', slot_until, 0 } end",
    "if used == 'admitted' then return { 'admitted', now, 0 } end",
  ],
  ["who leaves keeps the slot", "redis.call('ZREM', ACTIVE, TICKET)\n  redis.call('SET', USED, reason", "redis.call('SET', USED, reason"],
  [
    "a claim may be made at any time",
    "redis.call('ZADD', ACTIVE, now + claim_ms, ticket)",
    "redis.call('ZADD', ACTIVE, now + claim_ms * 10, ticket)",
  ],
  [
    "the next poll comes after the claim window",
    "local poll_ms_max = math.min(POLL_MS_MAX, claim_ms * POLL_SHARE_OF_CLAIM)",
    "local poll_ms_max = POLL_MS_MAX",
  ],
  ["a pause stops nobody", "local is_moving = mode == 'active' or mode == 'drain'", "local is_moving = true"],
  ["a paused line lets reservations in", "is_moving and bucket.pace >= 1", "bucket.pace >= 1"],
  ["a session that is over is renewed", "expires_at <= now or", "expires_at < now or"],
  ["a reservation is renewed like a session", "or redis.call('ZSCORE', READY, session) then return 0", "then return 0"],
  [
    "nobody moves up when somebody leaves",
    "local has_more = promote(HEADS_MAX) or has_lapsed\n  save_bucket()",
    "local has_more = has_lapsed\n  save_bucket()",
  ],
  [
    "only the head's own poll moves the line",
    "local has_more = promote(HEADS_MAX) or has_lapsed\n  local answer",
    "local has_more = redis.call('ZRANK', WAITING, TICKET) == 0 and promote(HEADS_MAX) or has_lapsed\n  local answer",
  ],
];

/** What is wrong, the text that is right, and the text that takes its place. */
export type Mutation = readonly [what: string, right: string, wrong: string];
