import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Content } from "../../src/events.ts";
import type { Display } from "./display.ts";
import { generations } from "./generations.ts";
import { oneCall } from "./one-call.ts";
import { shownItems, startShowing } from "./showing.ts";

const file = (id: string, mediaType: string): Content => ({ type: "file", file: id, mediaType, bytes: 9, name: id });
const content = [
  { type: "text", text: "drawn" } as const,
  file("owl.png", "image/png"),
  file("report.pdf", "application/pdf"),
  file("cat.webp", "image/webp"),
];
const IMAGES = ["https://runcast.example/files/owl.png", "https://runcast.example/files/cat.webp"];

describe.each(generations)("generation $name", (generation) => {
  // Only Markdown shows an image of another origin in every version.
  test.each(["cards", "details"])(
    "%s: images of a result follow its card from its end on, and after a reload",
    (style) => {
      const showing = startShowing(openWebui, style, generation);
      const images = (display: Display) =>
        shownItems(display, generation).flatMap((item, place, items) => {
          if (item.kind !== "card") return [];
          const next = items[place + 1];
          const text = next?.kind === "text" ? next.text : "";
          return [[...text.matchAll(/!\[[^\]]+\]\((\S+) "Result of draw"\)/g)].map(([, url]) => url)];
        });
      let isEnded = false;
      for (const entry of oneCall({ outcome: "ok", content }, { name: "draw" })) {
        showing.take(entry);
        isEnded ||= entry.event.type === "tool-end";
        for (const shown of images(showing.webui.display()))
          expect(shown, `after ${entry.event.type}`).toEqual(isEnded ? IMAGES : []);
      }
      showing.webui.end();
      expect(images(showing.webui.display())).toEqual([IMAGES]);
      expect(images(showing.webui.reloaded())).toEqual([IMAGES]);
    },
  );
});
