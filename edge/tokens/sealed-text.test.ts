import { describe, expect, it } from "vitest";
import { systemRandom } from "../../shared/ids.ts";
import { createSealedTexts } from "./sealed-text.ts";

const sealerWith = (secret: string) => createSealedTexts({ secret, fillRandom: systemRandom });

describe("a sealed text", () => {
  it("is opened only by edges with the same keys", async () => {
    const here = sealerWith("keys");
    const sealed = await here.seal("https://upstream.example:8443");
    expect(sealed).toMatch(/^[\w-]{20,100}$/);
    expect(atob(sealed.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("upstream");
    expect(await here.seal("https://upstream.example:8443")).toBe(sealed);
    expect(await sealerWith("keys").open(sealed)).toBe("https://upstream.example:8443");
    expect(await sealerWith("other keys").open(sealed)).toBeUndefined();
  });

  it.each(["", "x", "AAAA", "A".repeat(60), "!"])("is not opened when it was never sealed: %j", async (text) => {
    expect(await sealerWith("keys").open(text)).toBeUndefined();
  });

  it("is not opened when a bit of it was changed", async () => {
    const sealed = await sealerWith("keys").seal("https://upstream.example");
    const changed = sealed.slice(0, 30) + (sealed[30] === "A" ? "B" : "A") + sealed.slice(31);
    expect(await sealerWith("keys").open(changed)).toBeUndefined();
  });
});
