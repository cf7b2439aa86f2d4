import type { Result } from "../../shared/result.ts";
import type { Credentials, LiveIdentity, SignInRefusal } from "./sockets/live-identity.ts";
import type { Handshake } from "./sockets/socket-host.ts";
import type { StreamRequest } from "./sockets/stream-connection.ts";

/** Between the api process and the process of its sockets. A socket comes with its message. */
export type ToLive =
  | { readonly kind: "socket"; readonly handshake: Handshake; readonly head: string }
  | { readonly kind: "stream"; readonly request: StreamRequest }
  /** Undefined: Redis is unavailable. */
  | { readonly kind: "signedIn"; readonly id: number; readonly result: Result<LiveIdentity, SignInRefusal> | undefined }
  | { readonly kind: "stop" };

/** Secrets and keys stay in the api process, so it verifies tokens and signatures. */
export type FromLive =
  | { readonly kind: "ready" }
  | { readonly kind: "signIn"; readonly id: number; readonly credentials: Credentials; readonly address: string };

/** The sockets' process waits for the engine and for Redis when all cores are busy: a message may be late, an order not. */
export const LIVE_NICENESS = 5;
