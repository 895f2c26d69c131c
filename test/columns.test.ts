import { expect, test } from "vitest";
import { columns } from "../src/cli/columns.ts";

test("cells stand below each other, whatever is in them, and nothing pads the end of a line", () => {
  const rows = [
    ["ci", "ci", "start,watch", ""],
    ["front\nend", "a user with a long name", "admin on behalf of others", "by ci"],
  ];
  expect(columns(rows)).toEqual([
    "ci         ci                       start,watch",
    "front end  a user with a long name  admin on behalf of others  by ci",
  ]);
});
