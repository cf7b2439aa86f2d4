import { abuseScenario } from "./abuse/abuse.ts";
import { chaosScenario } from "./chaos/chaos-scenario.ts";
import { crowdScenario } from "./crowd/crowd.ts";
import { mergeScenario } from "./merge.ts";
import { openingScenario } from "./opening/opening.ts";
import type { Scenario } from "./options/scenario.ts";
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
