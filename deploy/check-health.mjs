// A container's health check, in an image that has Node and no curl: exits with 0 when the address answers with
// success.
const [url = ""] = process.argv.slice(2);
const ANSWER_MS_MAX = 3_000;

const isHealthy = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
