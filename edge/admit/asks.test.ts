import { describe, expect, it } from "vitest";
import { asksOf } from "./asks.ts";
import { wantsOf } from "./wants.ts";

const PAGE = "text/html,application/xhtml+xml,*/*;q=0.8";

type Given = Readonly<Record<string, string>>;

function asks(headers: Given, { method = "GET", sameSite = "lax" as "lax" | "none" } = {}) {
  const all = new Headers(headers);
  const wants = wantsOf({ method, headers: all });
  return asksOf({ method, headers: all, wants, site: "https://shop.test", sameSite });
}

const metadata = (site: string, mode: string, dest: string): Given => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
});

describe("asksOf", () => {
  it.each([
    "audio",
    "embed",
    "font",
    "image",
    "manifest",
    "object",
    "script",
    "serviceworker",
    "style",
    "track",
    "video",
    "worker",
    "xslt",
  ])("a page asks for its %s, which is no visit of its own, from whatever site", (destination) => {
    for (const site of ["same-origin", "same-site", "cross-site", "none"])
      for (const mode of ["no-cors", "cors", "same-origin"])
        expect(asks(metadata(site, mode, destination))).toBe("part");
  });

  it.each([
    ["a person who types the address", metadata("none", "navigate", "document"), "visitor"],
    ["a person who follows a link on another site", metadata("cross-site", "navigate", "document"), "visitor"],
    ["a frame on the same site", metadata("same-origin", "navigate", "iframe"), "visitor"],
    ["a frame on another site", metadata("cross-site", "navigate", "iframe"), "part"],
    ["a program of the same site", metadata("same-origin", "cors", "empty"), "visitor"],
    ["a program of a sibling host", metadata("same-site", "cors", "empty"), "visitor"],
    ["a program of another site", metadata("cross-site", "cors", "empty"), "part"],
    ["a request whose answer cannot be read", metadata("same-origin", "no-cors", "empty"), "part"],
    ["a socket of the same site", metadata("same-origin", "websocket", "websocket"), "visitor"],
    ["a socket of another site", metadata("cross-site", "websocket", "websocket"), "part"],
    [
      "a page fetched ahead",
      { ...metadata("same-origin", "navigate", "document"), "sec-purpose": "prefetch;prerender" },
      "part",
    ],
    ["a page fetched ahead by an older browser", { purpose: "prefetch" }, "part"],
  ])("%s", (_name, headers, expected) => {
    expect(asks({ accept: PAGE, ...headers })).toBe(expected);
  });

  it.each([
    [PAGE, "visitor"],
    ["application/json", "visitor"],
    ["*/*", "visitor"],
    ["image/avif,image/webp,*/*;q=0.8", "part"],
    ["text/css,*/*;q=0.1", "part"],
    ["text/event-stream", "part"],
  ])("without fetch metadata Accept: %s has to do", (accept, expected) => {
    expect(asks({ accept })).toBe(expected);
  });

  it("knows that a form of another site has no SameSite=Lax cookies, but those with None", () => {
    const form = { accept: PAGE, ...metadata("cross-site", "navigate", "document") };
    expect([asks(form, { method: "POST" }), asks(form, { method: "POST", sameSite: "none" })]).toEqual([
      "otherSite",
      "visitor",
    ]);
    expect(asks({ ...form, "sec-fetch-site": "same-origin" }, { method: "POST" })).toBe("visitor");
    for (const origin of ["https://bank.test", "null"]) {
      expect(asks({ accept: PAGE, origin }, { method: "POST" })).toBe("otherSite");
      expect(asks({ accept: PAGE, origin })).toBe("visitor");
    }
    expect(asks({ accept: PAGE, origin: "https://SHOP.test" }, { method: "POST" })).toBe("visitor");
    expect(asks({ accept: "*/*" }, { method: "POST" })).toBe("visitor");
  });
});
