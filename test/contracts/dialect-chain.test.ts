import { describe, expect, test } from "vitest";
import { playStory, stories } from "../chaining.ts";
import { dialects } from "./dialect-variants.ts";

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  "two servers chained by %s",
  (_, dialect) => {
    const canCancel = dialect.routes.some(({ does }) => does === "cancel");

    test.each(stories.map(({ name }) => name))("look like one: %s", async (name) => {
      const { up, down } = await playStory(dialect, name);
      // Who can only close does not hear how the other side ends.
      if (name === "cancel" && !canCancel) {
        expect(down).toMatchObject({ outcome: "cancelled" });
        expect(up).toMatchObject({ outcome: "cancelled" });
      } else expect(down).toEqual(up);
    });
  },
);
