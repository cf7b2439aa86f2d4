import { z } from "zod";
import { parseRange } from "../../../../shared/net/ip-range.ts";
import { sha256 } from "../../../../shared/tokens/same-bytes.ts";
import { isReadInOneWay } from "../../../admit/routes/bypass-rules.ts";
import { BYPASS_HEADER, type BypassRule, bypassRuleSchema, CIDRS_MAX } from "../../../line/bypass-rule.ts";
import { routeSchema } from "../../../line/route.ts";
import { normalisePath } from "../../../request/plain-target.ts";
import { isGuardedName } from "../../../request/request-headers.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";

/**
 * A path is kept as the gate reads paths; one that the gate would refuse could never match, and would protect nothing.
 */
export const pathField = routeSchema.shape.path.transform((path, ctx) => {
  const isPrefix = path.endsWith("*");
  const normalised = normalisePath(isPrefix ? path.slice(0, -1) : path);
  if (normalised.ok) return isPrefix ? `${normalised.value}*` : normalised.value;
  ctx.addIssue({ code: "custom", message: "must be a path in its plain form" });
  return z.NEVER;
});

/** A secret must not be guessable; the same bound as for the operator token. */
const SECRET_CHARS_MIN = 16;
const SECRET_CHARS_MAX = 256;
const HEADER_NAME = /^x-[a-z0-9-]{1,60}$/;

const cidrField = z.string().superRefine((text, ctx) => {
  const range = parseRange(text);
  if (!range.ok) ctx.addIssue({ code: "custom", message: range.reason });
});

/**
 * A header of the standards or of the proxy cannot be one: it would be taken away from every request while the rule is
 * there.
 */
const headerNameField = z
  .string()
  .transform((name) => name.toLowerCase())
  .refine((name) => name === BYPASS_HEADER || (HEADER_NAME.test(name) && !isGuardedName(name)), {
    message: `must be ${BYPASS_HEADER}, or a name of your own that begins with x-`,
  })
  .default(BYPASS_HEADER);

const digestField = bypassRuleSchema.shape.header.unwrap().shape.secretSha256;

const headerField = z
  .strictObject({
    name: headerNameField,
    secret: z
      .string()
      .regex(/^[\x21-\x7e]+$/, "must be visible ASCII, without spaces")
      .min(SECRET_CHARS_MIN)
      .max(SECRET_CHARS_MAX)
      .optional()
      .describe("Never shown again. Either this or secretSha256."),
    secretSha256: digestField.optional().describe("The SHA-256 of the secret, in hex: how a read shows it."),
  })
  .refine(({ secret, secretSha256 }) => (secret === undefined) !== (secretSha256 === undefined), {
    path: ["secret"],
    message: "give either secret or secretSha256",
  });

/** `/assets*` would also hold for `/assets-of-others`. */
const bypassPathField = pathField.refine(
  (path) => /^[^*]*(?:\/\*)?$/.test(path) && isReadInOneWay(path.replace("*", "")),
  {
    message: "must be a path, or a path and /* for what lies below, of letters that have one spelling",
  },
);

export const newBypassRuleSchema = z
  .strictObject({
    host: routeSchema.shape.host,
    path: bypassPathField.optional().describe("In this exact spelling. Left out: every path."),
    cidrs: z
      .array(cidrField)
      .min(1)
      .max(CIDRS_MAX)
      .optional()
      .describe("The client's address lies in one of these networks."),
    header: headerField.optional().describe("The request contains this secret."),
    note: z.string().trim().min(1).max(200).optional(),
  })
  .superRefine(({ host, path, cidrs, header }, ctx) => {
    if (path === undefined && cidrs === undefined && header === undefined) {
      ctx.addIssue({ code: "custom", message: "must name a path, cidrs or a header" });
    }
    if (host === "*" && path === "/*" && cidrs === undefined && header === undefined) {
      ctx.addIssue({ code: "custom", path: ["path"], message: "must not match every request: use mode open for that" });
    }
  })
  .register(bodySchemas, { id: "NewBypassRule" });

export const storedBypassRuleSchema = bypassRuleSchema.register(answerSchemas, { id: "BypassRule" });

/** The stored part of a rule: the secret itself is not kept. */
export async function storedBypassRule({
  header,
  host,
  path,
  cidrs,
  note,
}: z.output<typeof newBypassRuleSchema>): Promise<BypassRule> {
  return {
    host,
    ...(path !== undefined && { path }),
    ...(cidrs !== undefined && { cidrs }),
    ...(header !== undefined && {
      header: { name: header.name, secretSha256: header.secretSha256 ?? (await hexSha256(header.secret ?? "")) },
    }),
    ...(note !== undefined && { note }),
  };
}

async function hexSha256(text: string): Promise<string> {
  return Array.from(await sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
