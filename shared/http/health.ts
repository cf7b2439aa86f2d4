import { z } from "zod";

/** How one part of Sluice answers when asked. `detail` is for people and holds no address and no secret. */
export const partHealthSchema = z.object({
  name: z.string(),
  state: z.enum(["ok", "down"]),
  detail: z.string().optional(),
  /** Waiting does not help: an operator must fix what `detail` says. */
  refuses: z.literal(true).optional(),
});

export type PartHealth = z.infer<typeof partHealthSchema>;

/** The answer of `/health` of the origin and `/_sluice/health` of the edge: 200 when every part is ok, else 503. */
export const healthReportSchema = z.object({
  status: z.enum(["ok", "down"]),
  down: z.array(z.string()),
  parts: z.array(partHealthSchema),
});

export type HealthReport = z.infer<typeof healthReportSchema>;

export function healthReport(parts: readonly PartHealth[]): HealthReport {
  const down = parts.filter((part) => part.state === "down").map((part) => part.name);
  return { status: down.length === 0 ? "ok" : "down", down, parts: [...parts] };
}

/** The parts that are down, each with its reason if known. */
export function describeDown({ parts }: HealthReport): string {
  const down = parts.filter(({ state }) => state === "down");
  return down.map(({ name, detail }) => `${name} (${detail ?? "down"})`).join(", ");
}

/** The public report: which part is down, without the reason. */
export function withoutDetails({ status, down, parts }: HealthReport): HealthReport {
  return { status, down, parts: parts.map(({ name, state }) => ({ name, state })) };
}

export function healthStatusCode(report: HealthReport): 200 | 503 {
  return report.status === "ok" ? 200 : 503;
}

type PartCheck = {
  readonly name: string;
  /** Resolves when the part answers; rejects when it does not. */
  readonly check: () => Promise<unknown>;
  readonly withinMs: number;
  /** The public sentence when it does not. */
  readonly failure: string;
};

/** Asks one part; no answer within the deadline counts as down. */
export async function checkPart({ name, check, withinMs, failure }: PartCheck): Promise<PartHealth> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), withinMs);
  });
  try {
    await Promise.race([check(), late]);
    return { name, state: "ok" };
  } catch {
    return { name, state: "down", detail: failure };
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
