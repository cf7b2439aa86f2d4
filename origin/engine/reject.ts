import type { RejectCode, Rejected } from "./outcome.ts";

export function reject(code: RejectCode): Rejected {
  return { kind: "rejected", code };
}
