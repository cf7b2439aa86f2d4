import { Redis } from "ioredis";

const ANSWER_MS_MAX = 1_000;
const LOADING = /^loading:1\r?$/m;
const PERCENT = /^loading_loaded_perc:([\d.]+)/m;
const BYTES = /^loading_loaded_bytes:(\d+)/m;

/**
 * The progress of a server that still loads its file, from INFO, which it answers while it refuses all other commands;
 * undefined when it has loaded.
 */
export function loadingProgress(info: string): string | undefined {
  if (!LOADING.test(info)) return undefined;
  const mebibytes = Math.floor(Number(BYTES.exec(info)?.[1] ?? 0) / 1024 / 1024);
  return `Redis loads its file: ${PERCENT.exec(info)?.[1] ?? "0"} % (${mebibytes} MiB)`;
}

/** The same for the server behind a connection that is not ready. Undefined also when it does not answer. */
export async function askLoadingProgress(redis: Redis): Promise<string | undefined> {
  const { host, port, username, password, path, tls } = redis.options;
  const asking = new Redis({
    ...{ lazyConnect: true, enableReadyCheck: false, connectTimeout: ANSWER_MS_MAX, commandTimeout: ANSWER_MS_MAX },
    ...Object.fromEntries(
      Object.entries({ host, port, username, password, path, tls }).filter(([, value]) => value !== undefined),
    ),
    retryStrategy: () => null,
  });
  // ioredis repeats every failure as an event.
  asking.on("error", () => {});
  try {
    await asking.connect();
    return loadingProgress(await asking.info("persistence"));
  } catch {
    return undefined;
  } finally {
    asking.disconnect();
  }
}
