import { beforeAll, describe, expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import { PERMISSIONS, type Permission } from "../../origin/accounts/api-keys/key-queries.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { ACCESS_ENTRIES, type AccessEntry, type Asker } from "./access-entries.ts";
import { type Answer, type CallOptions, passwordOf, startVenue } from "./venue.ts";

/**
 * Route × method × identity × owner, over every operation of the venue's own document. A new operation is covered once
 * it has an entry in `access-entries.ts`; without one its row fails and says what to add.
 */
type Operation = {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly template: string;
  readonly access: "public" | "user" | "admin";
  readonly permission: Permission | undefined;
  /** How many ways of authentication the document names. */
  readonly waysIn: number;
  readonly successes: readonly number[];
};

type DocumentedOperation = {
  readonly operationId: string;
  readonly tags: readonly Operation["access"][];
  readonly security: readonly unknown[];
  readonly "x-sluice-permission"?: Permission;
  readonly responses: Readonly<Record<string, unknown>>;
};

type Key = { readonly id: string; readonly secret: string };
type Identity = { readonly token?: string | undefined; readonly key?: Key };

const venue = await startVenue();
const operations = await readOperations();

/** An admin who only sends refused requests, and so keeps the role. */
let root: Asker;
let rootKey: Key;
/** The account that admins change. */
let bystander: Asker | undefined;
/** A user who owns one of every kind of object. */
let owner: Asker;
/** The objects of `owner`, by the operation that shows them. */
const belongings = new Map<string, string>();
let endedToken: string;
let suspendedToken: string;

async function readOperations(): Promise<readonly Operation[]> {
  const { body } = await venue.call("GET", "/openapi.json");
  const paths = body["paths"] as Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      template,
      access: operation.tags[0] ?? "admin",
      permission: operation["x-sluice-permission"],
      waysIn: operation.security.length,
      successes: Object.keys(operation.responses)
        .map(Number)
        .filter((status) => status < 300),
    })),
  );
}

beforeAll(async () => {
  bystander = await newAsker();
  root = await newAdmin();
  rootKey = await newKey(root, PERMISSIONS);
  owner = await newAsker();
  for (const { id } of operations) {
    const shown = await ACCESS_ENTRIES[id]?.shows?.(owner);
    if (shown !== undefined) belongings.set(id, shown);
  }
  const ended = await newAsker();
  await venue.call("POST", "/auth/logout", { token: ended.token });
  endedToken = ended.token;
  const suspended = await newAsker();
  await venue.call("PATCH", `/admin/users/${suspended.userId}`, { token: root.token, json: { status: "suspended" } });
  suspendedToken = suspended.token;
});

let people = 0;

/** A new account, each from its own address, because one address may create at most fifty. */
async function newAsker(): Promise<Asker> {
  const name = `person_${people++}_of_many`;
  return askerOf(name, await venue.register(name, { address: `2001:db8:${people.toString(16)}::1` }));
}

async function newAdmin(): Promise<Asker> {
  const name = `admin_${people++}`;
  return askerOf(name, await venue.signInAdmin(name));
}

function askerOf(name: string, { status, body }: Answer): Asker {
  expect([200, 201], name).toContain(status);
  const { accessToken: token = "", refreshToken = "", sessionId = "" } = body;
  const { id: userId } = body["user"] as { id: string };
  return { venue, name, userId, sessionId, token, refreshToken, otherUserId: bystander?.userId ?? userId };
}

async function newKey({ token }: Asker, permissions: readonly Permission[]): Promise<Key> {
  const { body } = await venue.call("POST", "/api-keys", { token, json: { label: "matrix", permissions } });
  return { id: String(body["id"]), secret: String(body["secret"]) };
}

function entryOf({ id, method, template }: Operation): AccessEntry {
  const entry = ACCESS_ENTRIES[id];
  const sentence = `${method} ${template} is not in the access matrix: add "${id}" to test/venue/access-entries.ts with what its caller sends ("request"), the refusal for others ("hidden"), what it shows of its owner ("shows"), or that it is public ("isPublic").`;
  if (entry === undefined) throw new Error(sentence);
  return entry;
}

