const TICK_MS = 10;
/** A tick that comes later than this is the machine's doing. */
const TICK_MS_MAX = 15;

let nowMs = 0;
let lastTickMs = performance.now();

setInterval(() => {
  const tickMs = performance.now();
  nowMs += Math.min(tickMs - lastTickMs, TICK_MS_MAX);
  lastTickMs = tickMs;
}, TICK_MS).unref();

/**
 * A clock that stands still while this machine does, to within a tick. What is promised within a second is promised by timers,
 * and on a machine that is shared all timers can be late together.
 */
export function steadyNowMs(): number {
  return nowMs;
}
