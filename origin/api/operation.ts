import type { z } from "zod";
import type { ErrorCode, RefusalOptions } from "../../shared/http/errors.ts";
import type { BodyDescription, OperationDescription, OperationInput } from "../../shared/http/http-operation.ts";
import type { Permission } from "../accounts/api-keys/key-queries.ts";
import type { Place } from "../accounts/identity/accounts.ts";
import type { User } from "../accounts/identity/user.ts";
import type { ProcessLimitName } from "../accounts/limits/limit-table.ts";
import type { RequestNonce } from "../trading/trading-port.ts";

/** One route of the venue under `/api/v1`; see `shared/http/http-operation.ts`. */
export type VenueOperation = VenueDescription & {
  readonly run: (caller: Caller, input: OperationInput) => Promise<Response>;
};

export type VenueDescription = OperationDescription<Access> & {
  readonly limit: ProcessLimitName;
  /** The permission that an API key needs; without one, API keys are not accepted. */
  readonly permission?: Permission;
  /**
   * The operation acts through commands, which carry the nonce of a signed request to the engine. The signature of
   * every other operation is remembered before it runs.
   */
  readonly submitsCommand?: true;
  /** Runs during maintenance for all callers, because only the operation finds out whether the caller is an admin. */
  readonly findsAdmins?: true;
};

/** `user`: any signed-in user; `admin`: users with that role. */
type Access = "public" | "user" | "admin";

/** The caller of an operation, and how to answer. */
export type Caller = {
  /** Undefined on public routes. */
  readonly identity: Identity | undefined;
  readonly place: Place;
  readonly requestId: string | undefined;
  /** A header of the request. */
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  /** 200 with JSON that was written before. */
  readonly answerJson: (body: Buffer<ArrayBuffer>, headers: Readonly<Record<string, string>>) => Response;
  /** 200 with a body that is ready to be sent; the headers name its type. */
  readonly answerBytes: (body: Uint8Array, headers: Readonly<Record<string, string>>) => Response;
  readonly refuse: (code: ErrorCode, options?: RefusalOptions) => Response;
};

/** An authenticated user, with the current state of the account. */
export type Identity = SessionIdentity | KeyIdentity;
export type SessionIdentity = { readonly user: User; readonly sessionId: string };
type KeyIdentity = {
  readonly user: User;
  readonly apiKey: { readonly id: string; readonly permissions: readonly Permission[] };
  /** If the operation `submitsCommand`. */
  readonly nonce?: RequestNonce;
};

type KnownCaller = Caller & { readonly identity: Identity };
type SignedInCaller = Caller & { readonly identity: SessionIdentity };

type Typed<CallerKind, Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  VenueDescription,
  "params" | "query" | "body" | "access" | "permission"
> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Omit<BodyDescription, "schema"> & { readonly schema: Body };
  readonly run: (
    caller: CallerKind,
    input: { readonly params: z.output<Params>; readonly query: z.output<Query>; readonly body: z.output<Body> },
  ) => Promise<Response>;
};

export function publicOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Typed<Caller, Params, Query, Body>,
): VenueOperation {
  return { ...operation, access: "public", run: operation.run as VenueOperation["run"] };
}

/** For signed-in users, and for programs whose key has the permission. */
export function programOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Typed<KnownCaller, Params, Query, Body> & { readonly permission: Permission },
): VenueOperation {
  return { ...operation, access: "user", run: operation.run as VenueOperation["run"] };
}

/** For signed-in users only: the handler always has a session. */
export function userOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Typed<SignedInCaller, Params, Query, Body>,
): VenueOperation {
  return { ...operation, access: "user", run: operation.run as VenueOperation["run"] };
}

export function adminOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Typed<SignedInCaller, Params, Query, Body>,
): VenueOperation {
  return { ...operation, access: "admin", run: operation.run as VenueOperation["run"] };
}
