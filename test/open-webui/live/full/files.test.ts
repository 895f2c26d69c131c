import { expect, test } from "vitest";
import { z } from "zod";
import { demo } from "../../../../src/models/demo.ts";
import { agent } from "../../../../src/sources/agent.ts";
import { type Tool, defineTool, toolResult } from "../../../../src/tool.ts";
import type { ChatPage } from "../chat-page.ts";
import { DRAWING, drawing } from "../drawing.ts";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

const draw = defineTool({
  name: "draw",
  description: "Draws something, and writes a report about it.",
  input: z.object({ subject: z.string() }),
  async run({ subject }, { put }) {
    const image = await put(drawing(), { mediaType: "image/png", name: `${subject}.png` });
    const report = await put("%PDF-1.4", { mediaType: "application/pdf", name: `${subject}.pdf` });
    return toolResult([
      { type: "text", text: `Drew ${subject}.` },
      { type: "file", ...image },
      { type: "file", ...report },
    ]);
  },
});

const illustrator = agent({
  description: "Draws.",
  model: demo({
    speed: 4,
    stories: [
      {
        name: "drawing",
        message: "Draw",
        description: "one call whose result has an image and a PDF",
        matches: ({ message }) => message === "Draw",
        steps: [
          () => [{ say: "I draw it. " }, { call: "draw", input: { subject: "owl" } }],
          () => [{ say: "There it is." }],
        ],
      },
    ],
  }),
  tools: [draw as Tool],
});

/** The images in the answer that the browser has decoded, with their sizes. */
const images = ({ answer }: ChatPage) =>
  answer
    .locator("#response-content-container img")
    .evaluateAll((found) =>
      (found as HTMLImageElement[])
        .filter(({ naturalWidth }) => naturalWidth > 0)
        .map(({ naturalWidth: width, naturalHeight: height }) => ({ width, height })),
    );

describeLive("files in a result", ({ program }) => {
  const live = useLive(program, { illustrator });

  test.each(["cards", "details"])("%s: an image is drawn below its card, now and after a reload", async (style) => {
    const chat = await live.open({ model: `illustrator:${style}` });
    await chat.send("Draw");
    await chat.answer.getByText("There it is.").waitFor();
    await chat.finished();
    for (const turn of ["now", "reloaded"]) {
      if (turn === "reloaded") await chat.reload();
      await expect.poll(() => images(chat)).toEqual([DRAWING]);
      await expect.poll(() => chat.lines()).toEqual(["I draw it.", "View Result from draw", "There it is."]);
      const [card, image, answer] = await Promise.all(
        [
          chat.card("draw"),
          chat.answer.locator("#response-content-container img"),
          chat.answer.getByText("There it is."),
        ].map((place) => place.boundingBox()),
      );
      expect(image!.y).toBeGreaterThanOrEqual(card!.y + card!.height);
      expect(answer!.y).toBeGreaterThanOrEqual(image!.y + image!.height);
      if (turn === "now") await picture(chat, `image-${style}`);
    }
    await chat.card("draw").getByText("View Result").click();
    await chat.card("draw").getByText("owl.pdf").first().waitFor();
    await picture(chat, `image-${style}-open`);
  });
});
