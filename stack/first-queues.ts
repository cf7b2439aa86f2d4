/**
 * The two queues of a first start: `venue` in front of everything, and `demo`, where three browser windows are enough
 * to see a line, and closed windows give their slots back within a minute. Operators own them from then on: a later
 * start does not touch them, even if they were changed or deleted.
 */
const FIRST_QUEUES = [
  { queueId: "venue", name: "Venue", maxActive: 1_000, admissionRate: 50, admissionBurst: 100 },
  { queueId: "demo", name: "Demo", maxActive: 3, admissionRate: 1, admissionBurst: 1, idleSeconds: 60 },
] as const;

const FIRST_ROUTES = [
  { host: "*", path: "/*", queueId: "venue" },
  { host: "*", path: "/demo/*", queueId: "demo" },
] as const;

type OperatorAccess = { readonly edgeUrl: string; readonly adminToken: string };

/** Through the operator API, like any client. Returns true when it has created them. */
export async function createFirstQueues(access: OperatorAccess): Promise<boolean> {
  const { routes } = (await ask(access, "GET", "/routes")) as { readonly routes: readonly unknown[] };
  const { queues } = (await ask(access, "GET", "/queues")) as { readonly queues: readonly unknown[] };
  if (routes.length > 0 || queues.length > 0) return false;
  for (const queue of FIRST_QUEUES) await ask(access, "POST", "/queues", queue);
  for (const route of FIRST_ROUTES) await ask(access, "POST", "/routes", route);
  return true;
}

async function ask(
  { edgeUrl, adminToken }: OperatorAccess,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${edgeUrl}/_sluice/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok)
    throw new Error(
      `The first queues could not be created: ${method} ${path} answered ${response.status} ${JSON.stringify(answer)}`,
    );
  return answer;
}
