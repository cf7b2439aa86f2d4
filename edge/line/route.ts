import { z } from "zod";
import { HOST_PATTERN } from "../../shared/net/host-pattern.ts";

/**
 * `host` is a name, an address, `*.name` or `*`; `path` is a path or ends in `/*`. Both are matched without regard to
 * case.
 */
export type Route = z.output<typeof routeSchema>;

export const routeSchema = z.strictObject({
  host: z
    .string()
    .regex(new RegExp(`^${HOST_PATTERN}$`), "must be a host name in lower case, *.name or *")
    .default("*"),
  path: z
    .string()
    .max(2_048)
    .regex(/^\/[^*?#\s]*\*?$/, "must be a path that may end in *"),
  queueId: z.string(),
});
