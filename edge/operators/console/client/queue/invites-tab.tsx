import { useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import type { Invite, Route } from "../api-shapes.ts";
import { useConsole } from "../parts/console-context.ts";
import { Choice, Field } from "../parts/field.tsx";
import { type Failed, ProblemNote } from "../parts/problem-note.tsx";
import { moment } from "../words.ts";

const LANES = [
  ["1", "1: elevated"],
  ["2", "2: VIP"],
  ["3", "3: premium"],
  ["0", "0: normal"],
] as const;

const LIFETIMES = [
  ["3600000", "1 hour"],
  ["86400000", "1 day"],
  ["604800000", "7 days"],
  ["2592000000", "30 days"],
] as const;

type Made = Invite & { readonly note: string; readonly link: string; readonly isRevoked?: boolean };

/** Signed invites to a faster lane. They are shown once, here: the store keeps no unused ones. */
export function InvitesTab({ queueId }: { readonly queueId: string }) {
  const { api, say } = useConsole();
  const [draft, setDraft] = useState({ lane: "1", uses: "1", lifetimeMs: "86400000", key: "", note: "" });
  const [made, setMade] = useState<readonly Made[]>([]);
  const [failed, setFailed] = useState<Failed>();
  const [isBusy, setBusy] = useState(false);

  async function make(): Promise<void> {
    setBusy(true);
    setFailed(undefined);
    const { lane, uses, lifetimeMs, key, note } = draft;
    const body = {
      lane: Number(lane),
      uses: Number(uses),
      expiresAt: systemClock.nowMs() + Number(lifetimeMs),
      ...(key.trim() !== "" && { key: key.trim() }),
      ...(note.trim() !== "" && { note: note.trim() }),
    };
    try {
      const { routes } = (await api.get<{ readonly routes: readonly Route[] }>("/routes")).body;
      const invite = (await api.send<Invite>("POST", `/queues/${queueId}/invites`, { body })).body;
      const link = `${pageOf(routes, queueId)}?sluice-invite=${encodeURIComponent(invite.invite)}`;
      setMade([{ ...invite, note: note.trim(), link }, ...made]);
    } catch (caught) {
      setFailed({ action: "Creating the invite", kind: "change", error: caught as Error });
    }
    setBusy(false);
  }

  async function revoke(inviteId: string): Promise<void> {
    setFailed(undefined);
    try {
      await api.send("DELETE", `/queues/${queueId}/invites/${inviteId}`);
      setMade(made.map((each) => (each.inviteId === inviteId ? { ...each, isRevoked: true } : each)));
      say("The invite is revoked: no visitor can use it any more.");
    } catch (caught) {
      setFailed({ action: "Revoking the invite", kind: "change", error: caught as Error });
    }
  }

  return (
    <div class="two">
      <section class="card" aria-label="New invite">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
        >
          <h2>New invite</h2>
          <div class="pair">
            <Choice
              label="Lane"
              hint="Higher lanes go first."
              value={draft.lane}
              options={LANES}
              onChange={(lane) => setDraft({ ...draft, lane })}
            />
            <Field
              label="Uses"
              hint="How many people may use it."
              type="number"
              min="1"
              max="10000"
              step="1"
              required={true}
              value={draft.uses}
              onChange={(uses) => setDraft({ ...draft, uses })}
            />
          </div>
          <Choice
            label="Good for"
            value={draft.lifetimeMs}
            options={LIFETIMES}
            onChange={(lifetimeMs) => setDraft({ ...draft, lifetimeMs })}
          />
          <Field
            label="For one person"
            hint="Optional. A key such as a customer number: one place for all visits with it."
            maxLength={200}
            value={draft.key}
            onChange={(key) => setDraft({ ...draft, key })}
          />
          <Field
            label="Note"
            hint="Optional. Shown in the audit log."
            maxLength={200}
            value={draft.note}
            onChange={(note) => setDraft({ ...draft, note })}
          />
          <ProblemNote failed={failed} onDismiss={() => setFailed(undefined)} />
          <button type="submit" class="primary" disabled={isBusy}>
            Create an invite
          </button>
        </form>
      </section>
      <section class="card" aria-label="Created just now">
        <h2>Created just now</h2>
        {made.length === 0 && <p class="empty">Invites are shown once. Copy the link before you leave this page.</p>}
        <ul class="invites" aria-live="polite">
          {made.map(({ inviteId, link, lane, uses, expiresAt, note, isRevoked }) => (
            <li key={inviteId}>
              <p>
                <b>{note === "" ? `Lane ${lane}` : note}</b>
                <span class="hint">
                  {" "}
                  lane {lane}, {uses === 1 ? "one person" : `${uses} people`}, until {moment(expiresAt)}
                </span>
              </p>
              {isRevoked ? (
                <p class="hint">Revoked.</p>
              ) : (
                <>
                  <code class="link">{link}</code>
                  <div class="form-actions">
                    <CopyButton text={link} what="the link" />
                    <button type="button" class="danger" onClick={() => void revoke(inviteId)}>
                      Revoke this invite
                    </button>
                  </div>
                </>
              )}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** A page behind this queue, if there is a route to it; on this very host where the route is for several. */
function pageOf(routes: readonly Route[], queueId: string): string {
  const { host, path } = routes.find((route) => route.queueId === queueId) ?? { host: "*", path: "/" };
  const origin = host.includes("*") ? location.origin : `${location.protocol}//${host}`;
  return `${origin}${path.replace(/\*$/, "")}`;
}

const SAID_MS = 2_000;

function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }
  return (
    <button type="button" onClick={() => void copy()}>
      {isCopied ? "Copied" : "Copy"}
      <span class="hidden"> {what}</span>
    </button>
  );
}
