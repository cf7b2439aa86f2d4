import { beforeEach, describe, expect, it } from "vitest";
import { type ForgedToken, forgedPasses, forgedTickets } from "../../kit/forged-tokens.ts";
import { createTokenForge, type TokenForge, VENUE } from "../../kit/token-forge.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE } from "./visitor.ts";

const stack = await startGateStack();
const { origin, url, edges } = stack;
const port = edges[0]?.port ?? 0;
await stack.setQueue(VENUE, { maxActive: 1 });
const holder = createVisitor(url);
await holder.get(`/${VENUE}/`);
expect(holder.cookies.has(`sluice-pass-${VENUE}`)).toBe(true);

beforeEach(() => origin.reset());

/** A token that is not valid yet must stay so for as long as its test runs. */
const forgeOf = (kind: "ticket" | "pass", { aheadSeconds }: { readonly aheadSeconds: number }): Promise<TokenForge> =>
  createTokenForge({ kind, nowSeconds: Math.floor(Date.now() / 1000) + aheadSeconds, jwk: stack.key });

/** Clients reject characters that cannot be in a header, which says nothing about the gate. */
const isHeaderText = (token: string) => /^[\x21-\x7e]+$/.test(token);

async function expectUnauthorised(headers: Readonly<Record<string, string>>): Promise<void> {
  for (const verb of ["enter", "heartbeat", "leave"]) {
    const seen = await createVisitor(url).send("POST", `/_sluice/queues/${VENUE}/${verb}`, headers);
    expect([verb, seen.status, seen.json["code"]]).toEqual([verb, 401, "token_invalid"]);
  }
}

async function expectPlaceInLine(headers: Readonly<Record<string, string>>): Promise<void> {
  const seen = await createVisitor(url).get(`/${VENUE}/x`, { ...JSON_PLEASE, ...headers });
  expect([seen.status, seen.json["state"]]).toEqual([200, "waiting"]);
}

describe.each([
  ["pass", forgedPasses],
  ["ticket", forgedTickets],
] as const)("every forged %s (G9)", (kind, forged: readonly ForgedToken[]) => {
  it.each(forged)(
    "%s: 401 on our routes, a place in line on protected ones, never the origin",
    async (_name, reason, make) => {
      const token = await make(await forgeOf(kind, { aheadSeconds: reason === "not_yet_valid" ? 60 : 0 }));
      const shown = isHeaderText(token)
        ? [{ cookie: `sluice-${kind}-${VENUE}=${token}` }, { authorization: `Bearer ${token}` }]
        : [];
      for (const headers of shown) {
        await expectUnauthorised(headers);
        await expectPlaceInLine(headers);
      }
      expect(origin.requests).toEqual([]);
    },
  );
});

describe("a token in the wrong place", () => {
  it("two passes under one name are none", async () => {
    const pass = holder.cookies.get(`sluice-pass-${VENUE}`) ?? "";
    const cookie = `sluice-pass-${VENUE}=${pass}; sluice-pass-${VENUE}=planted`;
    expect((await createVisitor(url).get(`/${VENUE}/x`, { ...JSON_PLEASE, cookie })).json["state"]).toBe("waiting");
    expect(origin.requests).toEqual([]);
  });

  it("a client's pass in our header is ignored, whatever its spelling", async () => {
    const pass = holder.cookies.get(`sluice-pass-${VENUE}`) ?? "";
    for (const name of ["x-sluice-pass", "X-SLUICE-PASS", "x_sluice_pass"]) {
      expect((await createVisitor(url).get(`/${VENUE}/x`, { ...JSON_PLEASE, [name]: pass })).json["state"]).toBe(
        "waiting",
      );
    }
    expect(origin.requests).toEqual([]);
  });
});

describe("a spelling of a protected path (G10)", () => {
  const spellings = [
    "/venue/x",
    "/VENUE/x",
    "/Venue/x",
    "/venue",
    "/venue/",
    "//venue/x",
    "/./venue/x",
    "/x/../venue/x",
    "/x/..%2fvenue/x",
    "/x/%2e%2e/venue/x",
    "/x/.%2e/venue/x",
    "/venue%2fx",
    "/venue%2Fx",
    "/%76enue/x",
    "/%56ENUE/x",
    "/%2576enue/x",
    "/venue;/x",
    "/venue;a=b/x",
    "/venue%3b/x",
    "/venue%5cx",
    "/venue\\x",
    "/\\venue/x",
    "/venue%00/x",
    "/venue%0a/x",
    "/venue%0d%0a/x",
    "/venue%20/x",
    "/venue%c0%afx",
    "/%c1%b6enue/x",
    "/venue/x?y=/../../free",
    "/venue/x#/free",
    "/free/..;/venue/x",
    "/ſenue/../venue/x",
    `/venue/${"x".repeat(9_000)}`,
  ];

  it.each(spellings)(
    "%s never reaches the origin without a pass as a path that it could take for the protected one",
    async (spelling) => {
      const response = await sendRaw(port, rawGet(spelling));
      expect(response.status).toBeLessThan(500);
      for (const request of origin.requests) {
        const decoded = decodeURIComponent(request.url.split("?")[0] ?? "").toLowerCase();
        expect(decoded).not.toMatch(/(^|[/\\])venue([/\\;]|$)/);
      }
    },
  );

  it("is not let through by a host, a forwarding header or an override of the path either", async () => {
    const lines = [
      "X-Original-URL: /free",
      "X-Rewrite-URL: /free",
      "X-Forwarded-Host: other.test",
      "X-Forwarded-Prefix: /free",
      "Forwarded: host=other.test",
    ];
    expect((await sendRaw(port, rawGet("/venue/x", lines))).status).toBe(200);
    expect(origin.requests).toEqual([]);
    expect((await sendRaw(port, rawGet("/free", ["X-Original-URL: /venue/x"]))).status).toBe(200);
    expect(origin.requests.map((request) => [request.url, request.headers.has("x-original-url")])).toEqual([
      ["/free", false],
    ]);
  });

  it("does not become another site on the way out: no redirect of ours leads anywhere", async () => {
    for (const target of ["//evil.test/venue", "/\\evil.test", "/venue/..//evil.test", "/venue/https://evil.test"]) {
      const response = await sendRaw(port, rawGet(target));
      expect(response.headers.has("location")).toBe(false);
    }
  });
});
