/** The server answers and cannot serve: loading, full, a replica, a cluster without the slot. */
const UNABLE = /^(LOADING|OOM|MISCONF|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS)\b/;
/** ioredis has no class for these. */
const NOT_CONNECTED = /^(Connection is closed|Stream isn't writeable|Command timed out|connect )/;

/** Whether a call failed because the venue's Redis is unavailable, and not because the call was wrong. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ReplyError") return UNABLE.test(error.message);
  const code = (error as { code?: unknown }).code;
  return (
    error.name === "MaxRetriesPerRequestError" ||
    NOT_CONNECTED.test(error.message) ||
    (typeof code === "string" && /^E[A-Z]+$/.test(code))
  );
}
