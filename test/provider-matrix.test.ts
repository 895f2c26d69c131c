import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { families } from "../src/models/provider/families.ts";
import { matrixTable, providerMatrix } from "./provider-matrix.ts";
import { recordings } from "./recordings/providers.ts";

test("every provider's output is shown, however it is split, and docs/models.md lists it", async () => {
  const matrix = await providerMatrix();
  const lost = Object.entries(matrix).flatMap(([name, row]) =>
    Object.entries(row).flatMap(([capability, shown]) => (shown === "no" ? [`${name}: ${capability}`] : [])),
  );
  expect(lost).toEqual([]);
  const document = readFileSync(path.join(import.meta.dirname, "../docs/models.md"), "utf8");
  expect(document, "run: npm run docs").toContain(matrixTable(matrix));
});

test("no provider is missing", () => {
  expect(Object.keys(recordings).toSorted()).toEqual(families.map(([name]) => name).toSorted());
});
