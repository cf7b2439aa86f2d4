import { fail, ok, type Result } from "../../shared/result.ts";
import type { Visit } from "./read-visit.ts";

/** `broken`: the client broke off; `slow`: it took too long. */
export type BodyFault = "broken" | "slow";

/** A form or an order. What is larger goes to the origin as it comes. */
const SMALL_BYTES_MAX = 65_536;

/** Whether the body is told to be so small that it is read as a whole before the origin is asked. */
export function isSmallBody({ headers }: Visit): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= SMALL_BYTES_MAX;
}

/**
 * The whole of a small body: to move it piece by piece would cost three times as much as everything else about the request, and the
 * origin would wait for the client. It must be here within a bound.
 */
export function readSmallBody({ request, configuration }: Visit): Promise<Result<{ readonly body: ArrayBuffer }, BodyFault>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fail("slow")), configuration.bodyTimeoutMs);
    const finish = (read: Result<{ readonly body: ArrayBuffer }, BodyFault>) => {
      clearTimeout(timer);
      resolve(read);
    };
    request.arrayBuffer().then(
      (body) => finish(ok({ body })),
      () => finish(fail("broken")),
    );
  });
}
