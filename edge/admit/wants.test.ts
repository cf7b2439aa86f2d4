import { describe, expect, it } from "vitest";
import { wantsOf } from "./wants.ts";

const CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
const IMAGE = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

function asked(accept: string | undefined, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  return wantsOf({ method, headers: new Headers({ ...(accept === undefined ? {} : { accept }), ...headers }) });
}

describe("wantsOf", () => {
  it.each([
    [CHROME, "page"],
    ["text/html", "page"],
    ["TEXT/HTML; charset=utf-8", "page"],
    ["application/xhtml+xml", "page"],
    ["text/*", "page"],
    ["application/json;q=0.5, text/html;q=0.9", "page"],
    ["image/png, text/html;q=0.1", "page"],
    ["application/json", "json"],
    ["application/json, text/plain, */*", "json"],
    ["application/json;charset=utf-8;q=0.9, text/html;q=0.8", "json"],
    ["text/html;q=0.2,application/json;q=0.3,*/*", "json"],
    ["text/html;q=0, application/json", "json"],
    ["application/*", "json"],
    ["*/*", "json"],
    ["", "json"],
    [undefined, "json"],
    ["application/json;q=0, */*", "other"],
    ["image/png", "other"],
    [IMAGE, "other"],
    ["text/css,*/*;q=0.1", "other"],
    ["application/xml", "other"],
    ["text/event-stream", "other"],
  ])("who sends Accept: %s wants %s", (accept, wanted) => {
    expect(asked(accept)).toBe(wanted);
  });

  it.each([
    ["document", "page"],
    ["iframe", "page"],
    ["empty", "json"],
    ["script", "other"],
    ["image", "other"],
    ["video", "other"],
  ])("who takes anything, for %s, wants %s", (destination, wanted) => {
    expect(asked("*/*", { "sec-fetch-dest": destination })).toBe(wanted);
  });

  it("tells an action from a page, and a person's form from a program's", () => {
    expect(asked(CHROME, {}, "POST")).toBe("action");
    expect(asked(CHROME, { "sec-fetch-mode": "navigate" }, "POST")).toBe("form");
    expect(asked("application/json", { "sec-fetch-mode": "navigate" }, "POST")).toBe("action");
    expect(asked(CHROME, { "sec-fetch-mode": "navigate" }, "DELETE")).toBe("action");
    expect(asked(CHROME, { upgrade: "websocket" })).toBe("action");
    expect(asked(CHROME, {}, "HEAD")).toBe("page");
    expect(asked("*/*", {}, "OPTIONS")).toBe("preflight");
  });
});
