import { describe, expect, it } from "vitest";
import { addressIdentity, parseAddress } from "./ip-address.ts";
import { isInRange, parseRange } from "./ip-range.ts";

describe("an address", () => {
  it.each([
    ["192.0.2.1", [192, 0, 2, 1]],
    ["255.255.255.255", [255, 255, 255, 255]],
    ["::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ["2001:DB8::a", [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]],
    ["1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ["fe80::1%eth0", [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ["::ffff:192.0.2.1", [192, 0, 2, 1]],
    ["::FFFF:c000:201", [192, 0, 2, 1]],
    ["0:0:0:0:0:ffff:192.0.2.1", [192, 0, 2, 1]],
  ])("%s is read", (text, bytes) => {
    expect(parseAddress(text)).toEqual(bytes);
  });

  it.each([
    ...[
      "",
      "localhost",
      "10.0.0",
      "10.0.0.256",
      "010.0.0.1",
      "0x7f.1",
      "2130706433",
      "10.0.0.1:80",
      "10.0.0.1, 10.0.0.2",
      " 10.0.0.1",
    ],
    ...[
      "::1]",
      "[::1]",
      "::1]/@evil",
      ":::",
      "1:2:3",
      "1:2:3:4:5:6:7:8:9",
      "12345::",
      "g::1",
      "::1\n",
      "10.0.0.1\n",
      "::ffff:192.0.2.256",
    ],
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("the identity of an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:0201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"],
    ["2001:DB8:1:2::9", "2001:0db8:0001:0002::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002::/64"],
    ["2001:db8:1:3::9", "2001:0db8:0001:0003::/64"],
    ["2001:db8::9", "2001:0db8:0000:0000::/64"],
    ["::1", "0000:0000:0000:0000::/64"],
    ["unix", "unix"],
  ])("%s counts as %s", (address, identity) => {
    expect(addressIdentity(address)).toBe(identity);
  });
});

describe("a range", () => {
  const isIn = (address: string, range: string) => {
    const [parsed, bytes] = [parseRange(range), parseAddress(address)];
    if (!parsed.ok || bytes === undefined) throw new Error(`${address} in ${range} cannot be read`);
    return isInRange(bytes, parsed.value);
  };

  it.each([
    ["10.0.0.0", "10.0.0.0/8", true],
    ["10.255.255.255", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["9.255.255.255", "10.0.0.0/8", false],
    ["192.0.2.129", "192.0.2.128/25", true],
    ["192.0.2.127", "192.0.2.128/25", false],
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.1/32", true],
    ["192.0.2.2", "192.0.2.1/32", false],
    ["::ffff:10.1.2.3", "10.0.0.0/8", true],
    ["10.1.2.3", "::ffff:10.1.2.3", true],
    ["2001:db8:ffff::1", "2001:db8::/32", true],
    ["2001:db9::1", "2001:db8::/32", false],
    ["2001:db8::1", "2001:db8::1/128", true],
    ["2001:db8:0:8::", "2001:db8:0:8::/61", true],
    ["2001:db8:0:10::", "2001:db8:0:8::/61", false],
    ["::10.1.2.3", "10.0.0.0/8", false],
    ["10.0.0.1", "a00::/16", false],
  ])("holds %s in %s: %s", (address, range, expected) => {
    expect(isIn(address, range)).toBe(expected);
  });

  it.each([
    ...[
      "",
      "10.0.0.0/",
      "10.0.0.0/33",
      "10.0.0.0/08",
      "10.0.0.0/-1",
      "10.0.0.0/8/8",
      "10.0.0.1/8",
      "10/8",
      "0.0.0.0/0",
      "0.0.0.0/7",
    ],
    ...[
      "::/0",
      "2000::/15",
      "2001:db8::/129",
      "2001:db8::1/32",
      "::ffff:10.0.0.0/104",
      "fe80::1%eth0",
      "localhost",
      "*",
      "10.0.0.0/8\n",
    ],
  ])("is not made from %j", (text) => {
    expect(parseRange(text).ok).toBe(false);
  });
});
