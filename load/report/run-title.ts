import type { RunRecord } from "../record/run-record.ts";
import type { Verdict } from "../verdict/judge.ts";
import { countText, durationText } from "./numbers.ts";

/** One line for headings. */
export function runTitle({ scenario, visitors, orders, durationMs, wasInterrupted }: RunRecord): string {
  const came = visitors.arrivedMs.length;
  const who = [
    ...(came > 0 ? [`${countText(came)} visitors`] : []),
    ...(orders !== undefined ? [`${countText(orders.sent)} orders`] : []),
  ];
  const length = wasInterrupted ? `interrupted after ${durationText(durationMs)}` : durationText(durationMs);
  return `${scenario}: ${[...who, length].join(", ")}`;
}

export function verdictSentence({ isMet, lines }: Verdict): string {
  const broken = lines.filter((line) => !line.isMet);
  if (isMet) return lines.length === 1 ? "The one promise was kept." : `All ${lines.length} promises were kept.`;
  if (lines.length === 0) return "No promise was tested.";
  return `${broken.length} of ${lines.length} promises ${broken.length === 1 ? "was" : "were"} not kept: ${broken.map(({ name }) => name).join(", ")}.`;
}
