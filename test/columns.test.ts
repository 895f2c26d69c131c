import { expect, test } from "vitest";
import { columns } from "../src/cli/columns.ts";

test("cells are aligned regardless of their content, and lines have no trailing padding", () => {
  const rows = [
    ["ci", "ci", "start,watch", ""],
    ["front\nend", "a user with a long name", "admin on behalf of others", "by ci"],
  ];
  expect(columns(rows)).toEqual([
    "ci         ci                       start,watch",
    "front end  a user with a long name  admin on behalf of others  by ci",
  ]);
});
