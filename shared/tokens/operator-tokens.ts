import { z } from "zod";

/** An operator of the gate: the name appears in the audit log, the token grants access. */
export type OperatorToken = { readonly name: string; readonly token: string };

/** The name of the holders of `SLUICE_ADMIN_TOKEN`, which several people may share. */
export const SHARED_OPERATOR = "operator";

/** Shorter tokens could be guessed. */
export const OPERATOR_TOKEN_CHARS_MIN = 16;
const OPERATORS_MAX = 100;
const PAIR = /^([A-Za-z0-9_-]{1,32}):([\x21-\x2b\x2d-\x7e]+)$/;

/** `SLUICE_ADMIN_TOKENS`: `alice:token,bob:token`, so that the audit log names the operator. */
export const operatorTokensVariable = z
  .string()
  .transform((text) => text.split(",").map((pair) => PAIR.exec(pair.trim())))
  .refine((pairs) => pairs.every((pair) => pair !== null), "must be pairs of name:token, separated by commas")
  .transform((pairs): readonly OperatorToken[] =>
    pairs.flatMap((pair) => (pair ? [{ name: pair[1] ?? "", token: pair[2] ?? "" }] : [])),
  )
  .superRefine((operators, ctx) => {
    const fault = (message: string) => ctx.addIssue({ code: "custom", message });
    if (operators.length > OPERATORS_MAX) fault(`must be at most ${OPERATORS_MAX} pairs`);
    if (operators.some(({ token }) => token.length < OPERATOR_TOKEN_CHARS_MIN))
      fault(`each token must have at least ${OPERATOR_TOKEN_CHARS_MIN} characters`);
    if (new Set([SHARED_OPERATOR, ...operators.map(({ name }) => name)]).size <= operators.length)
      fault(`each name must come once, and ${SHARED_OPERATOR} is taken`);
    if (new Set(operators.map(({ token }) => token)).size < operators.length)
      fault("each operator must have another token");
  });
