import { describe, expect, it } from "vitest";
import { finishResponseHeaders } from "./response-headers.ts";

function finished(entries: [string, string][]): [string, string][] {
  const headers = new Headers(entries);
  finishResponseHeaders(headers, "id");
  return [...headers];
}

describe("finishResponseHeaders", () => {
  it("names the request, even where the origin did", () => {
    expect(finished([["x-request-id", "of-the-origin"]])).toEqual([["x-request-id", "id"]]);
  });

  it("removes our own names, those about the connection, and those named in Connection", () => {
    const sent: [string, string][] = [
      ["connection", "keep-alive, X-Private"],
      ["x-private", "1"],
      ["x-sluice-command", "revoke"],
      ["X-Sluice-Other", "1"],
      ["proxy-authenticate", "Basic"],
      ["x-kept", "1"],
    ];
    const names = finished(sent).map(([name]) => name);
    expect(names.filter((name) => name !== "connection")).toEqual(["x-kept", "x-request-id"]);
  });

  it("keeps several cookies apart", () => {
    const cookies = finished([
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ]);
    expect(cookies.filter(([name]) => name === "set-cookie").map(([, value]) => value)).toEqual(["a=1", "b=2"]);
  });
});
