import { describe, expect, test } from "vitest";
import { hostOf, isAllowedPrivate, isPublicAddress, placeOf } from "../src/addresses.ts";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:4860:4860::8888",
  "2606:4700::1111",
  "2a00:1450::1",
];

const NOT_PUBLIC = [
  "0.0.0.0",
  "0.1.2.3",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "fc00::1",
  "fd00::1",
  "fe80::1",
  "ff02::1",
];

test.each(PUBLIC)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));
test.each(NOT_PUBLIC)("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
test.each(["", "localhost", "example.com", "127.1", "0x7f000001", "1.1.1.1:80", "[::1]"])(
  "%j is not an address, so it is not public",
  (text) => expect(isPublicAddress(text)).toBe(false),
);

describe("allowPrivate", () => {
  test.each<[url: string, entry: string, allowed: boolean]>([
    ["http://localhost:8080/path", "localhost:8080", true],
    ["http://LOCALHOST:8080", "localhost:8080", true],
    ["http://localhost:8080", "LocalHost:8080", true],
    ["http://localhost", "localhost:80", true],
    ["https://localhost", "localhost:443", true],
    ["http://[::1]:8080", "[::1]:8080", true],
    ["http://127.1:8080", "127.0.0.1:8080", true],
    ["http://localhost:8081", "localhost:8080", false],
    ["https://localhost", "localhost:80", false],
    ["http://127.0.0.1:8080", "localhost:8080", false],
    ["http://localhost:8080", "127.0.0.1:8080", false],
    ["http://localhost:8080", "localhost", false],
    ["http://localhost:8080", "*", false],
    ["http://localhost:8080", "", false],
    ["http://localhost.evil.example:8080", "localhost:8080", false],
  ])("%s by %j: %s", (url, entry, allowed) => {
    expect(isAllowedPrivate(new URL(url), [entry])).toBe(allowed);
    expect(isAllowedPrivate(new URL(url), ["other:1", entry])).toBe(allowed);
  });

  test("an empty list allows nothing", () => expect(isAllowedPrivate(new URL("http://localhost"), [])).toBe(false));
});

test("the target and host of a URL", () => {
  expect(placeOf(new URL("https://Example.com/a"))).toBe("example.com:443");
  expect(hostOf(new URL("http://[2606:4700::1111]:81/"))).toBe("2606:4700::1111");
});
