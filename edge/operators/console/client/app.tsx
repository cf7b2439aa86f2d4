import { useCallback, useMemo, useState } from "preact/hooks";
import { createApi, type SignedOut, signOut } from "./api.ts";
import { AuditView } from "./audit-view.tsx";
import { ConsoleContext } from "./parts/console-context.ts";
import { Logo } from "./parts/logo.tsx";
import { type Toast, Toasts } from "./parts/toasts.tsx";
import { QueueView } from "./queue/queue-view.tsx";
import { QueueList } from "./queue-list.tsx";
import { SignIn } from "./sign-in.tsx";
import { type Place, usePlace } from "./use-route.ts";

/** The key that came with the page, if its session was alive. It is kept only in memory. */
function keyOfPage(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="console-key"]')?.content ?? "";
}

export function App() {
  const [key, setKey] = useState(keyOfPage);
  const [ended, setEnded] = useState<SignedOut>();
  const end = useCallback((how: SignedOut) => {
    // Polls of the page end with the session too; a lost change is reported nevertheless.
    setEnded((before) => (before?.hasLostChange ? before : how));
    setKey("");
  }, []);
  const signedIn = useCallback((newKey: string) => {
    setEnded(undefined);
    setKey(newKey);
  }, []);
  if (key === "") return <SignIn ended={ended} onSignedIn={signedIn} />;
  return (
    <SignedIn key={key} sessionKey={key} onEnded={end} onSignOut={() => void signOut().finally(() => setKey(""))} />
  );
}

type SignedInProps = {
  readonly sessionKey: string;
  readonly onEnded: (how: SignedOut) => void;
  readonly onSignOut: () => void;
};

let lastToastId = 0;

function SignedIn({ sessionKey, onEnded, onSignOut }: SignedInProps) {
  const place = usePlace();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const say = useCallback((text: string, undo?: () => Promise<void>) => {
    lastToastId++;
    // Only the last change can be taken back: an older one would be taken back over a newer.
    setToasts((before) => [
      ...before.slice(-2).map((toast) => ({ ...toast, undo: undefined })),
      { id: lastToastId, text, undo },
    ]);
  }, []);
  const forget = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const api = useMemo(() => createApi(sessionKey, onEnded), [sessionKey, onEnded]);
  const console = useMemo(() => ({ api, say }), [api, say]);
  return (
    <ConsoleContext.Provider value={console}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          <Logo /> Sluice
        </a>
        <nav class="top-nav" aria-label="Console">
          <a href="#/" aria-current={place.view === "audit" ? undefined : "page"}>
            Queues
          </a>
          <a href="#/audit" aria-current={place.view === "audit" ? "page" : undefined}>
            Audit log
          </a>
        </nav>
        <button type="button" class="plain" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <View place={place} />
      </main>
      <Toasts toasts={toasts} onGone={forget} />
    </ConsoleContext.Provider>
  );
}

function View({ place }: { readonly place: Place }) {
  if (place.view === "queue") return <QueueView key={place.queueId} queueId={place.queueId} tab={place.tab} />;
  return place.view === "audit" ? <AuditView /> : <QueueList />;
}
