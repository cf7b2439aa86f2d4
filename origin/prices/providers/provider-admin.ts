import type { Clock } from "../../../shared/clock.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { type Actor, writeAudit } from "../../accounts/admin/audit.ts";
import type { Seal } from "../../accounts/api-keys/seal.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { bumpRevision } from "../items/item-queries.ts";
import type { ProviderDescription } from "./describe-provider.ts";
import {
  deleteProvider,
  listProviders,
  lockProvider,
  type ProviderRow,
  putProvider,
  refreshProvider,
} from "./provider-queries.ts";
import { createSecretsOf, sealSecret } from "./provider-secrets.ts";

/** Admins' changes of the providers. Secrets are stored sealed and never shown again. */
export type ProviderAdmin = {
  readonly list: () => Promise<readonly ProviderRow[]>;
  readonly find: (provider: string) => Promise<ProviderRow | undefined>;
  /** Creates a provider or replaces its description; secrets that are not named stay. */
  readonly put: (actor: Actor, wanted: WantedProvider) => Promise<ProviderRow>;
  readonly remove: (actor: Actor, provider: string) => Promise<Result<undefined, ProviderFault>>;
  /** Makes it due now. */
  readonly refresh: (actor: Actor, wanted: WantedRefresh) => Promise<Result<undefined, ProviderFault>>;
  /** Seals again whatever is not sealed with the active key. */
  readonly reseal: () => Promise<void>;
};

export type ProviderFault = "provider_not_found" | "provider_in_use" | "provider_disabled";

export type WantedProvider = {
  readonly provider: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly description: ProviderDescription;
  /** Null removes one. */
  readonly secrets: Readonly<Record<string, string | null>>;
};

type WantedRefresh = { readonly provider: string; readonly acceptsJumps: boolean };

type AdminParts = {
  readonly database: Database;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly publish: () => Promise<void>;
};

export function createProviderAdmin({ database, seal, clock, publish }: AdminParts): ProviderAdmin {
  const secretsOf = createSecretsOf(seal);

  async function write(tx: Transaction, row: Written): Promise<void> {
    const { provider, name, enabled, description, secrets } = row;
    const dueAtMs = String(clock.nowMs());
    const kind = description.kind;
    await putProvider.all(tx, { provider, name, kind, enabled, description, secrets, dueAtMs, replaces: true });
  }

  return {
    list: () => listProviders.all(database, {}),
    find: async (wanted) => (await listProviders.all(database, {})).find(({ provider }) => provider === wanted),
    async put(actor, wanted) {
      const written = await database.transaction(async (tx) => {
        await bumpRevision.all(tx, {});
        const before = await lockProvider.first(tx, { provider: wanted.provider });
        const secrets = changedSecrets(before?.secrets ?? {}, wanted, seal);
        await write(tx, { ...wanted, secrets });
        const target = wanted.provider;
        const after = { ...wanted, secrets: Object.keys(secrets) };
        await writeAudit(tx, { actor, action: "provider.changed", target, before: shown(before), after });
        return lockProvider.first(tx, { provider: target });
      });
      if (written === undefined) throw new Error("a written provider has a row");
      await publish();
      return written;
    },
    remove: (actor, provider) =>
      database.transaction(async (tx) => {
        const before = await lockProvider.first(tx, { provider });
        if (before === undefined) return fail("provider_not_found");
        if ((await deleteProvider.first(tx, { provider })) === undefined) return fail("provider_in_use");
        const entry = {
          actor,
          action: "provider.deleted",
          target: provider,
          before: shown(before),
          after: null,
        } as const;
        await writeAudit(tx, entry);
        return ok(undefined);
      }),
    refresh: (actor, { provider, acceptsJumps }) =>
      database.transaction(async (tx) => {
        if ((await lockProvider.first(tx, { provider })) === undefined) return fail("provider_not_found");
        const asked = await refreshProvider.first(tx, { provider, nowMs: String(clock.nowMs()), acceptsJumps });
        if (asked === undefined) return fail("provider_disabled");
        const after = { acceptsJumps };
        await writeAudit(tx, { actor, action: "provider.refreshed", target: provider, before: null, after });
        return ok(undefined);
      }),
    async reseal() {
      for (const row of await listProviders.all(database, {})) {
        if (!Object.values(row.secrets).some(seal.isOutdated)) continue;
        const open = secretsOf(row);
        const { provider } = row;
        const sealed = Object.keys(row.secrets).map((name) => [
          name,
          sealSecret(seal, { provider, name, text: open(name) }),
        ]);
        await database.transaction((tx) => write(tx, { ...row, secrets: Object.fromEntries(sealed) }));
      }
    },
  };
}

type Written = Omit<WantedProvider, "secrets"> & { readonly secrets: Readonly<Record<string, string>> };

function changedSecrets(
  before: Readonly<Record<string, string>>,
  { provider, secrets }: WantedProvider,
  seal: Seal,
): Readonly<Record<string, string>> {
  const changed = new Map(Object.entries(before));
  for (const [name, text] of Object.entries(secrets)) {
    if (text === null) changed.delete(name);
    else changed.set(name, sealSecret(seal, { provider, name, text }));
  }
  return Object.fromEntries(changed);
}

function shown(row: ProviderRow | undefined) {
  if (row === undefined) return null;
  const { provider, name, enabled, description } = row;
  return { provider, name, enabled, description, secrets: Object.keys(row.secrets) };
}
