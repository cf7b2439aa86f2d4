/** npm and our own parent pass the same Ctrl-C on to us again; only a later one is a second wish. */
const SAME_WISH_MS = 500;

/**
 * Ctrl-C, a polite kill, a closed terminal, or the end of the process that started us. The second time we go at once; the kernel ends our
 * children with us (see `child.ts`).
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
