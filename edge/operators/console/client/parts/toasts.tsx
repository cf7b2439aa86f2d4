import { useEffect, useState } from "preact/hooks";

export type Toast = { readonly id: number; readonly text: string; readonly undo: (() => Promise<void>) | undefined };

/** Long enough for a slow reader. */
const SHOWN_MS = 20_000;

/** The region is there from the start, because screen readers announce only what is put into one that they know. */
export function Toasts({
  toasts,
  onGone,
}: {
  readonly toasts: readonly Toast[];
  readonly onGone: (id: number) => void;
}) {
  return (
    <div class="toasts" role="status">
      {toasts.map((toast) => (
        <ToastItem key={toast.id} toast={toast} onGone={() => onGone(toast.id)} />
      ))}
    </div>
  );
}

function ToastItem({ toast, onGone }: { readonly toast: Toast; readonly onGone: () => void }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(onGone, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, onGone]);
  const undo = async () => {
    onGone();
    await toast.undo?.();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: looking at it only keeps it there; nothing has to be done with a pointer.
    <div
      class="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
    >
      <span>{toast.text}</span>
      {toast.undo && (
        <button type="button" class="plain" onClick={() => void undo()}>
          Undo
        </button>
      )}
      <button type="button" class="plain" aria-label="Dismiss" onClick={onGone}>
        ×
      </button>
    </div>
  );
}
