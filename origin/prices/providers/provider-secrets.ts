import type { Seal } from "../../accounts/api-keys/seal.ts";
import type { ProviderRow } from "./provider-queries.ts";

/** Opens the secrets of a provider, only while it is asked. Throws for one that is missing. */
export type SecretsOf = (row: Pick<ProviderRow, "provider" | "secrets">) => (name: string) => string;

export function createSecretsOf(seal: Seal): SecretsOf {
  return ({ provider, secrets }) =>
    (name) => {
      const sealed = secrets[name];
      if (sealed === undefined) throw new Error(`provider ${provider} has no secret ${name}`);
      return seal.open(sealed, ownerOf(provider, name));
    };
}

export function sealSecret(seal: Seal, { provider, name, text }: { provider: string; name: string; text: string }) {
  return seal.seal(text, ownerOf(provider, name));
}

/** The provider and the name are sealed in: a text copied to another provider cannot be opened there. */
function ownerOf(provider: string, name: string) {
  return { kind: "price-provider", userId: provider, id: name } as const;
}
