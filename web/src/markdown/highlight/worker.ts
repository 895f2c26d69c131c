// Runs as a worker: the first line of a language can take a third of a second, and a grammar is not to be trusted with more.
import { type GrammarState, type HighlighterCore, createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { COLORS, type HighlightReply, type HighlightRequest } from "./messages.ts";
import { languageOf, loadLanguage } from "./languages.ts";

const THEME = "variables";
/** A line longer than this is left plain. */
const LINE = 1000;
/** The first line of a language makes its patterns, which on a busy machine takes seconds; what is cut short is coloured wrongly. */
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
// One after the other: a line's colours depend on the lines before it.
let turn: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  turn = turn
    .then(() => answer(data))
    .then(
      (reply) => reply && postMessage(reply),
      () => undefined,
    );
});
