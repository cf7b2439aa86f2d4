import { parseArgs } from "node:util";
import type { z } from "zod";
import { fail, ok, type Result } from "../../shared/result.ts";

/** One option of a scenario: `--name VALUE`, or `--name` for a flag. */
export type Option<Value = unknown> = {
  /** The placeholder of the value in the help; undefined for a flag. */
  readonly value: string | undefined;
  readonly help: string;
  /** Parses the text; undefined when the option is missing, "" for a given flag. */
  readonly schema: z.ZodType<Value, string | undefined>;
};

export type OptionTable = Readonly<Record<string, Option>>;

export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]["schema"]>;
};

/** Reports every fault at once. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
): Result<OptionValues<Table>, readonly string[]> {
  const { given, faults } = givenTexts(table, args);
  const values: [string, unknown][] = [];
  for (const [name, { schema }] of Object.entries(table)) {
    const read = schema.safeParse(given.get(name));
    if (read.success) values.push([name, read.data]);
    else faults.push(`--${name}: ${read.error.issues[0]?.message ?? "is invalid"}`);
  }
  return faults.length > 0 ? fail(faults) : ok(Object.fromEntries(values) as OptionValues<Table>);
}

function givenTexts(
  table: OptionTable,
  args: readonly string[],
): { readonly given: Map<string, string>; readonly faults: string[] } {
  const kinds = Object.entries(table).map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  const { tokens } = parseArgs({ args: [...args], options: Object.fromEntries(kinds), strict: false, tokens: true });
  const given = new Map<string, string>();
  const faults: string[] = [];
  for (const token of tokens) {
    const fault =
      token.kind === "option"
        ? optionFault(table, token)
        : `${token.kind === "positional" ? token.value : "--"}: not understood`;
    if (fault !== undefined) faults.push(fault);
    else if (token.kind === "option") given.set(token.name, token.value ?? "");
  }
  return { given, faults };
}

type GivenOption = { readonly name: string; readonly rawName: string; readonly value?: string | undefined };

function optionFault(table: OptionTable, { name, rawName, value }: GivenOption): string | undefined {
  const option = Object.hasOwn(table, name) && rawName.startsWith("--") ? table[name] : undefined;
  if (option === undefined) return `${rawName}: no such option`;
  if (option.value === undefined) return value === undefined ? undefined : `${rawName}: takes no value`;
  return value === undefined ? `${rawName}: needs a value (${option.value})` : undefined;
}

export function optionHelp(table: OptionTable): readonly string[] {
  const rows = Object.entries(table).map(
    ([name, { value, help }]) => [`--${name}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`);
}
