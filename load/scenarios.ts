import { abuseScenario } from "./abuse/abuse.ts";
import { chaosScenario } from "./chaos/chaos-scenario.ts";
import { crowdScenario } from "./crowd/crowd.ts";
import { openingScenario } from "./opening/opening.ts";
import { mergeScenario } from "./record/merge.ts";
import type { Scenario } from "./scenario.ts";
import { soakScenario } from "./soak/soak.ts";
import { tradeScenario } from "./trade/trade.ts";

/** `npm run load -- NAME`. */
export const SCENARIOS: readonly Scenario[] = [
  crowdScenario,
  tradeScenario,
  soakScenario,
  openingScenario,
  abuseScenario,
  chaosScenario,
  mergeScenario,
];
