import { describe, expect, it } from "vitest";
import { isAddress, isPublicAddress } from "./public-address.ts";

describe("isPublicAddress", () => {
  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.19.0.1",
    "224.0.0.1",
    "239.255.255.255",
    "255.255.255.255",
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "",
    "shop.example",
    "1.2.3.4.5",
    "256.1.1.1",
    "1::2::3",
  ])("is false for %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "134744072",
  ])("is true for %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(["2001:4860:4860::8888", "2606:4700::1111", "2a00::", "2001:200::1", "[2606:4700::1111]"])(
    "is true for %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe("isAddress", () => {
  it("distinguishes an address in any spelling from a name", () => {
    for (const text of ["127.1", "0x7f000001", "::1", "[::1]", "8.8.8.8"]) expect(isAddress(text)).toBe(true);
    for (const text of ["shop.example", "localhost", "1.2.3.4.example", "", "a:b"]) expect(isAddress(text)).toBe(false);
  });
});
