import { z } from "zod";
import { unreachable } from "../../../shared/assert.ts";
import type { Accounts, SignedIn, SignInRefusal } from "../../accounts/identity/accounts.ts";
import { newPasswordField, presentedPasswordField } from "../../accounts/identity/passwords.ts";
import type { Sessions } from "../../accounts/identity/sessions.ts";
import { emailField, publicUser, publicUserSchema, usernameField } from "../../accounts/identity/user.ts";
import type { LoginName } from "../../accounts/identity/user-copies.ts";
import { type Caller, programOperation, publicOperation, userOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { type Maintenance, maintenanceOptions } from "../serve-operation.ts";

const REFRESH_TOKEN_CHARS_MAX = 512;

const userSchema = publicUserSchema.register(answerSchemas, { id: "User" });

const signedInSchema = z
  .strictObject({
    user: userSchema,
    tokenType: z.literal("Bearer"),
    accessToken: z.string().describe("Send it as `Authorization: Bearer`."),
    expiresAt: z.int().describe("When the access token expires."),
    refreshToken: z.string().describe("Valid once, for the next pair of tokens. A second use ends the session."),
    refreshExpiresAt: z.int(),
    sessionId: z.string(),
  })
  .register(answerSchemas, { id: "SignedIn" });

const registrationSchema = z
  .strictObject({ username: usernameField, email: emailField, password: newPasswordField })
  .refine(({ username, password }) => !password.toLowerCase().includes(username), {
    path: ["password"],
    message: "must not contain the username",
  })
  .meta({ examples: [{ username: "anna", email: "anna@example.com", password: "correct horse of anna" }] })
  .register(bodySchemas, { id: "Registration" });

const credentialsSchema = z
  .strictObject({ username: usernameField.optional(), email: emailField.optional(), password: presentedPasswordField })
  .refine(({ username, email }) => (username === undefined) !== (email === undefined), {
    path: ["username"],
    message: "is required, or email instead",
  })
  .meta({ examples: [{ username: "anna", password: "correct horse of anna" }] })
  .register(bodySchemas, { id: "Credentials" });

const refreshSchema = z
  .strictObject({ refreshToken: z.string().max(REFRESH_TOKEN_CHARS_MAX) })
  .register(bodySchemas, { id: "Refresh" });

const passwordChangeSchema = z
  .strictObject({ currentPassword: presentedPasswordField, newPassword: newPasswordField })
  .register(bodySchemas, { id: "PasswordChange" });

const SIGN_IN_REFUSALS = ["credentials_invalid", "account_inactive", "account_suspended"] as const;

type OperationParts = {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly maintenance: () => Maintenance | undefined;
};

export function accountOperations({ accounts, sessions, maintenance }: OperationParts): readonly VenueOperation[] {
  /** During maintenance only admins sign in; other users' sessions end again. */
  async function letIn(caller: Caller, signedIn: SignedIn): Promise<Response> {
    const underWork = signedIn.user.role === "admin" ? undefined : maintenance();
    if (underWork === undefined) return caller.answer(200, signedInAnswer(signedIn));
    await sessions.end({ userId: signedIn.user.id, sessionId: signedIn.session.sessionId });
    return caller.refuse("venue_maintenance", maintenanceOptions(underWork));
  }

  return [
    publicOperation({
      method: "post",
      path: "/auth/register",
      id: "register",
      summary: "Create an account and sign in",
      limit: "change",
      body: { schema: registrationSchema },
      answers: { 201: { description: "The account was created.", schema: signedInSchema } },
      refusals: ["account_exists", "database_unavailable", "venue_busy"],
      async run(caller, { body }) {
        const registered = await accounts.register(body, caller.place);
        if (registered.ok) return caller.answer(201, signedInAnswer(registered.value));
        return registered.reason === "account_exists"
          ? caller.refuse("account_exists")
          : refuseSignIn(caller, registered.reason);
      },
    }),
    publicOperation({
      method: "post",
      path: "/auth/login",
      id: "login",
      findsAdmins: true,
      summary: "Sign in with a username or an e-mail address",
      limit: "change",
      body: { schema: credentialsSchema },
      answers: { 200: { description: "A new session.", schema: signedInSchema } },
      refusals: [...SIGN_IN_REFUSALS, "venue_busy"],
      async run(caller, { body: { username, email, password } }) {
        const name: LoginName = username === undefined ? { email: email ?? "" } : { username };
        const signedIn = await accounts.login({ name, password }, caller.place);
        return signedIn.ok ? letIn(caller, signedIn.value) : refuseSignIn(caller, signedIn.reason);
      },
    }),
    publicOperation({
      method: "post",
      path: "/auth/refresh",
      id: "refresh",
      findsAdmins: true,
      summary: "Exchange a refresh token for the next pair of tokens",
      limit: "change",
      body: { schema: refreshSchema },
      answers: { 200: { description: "The same session, with new tokens.", schema: signedInSchema } },
      refusals: ["refresh_token_invalid", "account_inactive", "account_suspended"],
      async run(caller, { body: { refreshToken } }) {
        const underWork = maintenance();
        if (underWork !== undefined && !(await accounts.isAdmins(refreshToken))) {
          return caller.refuse("venue_maintenance", maintenanceOptions(underWork));
        }
        const refreshed = await accounts.refresh(refreshToken);
        if (refreshed.ok) return caller.answer(200, signedInAnswer(refreshed.value));
        return refreshed.reason === "refresh_token_invalid"
          ? caller.refuse("refresh_token_invalid")
          : refuseSignIn(caller, refreshed.reason);
      },
    }),
    userOperation({
      method: "post",
      path: "/auth/password",
      id: "changePassword",
      summary: "Change the password; ends every session and opens a new one",
      limit: "change",
      body: { schema: passwordChangeSchema },
      answers: { 200: { description: "Changed.", schema: signedInSchema } },
      refusals: [...SIGN_IN_REFUSALS, "version_conflict", "database_unavailable", "venue_busy"],
      async run(caller, { body }) {
        const changed = await accounts.changePassword({ userId: caller.identity.user.id, ...body }, caller.place);
        if (changed.ok) return caller.answer(200, signedInAnswer(changed.value));
        return changed.reason === "conflict" ? caller.refuse("version_conflict") : refuseSignIn(caller, changed.reason);
      },
    }),
    programOperation({
      permission: "info",
      method: "get",
      path: "/me",
      id: "readMe",
      summary: "My account",
      limit: "read",
      answers: { 200: { description: "Its current state.", schema: userSchema } },
      refusals: [],
      run: async ({ answer, identity }) => answer(200, publicUser(identity.user)),
    }),
  ];
}

function signedInAnswer({ user, accessToken, expiresAt, session }: SignedIn): z.input<typeof signedInSchema> {
  const { sessionId, refreshToken, refreshExpiresAtMs } = session;
  return {
    user: publicUser(user),
    tokenType: "Bearer",
    accessToken,
    expiresAt,
    refreshToken,
    refreshExpiresAt: refreshExpiresAtMs,
    sessionId,
  };
}

function refuseSignIn({ refuse }: Caller, reason: SignInRefusal): Response {
  if (typeof reason === "object") return refuse("rate_limited", reason);
  switch (reason) {
    case "credentials_invalid":
      return refuse("credentials_invalid");
    case "inactive":
      return refuse("account_inactive");
    case "suspended":
      return refuse("account_suspended");
    default:
      return unreachable(reason);
  }
}
