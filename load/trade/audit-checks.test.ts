import { expect, it } from "vitest";
import { showAudit } from "../../origin/record/audit/show-audit.ts";
import { readAudit } from "./audit-checks.ts";

const walk = { sequence: 7, hash: "", totals: new Map(), lastTradeId: 0, trades: 0, postings: 0 };
const clean = { check: "conservation", facts: "1000 idr (fees 1 idr)", faults: [], faultCount: 0 } as const;
const broken = { check: "double entry", facts: "", faults: ["entry 3 is off by 1"], faultCount: 1 } as const;

it("makes a check of every line of an audit", () => {
  const said = showAudit({ sequence: 7, lines: [clean, broken], isClean: false, walk } as unknown as Parameters<
    typeof showAudit
  >[0]);
  expect(readAudit(said, 1)).toEqual([
    { name: "audit: conservation", expected: "no fault", seen: "1000 idr (fees 1 idr)", isMet: true },
    { name: "audit: double entry", expected: "no fault", seen: "1 fault; entry 3 is off by 1", isMet: false },
  ]);
});

it("does not accept a failed or unreadable audit as clean", () => {
  const said = showAudit({ sequence: 7, lines: [clean], isClean: true, walk } as unknown as Parameters<
    typeof showAudit
  >[0]);
  expect(readAudit(said, 0).every(({ isMet }) => isMet)).toBe(true);
  expect(readAudit(said, 1).every(({ isMet }) => isMet)).toBe(false);
  expect(readAudit("something else", 0).every(({ isMet }) => isMet)).toBe(false);
});
