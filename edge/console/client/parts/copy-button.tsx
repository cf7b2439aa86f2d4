import { useState } from "preact/hooks";

const SAID_MS = 2_000;

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
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
