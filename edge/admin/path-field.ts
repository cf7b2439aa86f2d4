import { z } from "zod";
import { normalisePath } from "../proxy/normalise-path.ts";
import { routeSchema } from "../queue/route.ts";

/** A path is kept as the gate reads paths; one that the gate would refuse could never match, and would protect nothing. */
export const pathField = routeSchema.shape.path.transform((path, ctx) => {
  const isPrefix = path.endsWith("*");
  const normalised = normalisePath(isPrefix ? path.slice(0, -1) : path);
  if (normalised.ok) return isPrefix ? `${normalised.value}*` : normalised.value;
  ctx.addIssue({ code: "custom", message: "must be a path in its plain form" });
  return z.NEVER;
});
