// Runs in a worker, because the first line of a language can take a third of a second, and a grammar may misbehave.
import { type GrammarState, type HighlighterCore, createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { COLORS, type HighlightReply, type HighlightRequest } from "./messages.ts";
import { languageOf, loadLanguage } from "./languages.ts";

const THEME = "variables";
/** Longer lines are not highlighted. */
const LINE = 1000;
/**
 * The time limit per line. The first line of a language compiles its patterns, which takes seconds on a busy machine,
 * and a truncated line gets wrong colors.
 */
const TIME = 20_000;

const start = async (): Promise<HighlighterCore> =>
  createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: "", fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });

const serve = (): ((request: HighlightRequest) => Promise<HighlightReply | undefined>) => {
  const highlighter = start();
  const languages = new Map<string, Promise<void>>();
  const states = new Map<number, GrammarState | undefined>();

  const load = (language: string): Promise<void> => {
    const known = languages.get(language);
    if (known) return known;
    const loaded = loadLanguage(language).then(async (input) => (await highlighter).loadLanguage(input));
    languages.set(language, loaded);
    return loaded;
  };

  return async ({ block, language: mark, lines, last }) => {
    const language = languageOf(mark);
    if (!language) return undefined;
    await load(language);
    const { codeToTokensBase, getLastGrammarState } = await highlighter;
    const colored = lines.map((line) => {
      const tokens = codeToTokensBase(line, {
        lang: language,
        theme: THEME,
        grammarState: states.get(block),
        tokenizeMaxLineLength: LINE,
        tokenizeTimeLimit: TIME,
      });
      states.set(block, getLastGrammarState(tokens));
      return tokens.flat().flatMap(({ content, color }) => [content.length, COLORS.indexOf(nameOf(color))]);
    });
    if (last) states.delete(block);
    return { block, lines: colored };
  };
};

const nameOf = (color: string | undefined): string => /token-([\w-]+)/.exec(color ?? "")?.[1] ?? "";

const answer = serve();
// One at a time, because a line's colors depend on the lines before it.
let turn: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  turn = turn
    .then(() => answer(data))
    .then(
      (reply) => reply && postMessage(reply),
      () => undefined,
    );
});
