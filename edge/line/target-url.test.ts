import { describe, expect, it } from "vitest";
import { isPublicSite, targetUrlSchema } from "./target-url.ts";

describe("a queue's upstream", () => {
  it.each([
    ["http://shop.example", "http://shop.example"],
    ["https://shop.example/", "https://shop.example"],
    ["HTTPS://Shop.Example:443", "https://shop.example"],
    ["http://shop.example:8080", "http://shop.example:8080"],
    ["http://bücher.example", "http://xn--bcher-kva.example"],
    ["http://0x7f.1:80", "http://127.0.0.1"],
    ["http://[2606:4700::1111]:8443", "http://[2606:4700::1111]:8443"],
  ])("%s is kept as %s", (given, kept) => {
    expect(targetUrlSchema.parse(given)).toBe(kept);
    expect(targetUrlSchema.parse(kept)).toBe(kept);
  });

  it.each([
    "",
    "shop.example",
    "//shop.example",
    "ftp://shop.example",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "gopher://shop.example",
    "ws://shop.example",
    "http://",
    "http:///shop.example",
    "http://shop.example/path",
    "http://shop.example//",
    "http://shop.example?x",
    "http://shop.example#x",
    "http://user@shop.example",
    "http://user:secret@shop.example",
    "http://shop.example@127.0.0.1",
    "http://shop.example\\@127.0.0.1",
    "http:\\\\shop.example",
    " http://shop.example",
    "http://shop.example ",
    "http://shop\t.example",
    "http://shop.example\n",
    "http://shop.example:0",
    "http://shop.example:65536",
    "http://shop.example:port",
    "http://256.256.256.256",
    "http://[::1",
    `http://${"a".repeat(300)}.example`,
    1,
    [],
  ])("%j is refused", (given) => {
    expect(targetUrlSchema.safeParse(given).success).toBe(false);
  });

  it.each([
    "http://127.0.0.1",
    "http://127.1",
    "http://2130706433",
    "http://0x7f000001",
    "http://0x7f.0.0.1:8080",
    "http://0177.0.0.1",
    "http://0",
    "http://10.1.2.3",
    "http://172.16.0.1",
    "http://192.168.0.1",
    "http://100.64.1.1",
    "http://169.254.169.254",
    "http://224.0.0.1",
    "http://255.255.255.255",
    "http://127.0.0.1.",
    "http://１２７.０.０.１",
    "http://[::1]",
    "http://[::]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[64:ff9b::127.0.0.1]",
    "http://[2002:7f00:1::]",
    "http://[fe80::1]",
    "http://[fd00::1]",
    "http://[ff02::1]",
    "http://localhost",
    "http://LOCALHOST:8080",
    "http://localhost.",
    "http://a.localhost",
    "http://printer.local",
    "http://printer.local.",
    "http://metadata.google.internal",
    "http://nas.lan",
    "http://router.home.arpa",
    "http://redis",
    "http://redis.",
    "http://redis:6379",
  ])("%s is not on the public internet", (site) => {
    const parsed = targetUrlSchema.safeParse(site);
    expect(isPublicSite(parsed.success ? parsed.data : site)).toBe(false);
  });

  it.each([
    "https://shop.example",
    "http://8.8.8.8",
    "http://[2606:4700::1111]",
    "https://localhost.example",
    "https://notlocal.example",
  ])("%s is", (site) => {
    expect(isPublicSite(targetUrlSchema.parse(site))).toBe(true);
  });
});
