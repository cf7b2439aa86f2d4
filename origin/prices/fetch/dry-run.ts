import type { Clock } from "../../../shared/clock.ts";
import { formatMoney, type Money } from "../../../shared/money.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database } from "../../db/database.ts";
import { tehranDate } from "../calendar/tehran-time.ts";
import type { TrackedItem } from "../items/item.ts";
import { listItems } from "../items/item-queries.ts";
import type { ProviderDescription } from "../providers/describe-provider.ts";
import { type FetchQuotes, keyOfItem } from "../providers/fetch-quotes.ts";
import { noteRequests, type ProviderRow } from "../providers/provider-queries.ts";
import type { SecretsOf } from "../providers/provider-secrets.ts";
import { judgeIn } from "./apply-fetch.ts";

/** Asks a provider once and says what each item would become. Writes no price. */
export type DryRun = {
  readonly fault: string | null;
  readonly fetchMs: number;
  /** How many prices the answer has, of which most may belong to no item. */
  readonly quotes: number;
  readonly items: readonly DryItem[];
};

type DryItem = {
  readonly itemCode: string;
  readonly key: string | null;
  /** As the provider wrote it. */
  readonly text: string | null;
  readonly price: string | null;
  readonly unit: string;
  readonly lastPrice: string | null;
  readonly refusal: string | null;
};

type DryRunParts = {
  readonly database: Database;
  readonly fetchQuotes: FetchQuotes;
  readonly secretsOf: SecretsOf;
  readonly clock: Clock;
};

/** With another description, one that is not saved yet can be tried. All items with a key are judged, whichever provider they have now. */
export function createDryRun({ database, fetchQuotes, secretsOf, clock }: DryRunParts) {
  return async (
    stored: ProviderRow,
    description: ProviderDescription = stored.description,
  ): Promise<Result<DryRun, "rate_limited">> => {
    const row: ProviderRow = { ...stored, description, kind: description.kind };
    const nowMs = clock.nowMs();
    if (!(await mayAsk(row, nowMs))) return fail("rate_limited");
    const items = (await listItems.all(database, {})).filter(
      (item) => item.provider === row.provider || keyFrom(item, description) !== undefined,
    );
    const fetched = await fetchQuotes({ description, items, secretOf: secretsOf(row), nowMs });
    const fetchMs = clock.nowMs() - nowMs;
    if (!fetched.ok) return ok({ fault: fetched.reason.detail, fetchMs, quotes: 0, items: [] });
    const { states, judgement } = await database.transaction((tx) =>
      judgeIn(tx, { row, items, quotes: fetched.value, nowMs }),
    );
    const accepted = new Map(judgement.accepted.map((price) => [price.item.itemCode, price]));
    const refused = new Map(judgement.refused.map((price) => [price.item.itemCode, price]));
    const textOf = new Map(fetched.value.map(({ key, price }) => [key, price]));
    return ok({
      fault: null,
      fetchMs,
      quotes: fetched.value.length,
      items: items.map((item) => {
        const { itemCode, decimals, unit } = item;
        const key = keyOfItem(item, description) ?? null;
        const steps = accepted.get(itemCode)?.steps;
        const last = states.get(itemCode)?.price ?? null;
        const text = (amount: bigint) => formatMoney(amount as Money, decimals);
        return {
          ...{ itemCode, key, unit, text: key === null ? null : (textOf.get(key)?.slice(0, TEXT_CHARS_MAX) ?? null) },
          price: steps === undefined ? null : text(steps),
          lastPrice: last === null ? null : text(last),
          refusal: refused.get(itemCode)?.reason ?? null,
        };
      }),
    });
  };

  /** A dry run counts against the provider's limits like any other request; false where they are used up. */
  async function mayAsk({ provider, description }: ProviderRow, nowMs: number): Promise<boolean> {
    const { minSeconds, requests, requestsPerDay } =
      description.kind === "http" ? description : { minSeconds: 0, requests: [], requestsPerDay: null };
    const noted = await noteRequests.first(database, {
      ...{ provider, nowMs: String(nowMs), day: tehranDate(nowMs), requests: requests.length },
      attemptedBeforeMs: String(nowMs - minSeconds * 1_000),
      requestsMax: requestsPerDay ?? REQUESTS_MAX,
    });
    return noted !== undefined;
  }
}

/** No limit, as a number. */
const REQUESTS_MAX = 1_000_000_000;
const TEXT_CHARS_MAX = 40;

/** Own providers know every item by its code; of them, only their own items are of interest. */
function keyFrom(item: TrackedItem, description: ProviderDescription): string | undefined {
  return description.kind === "http" ? description.keys[item.itemCode] : undefined;
}
