import { expect, test } from "vitest";
import { describeLive } from "../installed.ts";
import { useLive } from "../live.ts";
import { picture } from "../picture.ts";

describeLive("the study companion's errors", ({ program }) => {
  const live = useLive(program);

  test.each(["cards", "details"])(
    "%s: a file that does not exist is an error in its card, and stays one",
    async (style) => {
      const chat = await live.open({ model: `study:${style}` });
      await chat.send("/Rev Quiz me on chapter 9");
      await chat.answer.getByText("I cannot read that chapter").first().waitFor();
      await chat.finished();
      for (const turn of ["now", "reloaded"]) {
        if (turn === "reloaded") await chat.reload();
        await expect
          .poll(() => chat.lines())
          .toEqual(["Let me read it first.", "View Result from read_file", expect.stringMatching(/^I cannot read/)]);
        const card = chat.card("read_file");
        await card.getByText("View Result").click();
        await card.getByText("chapters/chapter-9.tex", { exact: true }).first().waitFor();
        expect(await card.innerText()).toMatch(/Error: .*chapter-9\.tex/);
        // Before 0.11.1 every finished card has a green mark.
        if (!live.openWebUi.version.startsWith("0.10.")) expect(await card.locator(".text-red-500").count()).toBe(1);
        if (turn === "now") await picture(chat, `missing-file-${style}`);
      }
    },
  );

  test("notes that do not compile: the error is in the card of the compiler, and stays there", async () => {
    const chat = await live.open({ model: "study", isExpanded: true });
    await chat.send("/Lec broken lists");
    await chat.answer.getByText("The notes do not compile").first().waitFor();
    await chat.finished();
    for (const turn of ["now", "reloaded"]) {
      if (turn === "reloaded") await chat.reload();
      await expect.poll(() => chat.card("compile_notes").innerText()).toMatch(/Error: .*LaTeX Error/);
      expect(await chat.card("write_file").innerText()).not.toContain("Error:");
      if (turn === "now") await picture(chat, "broken-notes");
    }
  });
});
