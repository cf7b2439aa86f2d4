import { createAgenda } from "../../../kit/agenda.ts";
import { keepScore, type RivalScore } from "../../verdict/line-score.ts";
import { type Crowd, type CrowdVisitor, willStay } from "./line-crowd.ts";

/**
 * Two common admission policies, reduced to what decides how a line moves: which visitor may enter, and when. Without
 * store and network they are at their best.
 */
export type Rival = (crowd: Crowd, untilMs: number) => RivalScore;

const HEAD_POLL_MS = 5_000;
const HEAD_DROPPED_AFTER_MS = 1_800_000;

/** Only the head enters, on its own poll; a silent head is dropped half an hour after its last poll. */
export const headEntersOnOwnPoll: Rival = (crowd, untilMs) => {
  const room = openRoom(crowd);
  const lastPollMs = new Map<CrowdVisitor, number>();

  function poll(visitor: CrowdVisitor, nowMs: number): void {
    if (nowMs >= visitor.silentFromMs) return;
    lastPollMs.set(visitor, nowMs);
    const head = room.line[0];
    if (head !== undefined && nowMs - (lastPollMs.get(head) ?? 0) > HEAD_DROPPED_AFTER_MS) room.line.shift();
    if (room.line[0] === visitor && room.hasRoom(nowMs))
      room.letInFirst(nowMs, { noticesAtMs: nowMs, staysMs: visitor.stayMs });
    else room.at(nowMs + HEAD_POLL_MS, (atMs) => poll(visitor, atMs));
  }

  return room.run(untilMs, poll);
};

const DAEMON_EVERY_MS = 2_000;
const DAEMON_POLL_MS = 2_000;
const GHOST_STAYS_MS = 900_000;

/** A daemon admits the first visitors, present or not; a visitor who left holds the slot until the session expires. */
export const daemonPopsBlindly: Rival = (crowd, untilMs) => {
  const room = openRoom(crowd);

  function tick(nowMs: number): void {
    for (let first = room.line[0]; first !== undefined && room.hasRoom(nowMs); first = room.line[0]) {
      const noticesAtMs = nowMs + ((first.joinsAtMs - nowMs) % DAEMON_POLL_MS) + DAEMON_POLL_MS;
      const staysMs = noticesAtMs < first.silentFromMs ? noticesAtMs - nowMs + first.stayMs : GHOST_STAYS_MS;
      room.letInFirst(nowMs, { noticesAtMs, staysMs });
    }
    room.at(nowMs + DAEMON_EVERY_MS, tick);
  }

  room.at(0, tick);
  return room.run(untilMs, () => {});
};

/** The common part: a line, slots, a token bucket and the score. */
function openRoom({ visitors, limits }: Crowd) {
  const agenda = createAgenda<(nowMs: number) => void>();
  const score = keepScore(limits);
  const line: CrowdVisitor[] = [];
  let inside = 0;
  let ghosts = 0;
  let credit = limits.burst;
  let creditAtMs = 0;

  function hasRoom(nowMs: number): boolean {
    // A daemon that runs every two seconds may spend the tokens of two seconds.
    const creditMax = Math.max(limits.burst, (limits.rate * DAEMON_EVERY_MS) / 1_000);
    credit = Math.min(creditMax, credit + ((nowMs - creditAtMs) * limits.rate) / 1_000);
    creditAtMs = nowMs;
    return credit >= 1 && inside < limits.maxActive;
  }

  function letInFirst(
    nowMs: number,
    { noticesAtMs, staysMs }: { readonly noticesAtMs: number; readonly staysMs: number },
  ): void {
    const visitor = line.shift();
    if (visitor === undefined) return;
    inside++;
    credit--;
    if (noticesAtMs >= visitor.silentFromMs) ghosts++;
    const counts = willStay(visitor);
    agenda.add(noticesAtMs, (atMs) => counts && score.admitted(atMs));
    agenda.add(nowMs + staysMs, (atMs) => {
      inside--;
      if (counts) score.ended(atMs);
    });
  }

  function run(untilMs: number, onJoin: (visitor: CrowdVisitor, nowMs: number) => void): RivalScore {
    for (const visitor of visitors) {
      agenda.add(visitor.joinsAtMs, (nowMs) => {
        line.push(visitor);
        if (willStay(visitor)) score.joined(nowMs);
        onJoin(visitor, nowMs);
      });
    }
    for (let next = agenda.next(); next !== undefined && next.atMs <= untilMs; next = agenda.next())
      next.event(next.atMs);
    return { ...score.total(untilMs), ghosts };
  }

  return { line, hasRoom, letInFirst, run, at: agenda.add };
}
