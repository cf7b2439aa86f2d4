import { beforeAll, expect, it } from "vitest";
import { createAccessTokenForge, forgedAccessTokens } from "./forged-access-tokens.ts";
import { startVenue, type TestVenue } from "./venue.ts";

let venue: TestVenue;
let accessToken: string;

beforeAll(async () => {
  venue = await startVenue();
  accessToken = (await venue.register("anna")).body.accessToken ?? "";
});

/** With the current time, which some forgeries use. */
const forge = () => createAccessTokenForge(accessToken, venue.identityKey);

/** Texts that a header can carry: HTTP trims spaces. */
const FITS_A_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

it("is valid as the venue signs it, and as signed by the holder of its key", async () => {
  expect((await venue.call("GET", "/me", { token: await (await forge()).token() })).body["username"]).toBe("anna");
});

it.each(forgedAccessTokens)("is refused with 401: %s", async (_name, make) => {
  const token = await make(await forge());
  const answer = FITS_A_HEADER.test(token) ? await venue.call("GET", "/me", { token }) : undefined;
  expect([answer?.status ?? 401, answer?.body.code ?? "not_signed_in"]).toEqual([401, "not_signed_in"]);
  // The same text in a message, which can carry anything.
  expect(await venue.readSession(token)).toBeUndefined();
});
