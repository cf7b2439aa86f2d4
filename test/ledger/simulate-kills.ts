import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showAudit } from "../../origin/record/audit/show-audit.ts";
import { runKills } from "./kill-run.ts";

type Simulation = { readonly seed: number; readonly kills: number; readonly print: (line: string) => void };

/** Returns the exit code: 1 if anything acknowledged is missing or the audit finds a difference. */
export async function simulateKills({ seed, kills, print }: Simulation): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-kills-"));
  try {
    print(`${kills} kills by seed ${seed}`);
    const report = await runKills({ folder, kills, seed, print });
    const counts = Object.entries(report.kills).map(([victim, count]) => `${victim} ${count}`);
    print(
      `killed: ${counts.join(", ")}; ${report.acknowledged} payments acknowledged, ${report.wrong.length} of them lost or doubled`,
    );
    for (const reference of report.wrong.slice(0, 20)) print(`  ${reference}`);
    print(showAudit(report.audit));
    return report.wrong.length === 0 && report.audit.isClean ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
