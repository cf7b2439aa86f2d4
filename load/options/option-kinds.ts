import { z } from "zod";
import type { Option } from "./option-table.ts";

type NumberRange = { readonly min: number; readonly max: number; readonly fallback: number };

type Bounds = Pick<NumberRange, "min" | "max">;

function numberWithin({ min, max }: Bounds, { isWhole }: { readonly isWhole: boolean }) {
  const sentence = `must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}`;
  return z
    .string()
    .regex(isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/, sentence)
    .transform(Number)
    .pipe(z.number(sentence).min(min, sentence).max(max, sentence));
}

function numberIn({ fallback, ...bounds }: NumberRange, { isWhole }: { readonly isWhole: boolean }) {
  return numberWithin(bounds, { isWhole }).default(fallback);
}

/** Undefined when the option is missing. */
export function optionalWholeNumber(help: string, bounds: Bounds): Option<number | undefined> {
  return { value: "N", help, schema: numberWithin(bounds, { isWhole: true }).optional() };
}

export function wholeNumber(help: string, range: NumberRange & { readonly value?: string }): Option<number> {
  return { value: range.value ?? "N", help: `${help} (${range.fallback})`, schema: numberIn(range, { isWhole: true }) };
}

export function numberOption(help: string, range: NumberRange & { readonly value?: string }): Option<number> {
  return {
    value: range.value ?? "N",
    help: `${help} (${range.fallback})`,
    schema: numberIn(range, { isWhole: false }),
  };
}

/** A share from 0 to 1. */
export function share(help: string, fallback = 0): Option<number> {
  return {
    value: "SHARE",
    help: `${help} (${fallback})`,
    schema: numberIn({ min: 0, max: 1, fallback }, { isWhole: false }),
  };
}

export function choice<const Choice extends string>(
  help: string,
  choices: readonly [Choice, ...Choice[]],
  fallback: Choice,
): Option<Choice> {
  const sentence = `must be ${choices.join(", ").replace(/, ([^,]*)$/, " or $1")}`;
  return {
    value: choices.join("|"),
    help: `${help} (${fallback})`,
    schema: z.enum(choices, sentence).default(fallback),
  };
}

export function flag(help: string): Option<boolean> {
  return {
    value: undefined,
    help,
    schema: z
      .string()
      .optional()
      .transform((given) => given !== undefined),
  };
}

export function text(help: string, fallback: string): Option<string> {
  return {
    value: "TEXT",
    help: `${help} (${fallback})`,
    schema: z.string().min(1, "must not be empty").default(fallback),
  };
}
