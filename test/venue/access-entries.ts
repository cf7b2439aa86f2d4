import type { ErrorCode } from "../../shared/http/errors.ts";
import { PRICE_ACCESS_ENTRIES } from "./price-access-entries.ts";
import { TRADING_ACCESS_ENTRIES } from "./trading-access-entries.ts";
import { passwordOf, type TestVenue } from "./venue.ts";

/**
 * The requests of the access matrix (`access-matrix.test.ts`) for each operation of the venue, by its `operationId`.
 * The matrix finds the operations and their permissions in the OpenAPI document, but not what to send. One entry per
 * operation:
 * - `request`: a request that succeeds, made for each attempt. For an operation with path parameters it first creates
 * an object of the caller. Omitted where nothing needs to be sent.
 * - `hidden`: with path parameters, the code that every user but the object's owner gets.
 * - `shows`: for a GET of the caller's own data, creates some and returns a text that only the owner's answer contains.
 * - `isPublic`: needs a pass and nothing else. Stated here as well, so that no operation becomes public by mistake.
 * - `isOwnOfEachUser`: the path names an object that every user has, so that nothing is hidden.
 * - `status`: where success is not the document's 2xx.
 */
export type AccessEntry = {
  readonly request?: (asker: Asker) => Request | Promise<Request>;
  readonly hidden?: ErrorCode;
  readonly shows?: (asker: Asker) => string | Promise<string>;
  readonly isPublic?: true;
  readonly isOwnOfEachUser?: true;
  readonly status?: number;
};

type Request = {
  readonly params?: Readonly<Record<string, string>>;
  /** With the question mark. */
  readonly query?: string;
  readonly json?: unknown;
};

/** A signed-in user, who can prepare what a request needs. */
export type Asker = {
  readonly venue: TestVenue;
  readonly name: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly token: string;
  readonly refreshToken: string;
  /** Another user, for admins' changes. */
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
  // One key for each venue: reuse an existing one.
  const listed = (await venue.call("GET", path, { token })).body["keys"] as readonly { readonly id: string }[];
  return listed[0]?.id ?? "";
}

const ofOtherUser = ({ otherUserId }: Asker) => ({ params: { userId: otherUserId } });

export const ACCESS_ENTRIES: Readonly<Record<string, AccessEntry>> = {
  register: {
    isPublic: true,
    request: () => {
      const username = newName();
      return { json: { username, email: `${username}@example.test`, password: passwordOf(username) } };
    },
  },
  login: { isPublic: true, request: ({ name }) => ({ json: { username: name, password: passwordOf(name) } }) },
  refresh: { isPublic: true, request: ({ refreshToken }) => ({ json: { refreshToken } }) },
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
  ...PRICE_ACCESS_ENTRIES,
  openSocket: { isPublic: true, status: 426 },
  openStream: { isPublic: true, status: 503, request: () => ({ query: "?channels=book:btcidr" }) },
  listConnections: { request: ofOtherUser },
  readLiveDocument: { isPublic: true },
  readLiveDocumentation: { isPublic: true },
  readDocument: { isPublic: true },
  readDocumentation: { isPublic: true },
  readDocumentationFile: { isPublic: true, request: () => ({ params: { file: "start.js" } }) },
};
