import { fail, ok } from "../../shared/result.ts";
import type { RunRecord } from "../record/run-record.ts";
import { type OptionTable, type OptionValues, readOptions } from "./option-table.ts";
import type { RunContext } from "./run-context.ts";
import type { Scenario } from "./scenario.ts";

type ScenarioDefinition<Table extends OptionTable> = {
  readonly name: string;
  readonly summary: string;
  readonly options: Table;
  /** Faults of options that are valid only one by one. */
  readonly faults?: (values: OptionValues<Table>) => readonly string[];
  readonly run: (values: OptionValues<Table>, run: RunContext) => Promise<RunRecord>;
};

export function defineScenario<const Table extends OptionTable>(definition: ScenarioDefinition<Table>): Scenario {
  const { name, summary, options, faults, run } = definition;
  return {
    name,
    summary,
    options,
    plan(args) {
      const values = readOptions(options, args);
      if (!values.ok) return values;
      const together = faults?.(values.value) ?? [];
      return together.length > 0 ? fail(together) : ok((context) => run(values.value, context));
    },
  };
}
