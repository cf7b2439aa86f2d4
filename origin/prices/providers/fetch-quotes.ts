import type { Redis } from "ioredis";
import { formatMoney, type Money } from "../../../shared/money.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { DEMO_PRICES } from "../items/first-items.ts";
import type { TrackedItem } from "../items/item.ts";
import { demoPrice } from "./demo-prices.ts";
import { type HttpDescription, type ProviderDescription, withSecrets } from "./describe-provider.ts";
import { feedQuotes, venueQuotes } from "./own-market.ts";
import { type Quote, readAnswer } from "./read-answer.ts";
import type { RequestFault, SendRequest } from "./request-provider.ts";

/** Asks a provider once for the prices of its items. Changes nothing. */
export type FetchQuotes = (asked: AskedProvider) => Promise<Result<readonly Quote[], FetchFault>>;

export type AskedProvider = {
  readonly description: ProviderDescription;
  readonly items: readonly TrackedItem[];
  /** Throws where the secret is missing. */
  readonly secretOf: (name: string) => string;
  readonly nowMs: number;
};

/** `detail` is for admins and contains no secret. */
export type FetchFault = {
  readonly reason: RequestFault["reason"] | "not_json" | "shape_unknown" | "secret_missing";
  readonly detail: string;
  readonly retryAfterMs?: number | undefined;
};

type FetchParts = {
  readonly send: SendRequest;
  readonly redis: Redis;
  readonly sleep: (ms: number) => Promise<void>;
};

/** A provider's name for an item. */
export function keyOfItem(
  { itemCode, metadata }: TrackedItem,
  { kind, keys }: ProviderDescription,
): string | undefined {
  return metadata.originalKey ?? keys[itemCode] ?? (kind === "http" ? undefined : itemCode);
}

export function createFetchQuotes({ send, redis, sleep }: FetchParts): FetchQuotes {
  async function overHttp(description: HttpDescription, secretOf: AskedProvider["secretOf"]) {
    const quotes: Quote[] = [];
    for (const [index, request] of description.requests.entries()) {
      if (index > 0) await sleep(description.minSeconds * 1_000);
      const filled = fillSecrets(request, secretOf);
      if (filled === undefined)
        return fail({ reason: "secret_missing", detail: "A secret of this provider is missing." });
      const answer = await send(filled);
      if (!answer.ok) return fail(describeFault(answer.reason));
      const read = readAnswer(answer.value, request.lists, description);
      if (!read.ok) return fail({ reason: read.reason, detail: SHAPE_TEXTS[read.reason] });
      quotes.push(...read.value);
    }
    return ok(quotes);
  }

  return async ({ description, items, secretOf, nowMs }) => {
    switch (description.kind) {
      case "http":
        return overHttp(description, secretOf);
      case "venue":
        return ok(await venueQuotes(redis, keysOf(items, description)));
      case "feed":
        return ok(await feedQuotes(redis, { source: description.source, keys: keysOf(items, description), nowMs }));
      case "demo":
        return ok(items.map((item) => demoQuote(item, description.seed, nowMs)));
    }
  };
}

function keysOf(items: readonly TrackedItem[], description: ProviderDescription): readonly string[] {
  return items.flatMap((item) => keyOfItem(item, description) ?? []);
}

type FilledRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

function fillSecrets(request: HttpDescription["requests"][number], secretOf: AskedProvider["secretOf"]) {
  try {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, withSecrets(value, secretOf)]);
    const url = withSecrets(request.url, (name) => encodeURIComponent(secretOf(name)));
    return { url, headers: Object.fromEntries(headers) as Record<string, string> } satisfies FilledRequest;
  } catch {
    return undefined;
  }
}

const SHAPE_TEXTS = {
  not_json: "The answer is not JSON.",
  shape_unknown: "The answer does not have the list that the description names.",
} as const;

const FAULT_TEXTS: Readonly<Record<RequestFault["reason"], string>> = {
  unreachable: "The provider cannot be reached, or the connection was lost.",
  private_address: "The host has no public address.",
  timeout: "The provider did not answer in time.",
  redirected: "The provider answered with a redirect; redirects are not followed.",
  status: "The provider answered with an error",
  too_large: "The answer is too large.",
  encoded: "The answer is compressed although that was not asked for.",
};

function describeFault({ reason, status, retryAfterMs }: RequestFault): FetchFault {
  const detail = reason === "status" ? `${FAULT_TEXTS.status} (${status}).` : FAULT_TEXTS[reason];
  return { reason, detail, retryAfterMs };
}

/** An item without a demo price begins at 1,000. */
function demoQuote(item: TrackedItem, seed: number, nowMs: number): Quote {
  const { itemCode, decimals, unit } = item;
  const steps = demoPrice(demoPartsOf(item, seed), nowMs);
  return { key: itemCode, price: formatMoney(steps as Money, decimals), unit, atMs: nowMs };
}

/** Cryptocurrencies move more than anything else. */
const LIVELY = 1.8;
/** How far two prices of one family move apart. */
const OWN_SHARE = 0.25;

export function demoPartsOf({ itemCode, itemType, decimals, unit }: TrackedItem, seed: number) {
  const family = itemType === "coin" ? "gold" : itemCode.replace(/_(?:sell|buy|rial)$/, "").replace(/_.*/, "");
  const walks = [
    { name: family, share: itemType === "crypto" ? LIVELY : OWN_SHARE * 2 },
    ...(unit === "rial" ? [{ name: "rial", share: 1 }] : []),
    ...(itemType === "coin" ? [{ name: itemCode, share: OWN_SHARE }] : []),
  ];
  return { decimals, walks, seed, basePrice: DEMO_PRICES[itemCode] ?? "1000" };
}
