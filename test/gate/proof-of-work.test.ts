import { beforeEach, describe, expect, it } from "vitest";
import { findNonce } from "../../edge/room/client/find-nonce.ts";
import { type ForgedToken, forgedChallenges } from "../../kit/forged-tokens.ts";
import { createTokenForge, VENUE, VISITOR_ID } from "../../kit/token-forge.ts";
import { leadingZeroBits, proofText } from "../../shared/tokens/proof-of-work.ts";
import { sha256 } from "../../shared/tokens/same-bytes.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until } from "./visitor.ts";

const OPERATOR = "operator-token-of-this-test";
const stack = await startGateStack({ variables: { SLUICE_ADMIN_TOKEN: OPERATOR } });
const { origin, url, redis } = stack;
const BITS = 10;

type Challenge = {
  readonly token: string;
  readonly id: string;
  readonly bits: number;
  readonly algorithm: string;
  readonly expiresAt: number;
};
type Proof = { readonly challenge: string; readonly nonce: string };

beforeEach(() => origin.reset());

const challengeOf = ({ json }: Seen) => json["challenge"] as Challenge;

function enter(queueId: string, body: unknown = {}, at = url): Promise<Seen> {
  const headers = { "content-type": "application/json" };
  return createVisitor(at).send("POST", `/_sluice/queues/${queueId}/enter`, headers, JSON.stringify(body));
}

function solve({ token, id, bits }: Challenge): Proof {
  return { challenge: token, nonce: String(findNonce({ id, bits }, { from: 0, count: 10_000_000 })) };
}

/** Has one zero bit too few, or fewer. */
async function almost({ token, id, bits }: Challenge): Promise<Proof> {
  for (let nonce = 0; ; nonce++) {
    const zeros = leadingZeroBits(await sha256(proofText(id, nonce)));
    if (zeros < bits) return { challenge: token, nonce: String(nonce) };
  }
}

const codeOf = ({ status, json }: Seen) => [status, json["code"] ?? json["state"]];

