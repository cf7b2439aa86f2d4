const ANSWER_MS_MAX = 5_000;
/** The cookie of a ticket or pass ends with the name of its queue. */
const COOKIE = /^(?:__Host-)?sluice-(?:ticket|pass)-([^=]+)=/;

/** The queue in front of the page, found by joining and leaving it; undefined for an open page. */
export async function queueOfPage(site: string, path: string): Promise<string | undefined> {
  const ask = (to: string, init: RequestInit) =>
    fetch(site + to, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS_MAX), ...init });
  const answer = await ask(path, { headers: { accept: "application/json" } }).catch(() => undefined);
  if (answer === undefined) throw new Error(`no answer from ${site}`);
  // Before an event the answer has no ticket yet.
  const named = /"queueId":"([^"]+)"/.exec(await answer.text())?.[1];
  const [cookie = ""] = answer.headers.getSetCookie().filter((line) => COOKIE.test(line) && !/max-age=0/i.test(line));
  const queueId = COOKIE.exec(cookie)?.[1] ?? named;
  if (queueId === undefined && answer.status >= 500)
    throw new Error(`${site}${path} answers ${answer.status}: is the origin running?`);
  if (cookie !== "") {
    const left = await ask(`/_sluice/queues/${queueId}/leave`, {
      method: "POST",
      headers: { cookie: cookie.split(";", 1)[0] ?? "" },
    });
    await left.arrayBuffer();
  }
  return queueId;
}
