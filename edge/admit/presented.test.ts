import { describe, expect, it } from "vitest";
import { OTHER_QUEUE, VENUE } from "../../kit/token-forge.ts";
import {
  clearedTokenCookie,
  queuesInCookies,
  tokenCookie,
  tokenFromAuthorization,
  tokenFromCookies,
} from "./presented.ts";

const pass = { kind: "pass", queueId: VENUE, secure: false } as const;
const securePass = { ...pass, secure: true };

describe("tokenFromCookies", () => {
  it.each([
    ["alone", "sluice-pass-venue=a.b.c"],
    ["among others", "x=1; sluice-pass-venue=a.b.c; y=2"],
    ["without spaces", "x=1;sluice-pass-venue=a.b.c;y=2"],
    [
      "beside the ticket and another queue's pass",
      "sluice-ticket-venue=t; sluice-pass-venue=a.b.c; sluice-pass-demo=z; sluice-pass-venue-2=z",
    ],
    ["beside 8 kB of another cookie", `big=${"x".repeat(8_192)}; sluice-pass-venue=a.b.c`],
    ["twice with one value", "sluice-pass-venue=a.b.c; sluice-pass-venue=a.b.c"],
  ])("finds the cookie %s", (_name, header) => {
    expect(tokenFromCookies(header, pass)).toEqual({ ok: true, value: "a.b.c" });
  });

  it.each([
    ["no header", null],
    ["an empty header", ""],
    ["other cookies", "a=b; c"],
    ["a name that only ends like ours", "xsluice-pass-venue=a.b.c"],
    ["a name in another case", "Sluice-Pass-Venue=a.b.c"],
    ["our name inside another cookie's value", "x=sluice-pass-venue=a.b.c"],
    ["our name without a value", "sluice-pass-venue"],
    ["another queue's", `sluice-pass-${OTHER_QUEUE}=a.b.c`],
  ])("finds nothing in %s", (_name, header) => {
    expect(tokenFromCookies(header, pass)).toEqual({ ok: true, value: undefined });
  });

  it("takes neither of two cookies of one name", () => {
    expect(tokenFromCookies("sluice-pass-venue=a.b.c; sluice-pass-venue=d.e.f", pass)).toEqual({
      ok: false,
      reason: "cookie_repeated",
    });
  });

  it("reads only the __Host- cookie on https, so that a sibling host cannot plant one", () => {
    expect(tokenFromCookies("sluice-pass-venue=evil; __Host-sluice-pass-venue=a.b.c", securePass)).toEqual({
      ok: true,
      value: "a.b.c",
    });
    expect(tokenFromCookies("sluice-pass-venue=evil", securePass)).toEqual({ ok: true, value: undefined });
    expect(tokenFromCookies("__Host-sluice-pass-venue=a.b.c", pass)).toEqual({ ok: true, value: undefined });
  });
});

describe("tokenFromAuthorization", () => {
  it.each([["Bearer a.b-c._d"], ["bearer a.b-c._d"], ["BEARER   a.b-c._d"]])("reads the token of %j", (header) => {
    expect(tokenFromAuthorization(header)).toEqual({ ok: true, value: "a.b-c._d" });
  });

  it.each([[null], [""], ["Basic dXNlcg=="], ["Bearerish x"], ["Digest Bearer x"]])("ignores %j", (header) => {
    expect(tokenFromAuthorization(header)).toEqual({ ok: true, value: undefined });
  });

  it.each([["Bearer"], ["Bearer "], ["Bearer a b"], ["Bearer a, Bearer b"], ["Bearer a;b"], ["Bearer a\n"]])(
    "refuses %j",
    (header) => {
      expect(tokenFromAuthorization(header)).toEqual({ ok: false, reason: "bearer_malformed" });
    },
  );
});

describe("tokenCookie", () => {
  it("cannot be read by scripts or sent by other sites, and is bound to the host on https", () => {
    const facts = { token: "a.b.c", lifetimeSeconds: 59.9 };
    expect(attributes(tokenCookie({ ...securePass, ...facts }))).toEqual(
      ["__Host-sluice-pass-venue=a.b.c", "HttpOnly", "Max-Age=59", "Path=/", "SameSite=Lax", "Secure"].toSorted(),
    );
    expect(attributes(tokenCookie({ ...pass, ...facts }))).toEqual(
      ["sluice-pass-venue=a.b.c", "HttpOnly", "Max-Age=59", "Path=/", "SameSite=Lax"].toSorted(),
    );
  });

  it("is cleared under the same name", () => {
    expect(attributes(clearedTokenCookie(securePass))).toEqual(
      ["__Host-sluice-pass-venue=", "HttpOnly", "Max-Age=0", "Path=/", "SameSite=Lax", "Secure"].toSorted(),
    );
  });
});

function attributes(cookie: string): readonly string[] {
  return cookie.split("; ").toSorted();
}

describe("queuesInCookies", () => {
  it("names each queue once, in order, up to the limit", () => {
    const header = "x=1; sluice-pass-b=1;sluice-pass-a=2; sluice-ticket-t=3; sluice-pass-b=4; sluice-pass-c=5";
    expect(queuesInCookies(header, { kind: "pass", secure: false }, 8)).toEqual(["b", "a", "c"]);
    expect(queuesInCookies(header, { kind: "pass", secure: false }, 2)).toEqual(["b", "a"]);
    expect(queuesInCookies(header, { kind: "pass", secure: true }, 8)).toEqual([]);
    expect(queuesInCookies("__Host-sluice-pass-a=1", { kind: "pass", secure: true }, 8)).toEqual(["a"]);
  });

  it.each([
    "",
    "sluice-pass-a",
    "sluice-pass-=x",
    "sluice-pass-{a}=x",
    "sluice-pass-A=x",
    `sluice-pass-${"a".repeat(65)}=x`,
  ])("finds none in %s", (header) => {
    expect(queuesInCookies(header, { kind: "pass", secure: false }, 8)).toEqual([]);
  });
});
