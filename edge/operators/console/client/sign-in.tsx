import { useState } from "preact/hooks";
import { isProblem, type SignedOut, signIn } from "./api.ts";
import { Field } from "./parts/field.tsx";
import { Logo } from "./parts/logo.tsx";
import { ProblemNote } from "./parts/problem-note.tsx";

type SignInProps = { readonly ended: SignedOut | undefined; readonly onSignedIn: (key: string) => void };

export function SignIn({ ended, onSignedIn }: SignInProps) {
  const [token, setToken] = useState("");
  const [name, setName] = useState("");
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onSignedIn(await signIn(token.trim(), name.trim()));
    } catch (caught) {
      setError(
        isProblem(caught, "operator_token_invalid") ? new Error("This is not the operator token.") : (caught as Error),
      );
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="brand big">
          <Logo /> Sluice
        </div>
        <h1>Operator’s console</h1>
        {ended && (
          <p class="note">
            {ended.hasLostChange
              ? "Your session has ended, so your last change was not made."
              : "Your session has ended."}{" "}
            Sign in to continue where you were.
          </p>
        )}
        <Field
          label="Operator token"
          hint="SLUICE_ADMIN_TOKEN, or one of SLUICE_ADMIN_TOKENS. On your own machine it is adminToken in .sluice/secrets.json."
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required={true}
          value={token}
          onChange={setToken}
        />
        <Field
          label="Your name"
          hint="Optional. Shown in the audit log, because operators may share one token."
          autocomplete="name"
          maxLength={60}
          value={name}
          onChange={setName}
        />
        <ProblemNote
          failed={error && { action: "Signing in", kind: "read", error }}
          onDismiss={() => setError(undefined)}
        />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
