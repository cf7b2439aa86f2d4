import type { MessagePort } from "node:worker_threads";
import type { SqlValue } from "./database.ts";
import type { UpkeepRules } from "./embedded-upkeep.ts";

/**
 * Messages from a client of the embedded database. Arrays are sent as PostgreSQL's array text: one string is cheap to
 * copy.
 */
export type PortCall =
  | {
      readonly op: "query";
      readonly id: number;
      readonly text: string;
      readonly params: readonly PortValue[];
      readonly tx?: number;
    }
  | { readonly op: "script"; readonly id: number; readonly text: string; readonly tx: number }
  | { readonly op: "begin"; readonly id: number; readonly limitMs: number }
  | { readonly op: "commit"; readonly id: number; readonly tx: number }
  /** Has no answer; valid before and after the transaction has begun. */
  | { readonly op: "rollback"; readonly tx: number }
  /** The caller was told that the query failed: it must not run if it has not started. */
  | { readonly op: "cancel"; readonly id: number };

export type PortValue = Exclude<SqlValue, readonly string[]>;

export type PortAnswer =
  | { readonly id: number; readonly names: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly id: number; readonly fault: PortFault };

/** The facts of an error. The client rebuilds the error and maps it like any other driver's. */
export type PortFault = {
  readonly message: string;
  readonly code?: string;
  readonly constraint?: string;
  readonly detail?: string;
  /** Not a refusal by PostgreSQL: the call was abandoned, or the database has ended. */
  readonly isUnavailable?: true;
};

/** Messages between the thread that opened the database and the database's own thread. */
export type HostData = { readonly folder: string; readonly upkeep: UpkeepRules };
export type HostOrder = { readonly op: "serve"; readonly port: MessagePort } | { readonly op: "close" };
export type HostNews =
  | { readonly kind: "open" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "upkeepFailed"; readonly message: string };
