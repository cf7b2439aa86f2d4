import { base64url, type CryptoKey } from "jose";
import type { FillRandom } from "../../shared/ids.ts";

/**
 * Short texts that travel with visitors but are not readable for them: any edge with the same signing keys can open
 * what another one has sealed. After a rotation of the keys older ones can no longer be opened.
 */
export type SealedTexts = {
  readonly seal: (text: string) => Promise<string>;
  /** Undefined for what was not sealed here. */
  readonly open: (sealed: string) => Promise<string | undefined>;
};

const ALGORITHM = "AES-GCM";
/** As long as the standard asks for. */
const NONCE_BYTES = 12;
/** The same few texts are sealed over and over. */
const REMEMBERED_MAX = 1_000;

type Secrets = { readonly secret: string; readonly fillRandom: FillRandom };

export function createSealedTexts({ secret, fillRandom }: Secrets): SealedTexts {
  let key: CryptoKey | undefined;
  const sealed = new Map<string, string>();

  async function importKey(): Promise<CryptoKey> {
    const bytes = await crypto.subtle.digest("SHA-256", encode(`sluice-sealed:${secret}`));
    return crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["encrypt", "decrypt"]);
  }

  return {
    async seal(text) {
      const known = sealed.get(text);
      if (known !== undefined) return known;
      key ??= await importKey();
      const nonce = fillRandom(new Uint8Array(NONCE_BYTES));
      const content = new Uint8Array(await crypto.subtle.encrypt({ name: ALGORITHM, iv: nonce }, key, encode(text)));
      const whole = base64url.encode(Uint8Array.of(...nonce, ...content));
      if (sealed.size >= REMEMBERED_MAX) sealed.clear();
      sealed.set(text, whole);
      return whole;
    },
    async open(whole) {
      key ??= await importKey();
      try {
        const bytes = new Uint8Array(base64url.decode(whole));
        const iv = bytes.slice(0, NONCE_BYTES);
        return new TextDecoder().decode(
          await crypto.subtle.decrypt({ name: ALGORITHM, iv }, key, bytes.slice(NONCE_BYTES)),
        );
      } catch {
        return undefined;
      }
    },
  };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
