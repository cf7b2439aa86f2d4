/** One alarm: setting it again replaces the previous time. */
export type Alarm = { readonly set: (afterMs: number, ring: () => void) => void; readonly stop: () => void };

const WORKER = "let t;onmessage=e=>{clearTimeout(t);t=setTimeout(postMessage,e.data,0)}";
/** Longer than any wait for one poll. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * Browsers let the timers of a hidden tab ring once a minute; those of a worker ring when they should. How slow a
 * hidden tab is, we decide ourselves, because a visitor near the head must not come too late.
 */
export function createAlarm(): Alarm {
  let ring: () => void = () => {};
  let timer = 0;
  const worker = startWorker(() => ring());
  return {
    set(afterMs, next) {
      ring = next;
      if (worker === undefined) {
        clearTimeout(timer);
        timer = window.setTimeout(() => ring(), afterMs);
      } else worker.postMessage(afterMs);
    },
    stop() {
      ring = () => {};
      clearTimeout(timer);
      worker?.postMessage(NEVER_MS);
    },
  };
}

function startWorker(ring: () => void): Worker | undefined {
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" })));
    worker.onmessage = ring;
    return worker;
  } catch {
    // Some privacy settings forbid workers; then the page's own timers have to do.
    return undefined;
  }
}
