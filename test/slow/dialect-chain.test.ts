import { describe, expect, test } from "vitest";
import { playStory, stories } from "../server-chain.ts";
import { type CuttingProxy, startCuttingProxy } from "../cutting-proxy.ts";
import { randomFrom } from "../random.ts";
import { onStop } from "../serving.ts";
import { dialects } from "../contracts/dialect-variants.ts";

/** Cuts the connections between two servers, and tells whether one of them was long enough for its cut. */
const cutting = (cutOf: (connection: number) => number) => {
  const cuts: number[] = [];
  const proxies: CuttingProxy[] = [];
  const urlOf = async (port: number) => {
    const proxy = await startCuttingProxy(port, (connection) => (cuts[connection] = cutOf(connection)));
    proxies.push(proxy);
    onStop(proxy.close);
    return proxy.url;
  };
  return { urlOf, hasCut: () => proxies[0]!.passed.some((bytes, connection) => bytes === cuts[connection]) };
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  "two servers chained by %s",
  (_, dialect) => {
    const can = (command: string) => dialect.routes.some(({ does }) => does === command);

    test.each(stories.map(({ name }) => name))("look like one: %s", async (name) => {
      const { up, down } = await playStory(dialect, name);
      // A client that can only close the connection does not learn how the other side ends.
      if (name === "cancel" && !can("cancel")) {
        expect(down).toMatchObject({ outcome: "cancelled" });
        expect(up).toMatchObject({ outcome: "cancelled" });
      } else expect(down).toEqual(up);
    });

    if (can("follow"))
      test.each([1, 2, 3])("look like one, wherever the connection between them is cut (%i)", async (seed) => {
        const random = randomFrom(seed);
        // The first cut is never before the response headers: not every dialect can repeat a request that may have been
        // received.
        const { urlOf, hasCut } = cutting((connection) => (connection === 0 ? 700 : 0) + Math.floor(random() * 9000));
        const { up, down } = await playStory(dialect, "everything", { urlOf });
        expect(hasCut()).toBe(true);
        expect(down).toEqual(up);
      });
    else
      test("end with a retryable error when the connection between them is cut", async () => {
        const { down } = await playStory(dialect, "everything", { urlOf: cutting(() => 1500).urlOf });
        expect(down).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
      });
  },
);
