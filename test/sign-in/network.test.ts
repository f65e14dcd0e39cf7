import { describe, expect, it } from "vitest";
import { networkOf, siteOf } from "../../src/sign-in/network.ts";

describe("the network and the site of an address", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9", "203.0.113"],
    ["::ffff:203.0.113.9", "203.0.113.9", "203.0.113"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"],
    ["2001:0DB8:0001:0002::ffff", "2001:db8:1:2", "2001:db8:1"],
    ["2001:db8::1", "2001:db8:0:0", "2001:db8:0"],
    ["::1", "0:0:0:0", "0:0:0"],
  ])("of %s are %s and %s", (address, network, site) => {
    expect(networkOf(address)).toBe(network);
    expect(siteOf(address)).toBe(site);
  });
});
