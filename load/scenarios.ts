import { abuseScenario } from "./abuse/abuse.ts";
import { chaosScenario } from "./chaos/chaos-scenario.ts";
import { crowdScenario } from "./crowd/crowd.ts";
import type { Scenario } from "./scenario.ts";

/** `npm run load -- NAME`. */
export const SCENARIOS: readonly Scenario[] = [crowdScenario, abuseScenario, chaosScenario];