/** The request that succeeds for its maker, sent by another user or with other fields. */
type Prepared = { readonly path: string; readonly options: CallOptions };

async function prepare(operation: Operation, maker: Asker): Promise<Prepared> {
  const { params = {}, query = "", json } = (await entryOf(operation).request?.(maker)) ?? {};
  const path = operation.template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined)
      throw new Error(
        `"${operation.id}" in test/venue/access-entries.ts makes no "${name}" for ${operation.template}.`,
      );
    return value;
  });
  return { path: path + query, options: json === undefined ? {} : { json } };
}

let nonces = 0;

function send(
  { method }: Operation,
  { path, options }: Prepared,
  { token, key }: Identity,
  headers: CallOptions["headers"] = {},
) {
  const body = options.json === undefined ? "" : JSON.stringify(options.json);
  const signed =
    key === undefined
      ? {}
      : signRequest({ ...key, method, path: `/api/v1${path}`, body, nonce: `matrix-${nonces++}`, windowMs: 10_000 });
  return venue.call(method, path, { ...options, token, headers: { ...signed, ...headers } });
}

const succeeds = (operation: Operation) => {
  const { status } = entryOf(operation);
  return status === undefined ? operation.successes : [status];
};

/** The permissions that the document gives an API key. */
function keyVerdict({ access, permission }: Operation, held: readonly Permission[], role: "user" | "admin") {
  if (access === "public") return undefined;
  if (access === "admin" && role === "user") return "not_allowed";
  return permission !== undefined && held.includes(permission) ? undefined : "permission_missing";
}

/** The health of the process, and the pages behind the queues. */
const OUTSIDE_THE_API = [
  "GET /health",
  "GET /",
  "GET /demo/*",
  "GET /prices",
  "GET /prices/",
  "GET /prices/sw.js",
  "GET /prices/assets/:name",
  "GET /prices/:itemCode",
];

