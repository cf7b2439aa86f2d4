const ANSWER_MS_MAX = 5_000;
/** A ticket's or a pass's cookie ends with the name of its queue. */
const COOKIE = /^(?:__Host-)?sluice-(?:ticket|pass)-([^=]+)=/;

/** Which queue the page is behind, as a visitor finds out who then leaves again; undefined for one that is open to everybody. */
export async function queueOfPage(site: string, path: string): Promise<string | undefined> {
  const ask = (to: string, init: RequestInit) =>
    fetch(site + to, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS_MAX), ...init });
  const answer = await ask(path, { headers: { accept: "application/json" } }).catch(() => undefined);
  if (answer === undefined) throw new Error(`nothing answers at ${site}`);
  // Before an event there is an answer, but nothing to hold yet.
  const named = /"queueId":"([^"]+)"/.exec(await answer.text())?.[1];
  const [cookie = ""] = answer.headers.getSetCookie().filter((line) => COOKIE.test(line) && !/max-age=0/i.test(line));
  const queueId = COOKIE.exec(cookie)?.[1] ?? named;
  if (queueId === undefined && answer.status >= 500)
    throw new Error(`${site}${path} answers ${answer.status}: is everything up behind it?`);
  if (cookie !== "") {
    const left = await ask(`/_sluice/queues/${queueId}/leave`, { method: "POST", headers: { cookie: cookie.split(";", 1)[0] ?? "" } });
    await left.arrayBuffer();
  }
  return queueId;
}
