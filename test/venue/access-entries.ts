import type { ErrorCode } from "../../shared/errors.ts";
import { TRADING_ACCESS_ENTRIES } from "./trading-access-entries.ts";
import { passwordOf, type TestVenue } from "./venue.ts";

/**
 * How the access matrix (`access-matrix.test.ts`) asks for each operation of the venue, by its `operationId`. The matrix finds the
 * operations in the OpenAPI document and the rights in what it says of them; what it cannot know is what to send. One entry per operation:
 *
 * - `request`: what somebody sends so that it succeeds, made anew for each try. Of an operation with parameters in its path it makes an
 *   object of that person's first. Left out where nothing needs to be sent.
 * - `hidden`: with parameters in the path, the code that everybody gets but the one whose object it is.
 * - `shows`: for a GET of one's own things, makes one of the owner's and answers a text that the owner's answer then holds and no other.
 * - `isForEverybody`: with a pass and nothing else. Said here as well, so that no operation becomes public by a slip.
 * - `isOwnOfEverybody`: the path names something that everybody has one of, so that nothing is hidden from anybody.
 * - `status`: where success is not the 2xx that the document tells.
 */
export type AccessEntry = {
  readonly request?: (asker: Asker) => Request | Promise<Request>;
  readonly hidden?: ErrorCode;
  readonly shows?: (asker: Asker) => string | Promise<string>;
  readonly isForEverybody?: true;
  readonly isOwnOfEverybody?: true;
  readonly status?: number;
};

type Request = {
  readonly params?: Readonly<Record<string, string>>;
  /** With its question mark. */
  readonly query?: string;
  readonly json?: unknown;
};

/** Somebody signed in, who may prepare what a request needs. */
export type Asker = {
  readonly venue: TestVenue;
  readonly name: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly token: string;
  readonly refreshToken: string;
  /** Somebody else, for what admins do. */
  readonly otherUserId: string;
};

let made = 0;
const newName = () => `made_${made++}`;

const NEW_KEY = { label: "matrix", permissions: ["info"] };
const NEW_VENUE_KEY = { venue: "indodax", label: "matrix", key: "a-key-of-tests", secret: "a-secret-of-tests" };
const SYSTEM = { maintenanceMode: false, maintenanceMessage: "", maxOpenOrders: 50, minVolumeFilter: "10000000" };

async function idOfNew({ venue, token }: Asker, path: string, json: object): Promise<string> {
  const { status, body } = await venue.call("POST", path, { token, json });
  if (status === 201) return String(body["id"]);
  // One key for each venue: whoever has it already shows that one.
  const listed = (await venue.call("GET", path, { token })).body["keys"] as readonly { readonly id: string }[];
  return listed[0]?.id ?? "";
}

const ofOtherUser = ({ otherUserId }: Asker) => ({ params: { userId: otherUserId } });

export const ACCESS_ENTRIES: Readonly<Record<string, AccessEntry>> = {
  register: {
    isForEverybody: true,
    request: () => {
      const username = newName();
      return { json: { username, email: `${username}@example.test`, password: passwordOf(username) } };
    },
  },
  login: { isForEverybody: true, request: ({ name }) => ({ json: { username: name, password: passwordOf(name) } }) },
  refresh: { isForEverybody: true, request: ({ refreshToken }) => ({ json: { refreshToken } }) },
  changePassword: {
    request: ({ name }) => ({ json: { currentPassword: passwordOf(name), newPassword: "an entirely new password" } }),
  },
  readMe: { shows: ({ userId }) => userId },
  logout: {},
  logoutEverywhere: {},
  listSessions: { shows: ({ sessionId }) => sessionId },
  endSession: { request: ({ sessionId }) => ({ params: { sessionId } }), hidden: "session_not_found" },
  listApiKeys: { shows: (asker) => idOfNew(asker, "/api-keys", NEW_KEY) },
  createApiKey: { request: () => ({ json: NEW_KEY }) },
  revokeApiKey: {
    request: async (asker) => ({ params: { keyId: await idOfNew(asker, "/api-keys", NEW_KEY) } }),
    hidden: "key_not_found",
  },
  listVenueKeys: { shows: (asker) => idOfNew(asker, "/venue-keys", NEW_VENUE_KEY) },
  addVenueKey: { request: () => ({ json: NEW_VENUE_KEY }) },
  removeVenueKey: {
    request: async (asker) => ({ params: { keyId: await idOfNew(asker, "/venue-keys", NEW_VENUE_KEY) } }),
    hidden: "key_not_found",
  },
  listUsers: {},
  readUser: { request: ofOtherUser },
  changeUser: { request: (asker) => ({ ...ofOtherUser(asker), json: { status: "active" } }) },
  endUserSessions: { request: ofOtherUser },
  readAudit: {},
  readSystem: {},
  readMetrics: {},
  replaceSystem: { request: () => ({ json: SYSTEM }) },
  ...TRADING_ACCESS_ENTRIES,
  openSocket: { isForEverybody: true, status: 426 },
  readDocument: { isForEverybody: true },
  readDocumentation: { isForEverybody: true },
  readDocumentationFile: { isForEverybody: true, request: () => ({ params: { file: "start.js" } }) },
};
