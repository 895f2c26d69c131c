import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Display } from "./display.ts";
import { generation } from "./generations.ts";
import { createOpenWebui } from "./open-webui.ts";
import { pageText } from "./page-text.ts";
import type { Emitted, SavedMessage } from "./saved-message.ts";

/**
 * What a running Open WebUI received, sent to its page, showed, and stored. `SEE` marks where the page was captured,
 * and `STOP` where Stop was pressed.
 */
interface Recording {
  readonly story: string;
  readonly frames: readonly (object | { readonly SEE: string } | { readonly STOP: true })[];
  readonly emitted: readonly Emitted[];
  readonly shown: Readonly<Record<string, string>>;
  /** The URLs of the images in the answer, at moments when there were any. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  readonly stored: SavedMessage;
  /** The number of requests: more than one if it ran a call itself. */
  readonly asked: number;
}

const recorded = (version: string): readonly Recording[] =>
  readFileSync(path.join(import.meta.dirname, `recordings/${version}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Recording);

/** The page's text without the model's name, times, sizes, and the words before an error up to 0.11.4. */
const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.replace("Uh-oh! There was an issue with the response.", "").trim())
    .filter((line) => line !== "" && line !== "agent" && !/^(?:Today at |\w{3} \d+, )|^[\d.]+ K?B$/.test(line));

/** Removes values that depend on time or chance, and Open WebUI's additional names for our numbers. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (["title", "started_at", "ended_at", "response_id", "input_tokens", "output_tokens"].includes(key))
        return undefined;
      return each === null || (key === "done" && each === false) ? undefined : each;
    }),
  );

/** Chunks without our items get random IDs, and the response to a second request is not part of the story. */
const isOurs = ({ frames, asked }: Recording): boolean =>
  asked === 1 && !frames.some((frame) => "choices" in frame && !("usage" in frame));

describe.each([
  ["0.10.2", generation("A")],
  ["0.11.1", generation("B")],
  ["0.11.3", { ...generation("B"), leavesHoles: false }],
  ["0.11.4", generation("C")],
  ["0.12.4", generation("D")],
] as const)("Open WebUI %s", (version, rules) => {
  describe.each(recorded(version))("$story", (recording) => {
    const { frames, shown, images, stored, asked, emitted } = recording;
    const webui = createOpenWebui(rules);
    const seen: Record<string, readonly string[]> = {};
    const seenImages: Record<string, readonly string[]> = {};
    const look = (moment: string, display: Display) => {
      seen[moment] = pageText(display, rules);
      const sources = display.items.flatMap((item) => (item.kind === "card" ? item.images : []));
      if (sources.length > 0) seenImages[moment] = sources;
    };
    for (const frame of frames) {
      if ("SEE" in frame) look(frame.SEE as string, webui.display());
      else if ("STOP" in frame) webui.stop();
      else webui.take(`data: ${JSON.stringify(frame)}\n\n`);
    }
    webui.end();
    look("end", webui.display());
    look("reloaded", webui.reloaded());

    test("asks again only if a call is open", () => expect(webui.executes.length > 0).toBe(asked > 1));

    if (asked === 1)
      test("shows what the page showed", () => {
        const looked = Object.fromEntries(Object.entries(shown).map(([moment, text]) => [moment, linesOf(text)]));
        // Up to 0.11.0 the page of a new chat may not know its chat yet when the first events arrive. It shows them
        // with the next one.
        const [first, early] = Object.entries(looked)[0]!;
        if (rules.name === "A" && early.length === 0) looked[first] = seen[first]!;
        expect(seen).toEqual(looked);
      });

    if (images) test("shows the images that the page showed", () => expect(seenImages).toEqual(images));

    if (isOurs(recording))
      test("sends what the socket carried, and stores what was stored", () => {
        const sent = webui.emitted.filter(({ type }) => type !== "chat:outlet");
        expect(comparable(sent)).toEqual(comparable(emitted));
        expect(comparable({ ...webui.saved, content: "" })).toEqual(comparable({ ...stored, content: "" }));
      });
  });
});
