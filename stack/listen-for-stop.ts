/** npm and the parent process forward the same Ctrl-C again; only a later one is a second request. */
const SAME_WISH_MS = 500;

/**
 * Aborts on Ctrl-C, SIGTERM, a closed terminal, or the end of the parent process. The second request exits at once; the
 * kernel then kills the children (see `child.ts`).
 */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  let firstAskedAt = Number.POSITIVE_INFINITY;
  const ask = () => {
    if (performance.now() - firstAskedAt > SAME_WISH_MS) process.exit(1);
    firstAskedAt = Math.min(firstAskedAt, performance.now());
    controller.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  process.on("disconnect", ask);
  return controller.signal;
}
