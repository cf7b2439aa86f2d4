import { useState } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import { duration } from "../../forecast.ts";
import { isProblem, type Queue } from "../api.ts";
import type { Session, SessionPage } from "../api-shapes.ts";
import { useConsole } from "../parts/console-context.ts";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { usePages } from "../use-pages.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";

const PAGE_SIZE = 50;
const SESSION_ID = /^[A-Za-z0-9_-]{22}$/;

/** The admitted sessions. One page at a time, and a single session by its id: never all, which may be a million. */
export function SessionsTab({ queueId, banSeconds }: Pick<Queue, "queueId" | "banSeconds">) {
  const { api, say } = useConsole();
  const [wanted, setWanted] = useState("");
  const [revoking, setRevoking] = useState<string>();
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const exact = SESSION_ID.test(wanted.trim()) ? wanted.trim() : undefined;
  const path = `/queues/${queueId}/sessions`;
  const pages = usePages<Session>(`${path} ${exact ?? ""}`, async (cursor) => {
    if (exact !== undefined) return { items: await findOne(exact), nextCursor: null };
    const { body } = await api.get<SessionPage>(
      `${path}?limit=${PAGE_SIZE}${cursor === undefined ? "" : `&cursor=${cursor}`}`,
    );
    return { items: body.sessions, nextCursor: body.nextCursor };
  });

  async function findOne(sessionId: string): Promise<readonly Session[]> {
    try {
      return [(await api.get<Session>(`${path}/${sessionId}`)).body];
    } catch (error) {
      if (isProblem(error, "session_not_found")) return [];
      throw error;
    }
  }

  const shown = pages.items.filter(
    ({ sessionId }) => !gone.has(sessionId) && sessionId.startsWith(exact ?? wanted.trim()),
  );
  return (
    <section class="card" aria-label="Sessions">
      <div class="list-head">
        <h2>Sessions</h2>
        <button type="button" onClick={pages.reload}>
          Refresh
        </button>
      </div>
      <Field
        label="Find a session"
        hint="A whole id finds any session; its beginning filters the list below. Your application gets the id with every request."
        type="search"
        spellcheck={false}
        autocomplete="off"
        value={wanted}
        onChange={setWanted}
      />
      <ProblemNote failed={pages.error && { action: "Reading the sessions", kind: "read", error: pages.error }} />
      {shown.length === 0 && !pages.isReading ? (
        <p class="empty">
          {wanted === ""
            ? "No one is inside."
            : "No such session holds a slot. Its pass, if there is one, can still be revoked."}
        </p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">State</th>
                <th scope="col">Ends in</th>
                <th scope="col">
                  <span class="hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((session) => (
                <tr key={session.sessionId}>
                  <th scope="row">
                    <code>{session.sessionId}</code>
                  </th>
                  <td>{session.state === "reserved" ? "Called, not in yet" : "Inside"}</td>
                  <td>{endsIn(session)}</td>
                  <td class="end">
                    <button type="button" class="danger" onClick={() => setRevoking(session.sessionId)}>
                      Revoke<span class="hidden"> {session.sessionId}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {exact !== undefined && shown.length === 0 && !pages.isReading && (
        <button type="button" class="danger" onClick={() => setRevoking(exact)}>
          Revoke it
        </button>
      )}
      {pages.hasMore && (
        <button type="button" onClick={pages.readMore} disabled={pages.isReading}>
          More
        </button>
      )}
      {revoking && (
        <RevokeDialog
          queueId={queueId}
          sessionId={revoking}
          banSeconds={banSeconds}
          onDone={() => {
            setGone(new Set([...gone, revoking]));
            setRevoking(undefined);
            say(`Session ${revoking.slice(0, 6)}… is revoked; it is out everywhere within 2 s.`);
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

function endsIn({ expiresAt }: Session): string {
  const leftMs = expiresAt - systemClock.nowMs();
  return leftMs < 1_000 ? "any moment" : duration(leftMs / 1000);
}
