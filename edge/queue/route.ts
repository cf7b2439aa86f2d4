import { z } from "zod";

/** `host` is a name, `*.name` or `*`; `path` is a path or ends in `/*`. Both are matched without regard to case. */
export type Route = z.output<typeof routeSchema>;

export const routeSchema = z.strictObject({
  host: z
    .string()
    .regex(/^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?)$/, "must be a host name, *.name or *")
    .default("*"),
  path: z
    .string()
    .max(2_048)
    .regex(/^\/[^*?#\s]*\*?$/, "must be a path that may end in *"),
  queueId: z.string(),
});
