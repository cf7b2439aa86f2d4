import { beforeAll, describe, expect, it } from "vitest";
import { ISSUER, OTHER_QUEUE, VENUE } from "../../kit/token-forge.ts";
import { systemRandom } from "../../shared/ids.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { createOpenPasses } from "./open-passes.ts";
import { type Tokens, tokensOfIsolate } from "./tokens.ts";

const NOW_MS = 1_790_000_000_000;
let tokens: Tokens;

beforeAll(async () => {
  const opened = await tokensOfIsolate({
    keys: JSON.stringify({ active: "k", keys: [await newTokenKey("k")] }),
    issuer: ISSUER,
  });
  if (!opened.ok) throw new Error(opened.reason.join());
  tokens = opened.value;
});

describe("createOpenPasses", () => {
  it("mints one pass per queue and uses it for half its life", async () => {
    const openPass = createOpenPasses(tokens, systemRandom);
    const first = await openPass({ queueId: VENUE, nowMs: NOW_MS });
    expect(await openPass({ queueId: VENUE, nowMs: NOW_MS + 29_999 })).toBe(first);
    expect(await openPass({ queueId: OTHER_QUEUE, nowMs: NOW_MS })).not.toBe(first);
    expect(await openPass({ queueId: VENUE, nowMs: NOW_MS + 30_000 })).not.toBe(first);
  });

  it("mints a new pass when the clock was set back, so that none comes from the future", async () => {
    const openPass = createOpenPasses(tokens, systemRandom);
    const first = await openPass({ queueId: VENUE, nowMs: NOW_MS });
    expect(await openPass({ queueId: VENUE, nowMs: NOW_MS - 3_600_000 })).not.toBe(first);
  });
});