describe("the matrix", () => {
  it("has a row for every operation and no other row, and the app serves no other route", () => {
    expect(operations.length).toBeGreaterThan(20);
    const known = operations.map(({ id }) => id);
    expect(Object.keys(ACCESS_ENTRIES).filter((id) => !known.includes(id))).toEqual([]);
    const documented = new Set(
      operations.map(({ method, template }) => `${method} /api/v1${template.replaceAll(/\{(\w+)\}/g, ":$1")}`),
    );
    const answered = venue.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`);
    expect(answered.filter((route) => !OUTSIDE_THE_API.includes(route) && !documented.has(route))).toEqual([]);
  });
});

describe.each(operations.map((operation) => [`${operation.method} ${operation.template}`, operation] as const))(
  "%s",
  (_name, operation) => {
    const { id, method, template, access, permission } = operation;

    it("has a complete entry in the matrix", () => {
      const { hidden, shows, isPublic = false, isOwnOfEachUser = false } = entryOf(operation);
      const isOwn = access === "user" && !isOwnOfEachUser;
      const help = `test/venue/access-entries.ts, "${id}" (${method} ${template})`;
      expect(isPublic, `${help}: "isPublic" must say whether it needs no authentication`).toBe(access === "public");
      if (template.startsWith("/admin/")) expect(access, help).toBe("admin");
      expect(operation.waysIn, help).toBe(access === "public" ? 0 : 1 + Number(permission !== undefined));
      if (isOwn && template.includes("{"))
        expect(hidden, `${help}: add "hidden", the code for another user's request`).toBeDefined();
      if (isOwn && method === "GET" && !template.includes("{")) {
        expect(shows, `${help}: add "shows", which creates data of the owner that the answer shows`).toBeDefined();
      }
    });

    it("answers 401 to every identity without a pass", async () => {
      const prepared = await prepare(operation, await newAsker());
      for (const pass of ["", "x", root.token]) {
        const answer = await send(operation, prepared, root, { [PASS_HEADER]: pass });
        expect([answer.status, answer.body.code]).toEqual([401, "token_invalid"]);
      }
    });

    it("refuses every identity that the document does not allow", async () => {
      const user = await newAsker();
      const prepared = await prepare(operation, user);
      const refusal = async (identity: Identity) => {
        const { status, body } = await send(operation, prepared, identity);
        return `${status} ${body.code}`;
      };
      if (access !== "public") {
        const forged = `${user.token.slice(0, -6)}AAAAAA`;
        for (const token of [undefined, forged, endedToken, suspendedToken, user.refreshToken, await venue.pass()]) {
          expect(await refusal({ token })).toBe("401 not_signed_in");
        }
        const wrongKey = { id: (await newKey(user, PERMISSIONS)).id, secret: "another secret" };
        expect(await refusal({ key: wrongKey })).toBe("401 signature_invalid");
        expect(await refusal({ key: await newKey(user, PERMISSIONS), token: user.token })).toBe(
          "401 signature_invalid",
        );
      }
      if (access === "admin") expect(await refusal(user)).toBe("403 not_allowed");
      for (const held of [...PERMISSIONS.map((one) => [one]), PERMISSIONS.filter((one) => one !== permission)]) {
        const verdict = keyVerdict(operation, held, "user");
        if (verdict !== undefined)
          expect(await refusal({ key: await newKey(user, held) }), held.join()).toBe(`403 ${verdict}`);
      }
      const verdict = keyVerdict(operation, PERMISSIONS, "admin");
      if (verdict !== undefined) expect(await refusal({ key: rootKey }), "an admin's key").toBe(`403 ${verdict}`);
    });

    it("serves every identity that the document allows", async () => {
      const expected = succeeds(operation);
      const admin = await newAdmin();
      expect(expected, "an admin").toContain((await send(operation, await prepare(operation, admin), admin)).status);
      if (access === "admin") return;
      const user = await newAsker();
      if (permission !== undefined) {
        const key = await newKey(user, [permission]);
        expect(expected, "a key").toContain((await send(operation, await prepare(operation, user), { key })).status);
      }
      const answer = await send(operation, await prepare(operation, user), access === "public" ? {} : user);
      expect(expected, answer.text).toContain(answer.status);
    });

    it("neither shows nor changes another user's data", async () => {
      const { hidden, shows } = entryOf(operation);
      const stranger = await newAsker();
      const answers: Answer[] = [];
      if (hidden !== undefined) {
        const victim = await newAsker();
        const prepared = await prepare(operation, victim);
        for (const identity of [
          stranger,
          root,
          ...(permission === undefined ? [] : [{ key: await newKey(stranger, [permission]) }]),
        ]) {
          const answer = await send(operation, prepared, identity);
          expect([answer.status, answer.body.code]).toEqual([404, hidden]);
          answers.push(answer);
        }
        const own = await send(operation, prepared, victim);
        expect(succeeds(operation), "its owner").toContain(own.status);
      }
      if (access === "user") answers.push(await send(operation, await prepare(operation, stranger), stranger));
      const told = answers.map(({ text }) => text).join("\n");
      for (const thing of [...belongings.values(), owner.userId, owner.name]) expect(told).not.toContain(thing);
      if (shows === undefined) return;
      const own = await send(operation, await prepare(operation, owner), owner);
      expect(own.text, "its owner").toContain(belongings.get(id));
    });
  },
);

it("has not changed the account of an uninvolved user", async () => {
  for (const operation of operations.filter(({ id }) => belongings.has(id))) {
    const answer = await send(operation, await prepare(operation, owner), owner);
    expect([operation.id, answer.status]).toEqual([operation.id, 200]);
    expect(answer.text, operation.id).toContain(belongings.get(operation.id));
  }
  expect((await venue.login(owner.name, { password: passwordOf(owner.name) })).status).toBe(200);
});
