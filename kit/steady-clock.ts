const TICK_MS = 10;
/** A tick later than this means that the machine was stopped. */
const TICK_MS_MAX = 15;

let nowMs = 0;
let lastTickMs = performance.now();

setInterval(() => {
  const tickMs = performance.now();
  nowMs += Math.min(tickMs - lastTickMs, TICK_MS_MAX);
  lastTickMs = tickMs;
}, TICK_MS).unref();

/**
 * A clock that stops while this machine is stopped, to within a tick. Promises within a second depend on timers, and on
 * a shared machine all timers can be late together.
 */
export function steadyNowMs(): number {
  return nowMs;
}
