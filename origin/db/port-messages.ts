import type { MessagePort } from "node:worker_threads";
import type { SqlValue } from "./database.ts";
import type { UpkeepRules } from "./embedded-upkeep.ts";

/** What a client of the embedded database sends over its port. Lists are sent as PostgreSQL's text of an array: one string is cheap to copy. */
export type PortCall =
  | { readonly op: "query"; readonly id: number; readonly text: string; readonly params: readonly PortValue[]; readonly tx?: number }
  | { readonly op: "script"; readonly id: number; readonly text: string; readonly tx: number }
  | { readonly op: "begin"; readonly id: number; readonly limitMs: number }
  | { readonly op: "commit"; readonly id: number; readonly tx: number }
  /** Without an answer, and before the transaction has begun as well as after. */
  | { readonly op: "rollback"; readonly tx: number }
  /** The caller has been told that it failed: a query whose turn has not come must not run. */
  | { readonly op: "cancel"; readonly id: number };

export type PortValue = Exclude<SqlValue, readonly string[]>;

export type PortAnswer =
  | { readonly id: number; readonly names: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  | { readonly id: number; readonly fault: PortFault };

/** An error's facts. The client makes an error of them and puts it into our words, as it does with any other driver's. */
export type PortFault = {
  readonly message: string;
  readonly code?: string;
  readonly constraint?: string;
  readonly detail?: string;
  /** Not PostgreSQL's refusal: the call was given up, or the database is gone. */
  readonly isAbsence?: true;
};

/** What the thread that opened the database and the database's own thread say to each other. */
export type HostData = { readonly folder: string; readonly upkeep: UpkeepRules };
export type HostOrder = { readonly op: "serve"; readonly port: MessagePort } | { readonly op: "close" };
export type HostNews =
  | { readonly kind: "open" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "upkeepFailed"; readonly message: string };
