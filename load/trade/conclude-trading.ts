import type { Recorder } from "../record/recorder.ts";
import type { OrderFlow } from "../record/run-record.ts";
import { askAgain } from "./ask-again.ts";
import { auditChecks } from "./audit-checks.ts";
import type { TradeDesk } from "./open-desk.ts";

type Conclusion = { readonly recorder: Recorder; readonly nowMs: () => number; readonly say: (line: string) => void };

/** When the load is over: every acknowledged order is asked for, and the venue's books are audited. */
export async function concludeTrading(
  { people, floor, call, acknowledged, folder }: TradeDesk,
  { recorder, nowMs, say }: Conclusion,
): Promise<OrderFlow> {
  const orders = acknowledged.remembered();
  const all = acknowledged.count();
  const among = orders.length < all ? `a sample of ${orders.length.toLocaleString("en-GB")} among ` : "";
  say(`Asking for ${among}${all.toLocaleString("en-GB")} acknowledged orders`);
  const { asked, lost, unanswered } = await askAgain({ orders, personOf: (trader) => people[trader] ?? people[0], call, nowMs });
  if (unanswered > 0) {
    recorder.check({ name: "orders asked for at the end", expected: "all answered", seen: `${unanswered} never answered`, isMet: false });
  }
  say("Auditing the venue");
  for (const check of await auditChecks(folder)) recorder.check(check);
  return { ...floor.flow(), asked, lost };
}
