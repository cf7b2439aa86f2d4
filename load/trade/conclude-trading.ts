import type { Recorder } from "../record/recorder.ts";
import type { OrderFlow } from "../record/run-record.ts";
import { askAgain } from "./ask-again.ts";
import { auditChecks } from "./audit-checks.ts";
import type { TradeDesk } from "./open-desk.ts";

type Conclusion = { readonly recorder: Recorder; readonly nowMs: () => number; readonly say: (line: string) => void };

/** After the load: reads the acknowledged orders back and audits the venue. */
export async function concludeTrading(
  { people, floor, call, acknowledged, folder }: TradeDesk,
  { recorder, nowMs, say }: Conclusion,
): Promise<OrderFlow> {
  const orders = acknowledged.remembered();
  const all = acknowledged.count();
  const sample = orders.length < all ? `a sample of ${orders.length.toLocaleString("en-GB")} of ` : "";
  say(`Reading back ${sample}${all.toLocaleString("en-GB")} acknowledged orders`);
  const { asked, lost, unanswered } = await askAgain({
    orders,
    personOf: (trader) => people[trader] ?? people[0],
    call,
    nowMs,
  });
  if (unanswered > 0) {
    recorder.check({
      name: "orders read back at the end",
      expected: "all answered",
      seen: `${unanswered} never answered`,
      isMet: false,
    });
  }
  say("Auditing the venue");
  for (const check of await auditChecks(folder)) recorder.check(check);
  return { ...floor.flow(), asked, lost };
}
