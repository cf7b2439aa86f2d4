import { createCipheriv, createDecipheriv } from "node:crypto";
import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import type { FillRandom } from "../../../shared/ids.ts";

/**
 * Secrets that must be read again are sealed with AES-256-GCM. The owner is sealed in with them (associated data), so
 * that a row copied to another user or another key cannot be opened. Each sealed text names the version of its key: add
 * a new version, make it active, and the next start reseals everything; then remove the old version.
 */
export type Seal = {
  readonly seal: (secret: string, owner: Owner) => string;
  /** Throws when it was not sealed by us for this owner. */
  readonly open: (sealed: string, owner: Owner) => string;
  /** The prefix of everything that is sealed with the active key, as an SQL pattern. */
  readonly activePattern: string;
  /** Whether it is sealed with a key other than the active one. */
  readonly isOutdated: (sealed: string) => boolean;
};

export type Owner = {
  readonly kind: "api-key" | "venue-key" | "price-provider";
  readonly userId: string;
  readonly id: string;
};

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const SEALED = /^v(\d{1,4})\.([\w-]+)$/;

const keyField = z.string().transform((text, ctx) => {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length === KEY_BYTES && bytes.toString("base64url") === text) return bytes;
  ctx.addIssue({ code: "custom", message: `must be ${KEY_BYTES} bytes in base64url` });
  return z.NEVER;
});

/** `{"active": "2", "keys": {"1": "…", "2": "…"}}`; a fault never repeats a value. */
export const sealKeysVariable = z
  .string("must be set: the keys that seal secrets")
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({
        code: "custom",
        message: 'must be JSON, {"active": "<version>", "keys": {"<version>": "<key>"}}',
      });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .object({
        active: z.string(),
        keys: z.record(z.string().regex(/^[1-9]\d{0,3}$/, "must be a version number"), keyField),
      })
      .refine(({ active, keys }) => keys[active] !== undefined, {
        path: ["active"],
        message: "must be the version of one of the keys",
      }),
  );

export function createSeal({ active, keys }: z.output<typeof sealKeysVariable>, random: FillRandom): Seal {
  return {
    seal(secret, owner) {
      const nonce = random(new Uint8Array(NONCE_BYTES));
      const key = keys[active];
      assert(key !== undefined, "the schema lets no keys through without the active one");
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(ownerBytes(owner));
      const sealed = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v${active}.${sealed.toString("base64url")}`;
    },
    open(sealed, owner) {
      const [, version = "", text = ""] = SEALED.exec(sealed) ?? [];
      const key = keys[version];
      if (key === undefined) throw new Error(`there is no seal key of version ${version} to open a secret`);
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      }).setAAD(ownerBytes(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    },
    activePattern: `v${active}.%`,
    isOutdated: (sealed) => !sealed.startsWith(`v${active}.`),
  };
}

function ownerBytes({ kind, userId, id }: Owner): Buffer {
  return Buffer.from(`sluice\n${kind}\n${userId}\n${id}`);
}
