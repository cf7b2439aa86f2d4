import { describe, expect, it } from "vitest";
import { clientAddress } from "./read-visit.ts";

const FORGED = new Headers({ "x-forwarded-for": "203.0.113.9", "cf-connecting-ip": "203.0.113.9" });

describe("clientAddress", () => {
  it.each([
    ["10.1.2.3:5000", "10.1.2.3"],
    ["[::1]:5000", "::1"],
    ["[2001:db8::7]:80", "2001:db8::7"],
    ["unix", undefined],
    [7, undefined],
  ])("reads the peer of the socket %j as %j, whatever the headers say", (clientIp, address) => {
    expect(clientAddress({ cf: { clientIp }, headers: FORGED }, "socket")).toBe(address);
  });

  it("does not fall back on a header when the socket is unknown", () => {
    expect(clientAddress({ headers: FORGED }, "socket")).toBeUndefined();
    expect(clientAddress({ cf: { colo: "FRA" }, headers: FORGED }, "socket")).toBeUndefined();
  });

  it("accepts Cloudflare's header only where it is configured", () => {
    expect(clientAddress({ headers: new Headers({ "cf-connecting-ip": "198.51.100.7" }) }, "cloudflare")).toBe(
      "198.51.100.7",
    );
    expect(clientAddress({ headers: new Headers({ "x-forwarded-for": "203.0.113.9" }) }, "cloudflare")).toBeUndefined();
  });
});
