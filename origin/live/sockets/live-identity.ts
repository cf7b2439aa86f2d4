import type { Result } from "../../../shared/result.ts";
import type { User } from "../../accounts/identity/user.ts";

/** The user whose private channels a socket may read, until when, and by which proof. Plain data: it crosses processes. */
export type LiveIdentity = {
  readonly userId: string;
  readonly role: User["role"];
  /** Of the token or of the key; undefined for a key that does not expire. */
  readonly expiresAtMs: number | undefined;
  readonly proof: { readonly sessionId: string } | { readonly apiKeyId: string };
};

export type Credentials =
  | { readonly accessToken: string }
  | {
      readonly apiKey: string;
      readonly timestamp: number;
      readonly signature: string;
      readonly window?: number | undefined;
      readonly nonce?: string | undefined;
    };

/** The code of the refusal is in the catalogue. Throws when Redis is unavailable. */
export type SignIn = (credentials: Credentials, address: string) => Promise<Result<LiveIdentity, SignInRefusal>>;

export type SignInRefusal =
  | "not_signed_in"
  | "signature_invalid"
  | "request_replayed"
  | "key_expired"
  | "address_not_allowed"
  | "timestamp_outside_window"
  | "permission_missing";

/** Calls once when the session or the key ends, or the account's role changes. Returns how to release it. */
export type Hold = (identity: LiveIdentity, onEnd: (reason: "session_ended" | "role_changed") => void) => () => void;