describe("a queue that asks for work", () => {
  it("tells a program what to do, takes the solution once, and costs the store nothing until then", async () => {
    await stack.setQueue("work", { mode: "paused", proofOfWork: BITS });
    const asked = await enter("work");
    expect(codeOf(asked)).toEqual([428, "proof_required"]);
    expect(challengeOf(asked)).toMatchObject({ bits: BITS, algorithm: "sha-256", expiresAt: expect.any(Number) });
    expect(codeOf(await createVisitor(url).get("/work/", JSON_PLEASE))).toEqual([428, "proof_required"]);
    expect(codeOf(await createVisitor(url).send("POST", "/work/buy", {}, "one"))).toEqual([428, "proof_required"]);
    expect(await redis.keys("queue:{work}:*")).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/waiting|proof/)]),
    );
    const proof = solve(challengeOf(asked));
    const visitor = createVisitor(url);
    const joined = await visitor.send(
      "POST",
      "/_sluice/queues/work/enter",
      { "content-type": "application/json" },
      JSON.stringify({ proof }),
    );
    expect(codeOf(joined)).toEqual([201, "waiting"]);
    expect(await redis.pttl(`queue:{work}:proof:${challengeOf(asked).id}`)).toBeGreaterThan(200_000);
    const again = await enter("work", { proof });
    expect([...codeOf(again), challengeOf(again).id]).toEqual([
      428,
      "proof_refused",
      expect.not.stringMatching(challengeOf(asked).id),
    ]);
    expect(await redis.zcard("queue:{work}:waiting")).toBe(1);
    // A visitor with a place owes no work.
    expect(codeOf(await visitor.get("/work/", JSON_PLEASE))).toEqual([200, "waiting"]);
    expect(codeOf(await visitor.send("POST", "/_sluice/queues/work/heartbeat"))).toEqual([200, "waiting"]);
    expect(origin.requests).toEqual([]);
  });

  it("gives one place for one solution, also to many at once", async () => {
    await stack.setQueue("race", { mode: "paused", proofOfWork: BITS });
    const proof = solve(challengeOf(await enter("race")));
    const seen = await Promise.all(Array.from({ length: 8 }, () => enter("race", { proof })));
    expect(seen.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await redis.zcard("queue:{race}:waiting")).toBe(1);
  });

  it("refuses a solution that is wrong, almost right, of another queue, of another address, or for a challenge of ours that is over", async () => {
    await stack.setQueue("one", { mode: "paused", proofOfWork: BITS });
    await stack.setQueue("two", { mode: "paused", proofOfWork: BITS });
    const challenge = challengeOf(await enter("one"));
    expect(codeOf(await enter("one", { proof: await almost(challenge) }))).toEqual([428, "proof_refused"]);
    expect(codeOf(await enter("two", { proof: solve(challenge) }))).toEqual([428, "proof_refused"]);
    const other = solve(challengeOf(await enter("one")));
    expect(codeOf(await enter("one", { proof: { challenge: challenge.token, nonce: other.nonce } }))).toEqual([
      428,
      "proof_refused",
    ]);
    const elsewhere = await stack.startEdge({ variables: { CLIENT_ADDRESS_FROM: "cloudflare" } });
    await until(async () => (await fetch(`${elsewhere.url}/_sluice/queues/one`)).status === 200);
    expect(codeOf(await enter("one", { proof: solve(challenge) }, elsewhere.url))).toEqual([428, "proof_refused"]);
    const forge = await createTokenForge({
      kind: "challenge",
      nowSeconds: Math.floor(Date.now() / 1000) - 400,
      jwk: stack.key,
    });
    const over = await forge.token({ claims: { aud: "sluice:challenge:one" } });
    expect(
      codeOf(await enter("one", { proof: solve({ ...challenge, token: over, id: VISITOR_ID, bits: 8 }) })),
    ).toEqual([428, "proof_refused"]);
    expect(await redis.exists("queue:{one}:waiting", "queue:{two}:waiting")).toBe(0);
    expect(codeOf(await enter("one", { proof: solve(challenge) }))).toEqual([201, "waiting"]);
  });

  it.each([
    ["a nonce that is no number", { challenge: "x", nonce: "0x10" }],
    ["a nonce with a sign", { challenge: "x", nonce: "-1" }],
    ["a number for a nonce", { challenge: "x", nonce: 1 }],
    ["a nonce without end", { challenge: "x", nonce: "1".repeat(17) }],
    ["no challenge", { nonce: "1" }],
    ["a field that is not known", { challenge: "x", nonce: "1", bits: 0 }],
  ])("refuses %s by its name", async (_what, proof) => {
    expect(codeOf(await enter("one", { proof }))).toEqual([422, "validation_failed"]);
  });

  it("spends nothing on a join that is refused", async () => {
    await stack.setQueue("full", { mode: "paused", proofOfWork: BITS, maxQueueSize: 1 });
    await enter("full", { proof: solve(challengeOf(await enter("full"))) });
    const proof = solve(challengeOf(await enter("full")));
    const refused = await enter("full", { proof });
    expect([...codeOf(refused), refused.headers.get("retry-after")]).toEqual([503, "queue_full", "15"]);
    await stack.setQueue("full", { mode: "paused", proofOfWork: BITS, maxQueueSize: 2 });
    expect(codeOf(await enter("full", { proof }))).toEqual([201, "waiting"]);
  });

  it("asks no visitor with an invite", async () => {
    await stack.setQueue("guest", { mode: "paused", proofOfWork: BITS });
    const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
    const { json } = await createVisitor(url).send(
      "POST",
      "/_sluice/admin/queues/guest/invites",
      headers,
      '{"lane":1}',
    );
    expect(codeOf(await enter("guest", { invite: json["invite"] }))).toEqual([201, "waiting"]);
    expect(
      codeOf(await createVisitor(url).get(`/guest/?sluice-invite=${String(json["invite"])}`, JSON_PLEASE)),
    ).toEqual([428, "proof_required"]);
  });

  it("requires no proof where none is configured", async () => {
    await stack.setQueue("free", { mode: "paused" });
    expect(codeOf(await enter("free", { proof: { challenge: "whatever", nonce: "1" } }))).toEqual([201, "waiting"]);
    expect(await redis.keys("queue:{free}:proof:*")).toEqual([]);
  });

  it("shows a person a page that does the work, and says plainly what it needs without JavaScript", async () => {
    const seen = await createVisitor(url).get("/work/", { accept: "text/html" });
    expect([seen.status, seen.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(seen.text).toContain('data-state="checking"');
    expect(seen.text).toMatch(/<noscript><p class="notice">This step needs JavaScript/);
    expect(seen.text).not.toContain('http-equiv="refresh"');
    expect(seen.headers.get("content-security-policy")).toContain("worker-src blob:");
  });
});

describe("every forged challenge (G9)", () => {
  it.each(forgedChallenges)("%s: no place by it, and never 5xx", async (_name, reason, make: ForgedToken[2]) => {
    await workingVenue();
    const aheadSeconds = reason === "not_yet_valid" ? 60 : 0;
    const forge = await createTokenForge({
      kind: "challenge",
      nowSeconds: Math.floor(Date.now() / 1000) + aheadSeconds,
      jwk: stack.key,
    });
    const token = await make(forge);
    const proof = solve({ token, id: VISITOR_ID, bits: 8, algorithm: "sha-256", expiresAt: 0 });
    const seen = await enter(VENUE, { proof });
    expect(token.length > 2_048 ? seen.status < 500 : codeOf(seen)).toEqual(
      token.length > 2_048 ? true : [428, "proof_refused"],
    );
    expect(await redis.exists(`queue:{${VENUE}}:waiting`)).toBe(0);
  });
});

let isVenueSet = false;

async function workingVenue(): Promise<void> {
  if (!isVenueSet) await stack.setQueue(VENUE, { mode: "paused", proofOfWork: 8 });
  isVenueSet = true;
}
