import type { z } from "zod";
import type { ErrorCode } from "../../shared/errors.ts";
import type { FieldFault } from "../../shared/field-faults.ts";
import type { BodyDescription, OperationDescription, OperationInput } from "../../shared/http-operation.ts";
import type { Permission } from "../api-keys/key-queries.ts";
import type { Place } from "../identity/accounts.ts";
import type { User } from "../identity/user.ts";
import type { ProcessLimitName } from "../limits/limit-table.ts";
import type { RequestNonce } from "./request-nonce.ts";

/** One route of the venue under `/api/v1`; see `shared/http-operation.ts`. */
export type VenueOperation = VenueDescription & {
  readonly run: (caller: Caller, input: OperationInput) => Promise<Response>;
};

export type VenueDescription = OperationDescription<Access> & {
  readonly limit: ProcessLimitName;
  /** What an API key needs to be used here; without one, keys are not taken. */
  readonly permission?: Permission;
  /**
   * What it does is done by commands, which carry the nonce of a signed request to the engine: the desk sees to that. The signature of every other
   * operation is remembered before it runs.
   */
  readonly submitsCommand?: true;
  /** Runs during maintenance for everybody, because only it can tell who is an admin. */
  readonly findsAdmins?: true;
};

/** `user`: anybody who is signed in; `admin`: with that role. */
type Access = "public" | "user" | "admin";

/** Who asks, and how to answer. */
export type Caller = {
  /** Nobody on public routes. */
  readonly identity: Identity | undefined;
  readonly place: Place;
  readonly requestId: string | undefined;
  /** What the request says in a header. */
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  readonly refuse: (code: ErrorCode, options?: RefusalOptions) => Response;
};

export type RefusalOptions = {
  readonly detail?: string;
  readonly errors?: readonly FieldFault[];
  readonly retryAfterSeconds?: number;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Somebody who has shown who they are, as the account stands now. */
export type Identity = SessionIdentity | KeyIdentity;
export type SessionIdentity = { readonly user: User; readonly sessionId: string };
type KeyIdentity = {
  readonly user: User;
  readonly apiKey: { readonly id: string; readonly permissions: readonly Permission[] };
  /** Where the operation `submitsCommand`. */
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

/** For those who are signed in, and for programs whose key has the permission. */
export function programOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Typed<KnownCaller, Params, Query, Body> & { readonly permission: Permission },
): VenueOperation {
  return { ...operation, access: "user", run: operation.run as VenueOperation["run"] };
}

/** For those alone who are signed in, so that the handler finds a session. */
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
