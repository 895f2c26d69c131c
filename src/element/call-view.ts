import { byteText, duration } from "../amounts.ts";
import type { Content, Json } from "../events.ts";
import { safeUrl } from "../markdown.ts";
import type { CallNode } from "../state.ts";
import { icon } from "./icon.ts";
import { growText, make, makeLink, setText } from "./make.ts";
import type { Scene, View } from "./scene.ts";

const WORDS: Readonly<Record<CallNode["state"], string>> = {
  pending: "pending",
  executing: "running",
  ok: "done",
  error: "failed",
  denied: "denied",
  cancelled: "cancelled",
  timeout: "timed out",
  interrupted: "interrupted",
  deferred: "handed over",
};

/** A tool call: how it goes, what it was given, what came of it. Open while it runs and if it failed. */
export const createCallView = (scene: Scene): View<CallNode> => {
  const { clock } = scene;
  const mark = make("span", "mark");
  const name = make("b");
  const brief = make("span", "soft brief");
  const time = make("span", "soft time");
  const summary = make("summary", "", mark, name, brief, time);
  const status = make("p", "soft");
  const bar = make("progress");
  const input = make("pre", "box");
  const output = make("pre", "box");
  const error = make("p", "bad");
  const result = make("div", "result");
  const items = make("div", "items");
  const element = make(
    "details",
    "call",
    summary,
    status,
    bar,
    labelled("Arguments", input),
    labelled("Output", output),
  );
  element.append(items, error, labelled("Result", result));
  const showItems = scene.items(items);
  let isTouched = false;
  let state: CallNode["state"] | undefined;
  let content: unknown;
  let isBriefFinal = false;
  summary.addEventListener("click", () => (isTouched = true));

  return {
    element,
    show: (node) => {
      if (node.state !== state) {
        state = node.state;
        element.dataset["state"] = state;
        mark.replaceChildren(icon(state), make("span", "word", WORDS[state]));
      }
      setText(name, node.title ?? node.name);
      if (!isBriefFinal || !node.inputDone || node.edited) setText(brief, briefOf(node));
      isBriefFinal = node.inputDone;
      setText(status, node.status ?? node.progress?.note ?? "");
      bar.hidden = node.progress?.fraction === undefined || node.endedAt !== undefined;
      bar.value = node.progress?.fraction ?? 0;
      if (node.inputDone) setText(input, inputOf(node));
      else growText(input, node.inputText);
      setText(output, node.output.map(({ text }) => text).join(""));
      setText(error, node.error ? [node.error.message, node.error.hint].filter(Boolean).join(" ") : "");
      if (node.content !== content || (node.content === undefined && node.value !== content)) {
        content = node.content ?? node.value;
        result.replaceChildren(...resultOf(node, scene));
      }
      result.hidden = result.childElementCount === 0;
      showTime(node);
      if (!isTouched) element.open = node.endedAt === undefined || node.error !== undefined;
      showItems(node.items);
    },
  };

  function showTime({ endedAt, executedAt, ms, startedAt }: CallNode): void {
    if (endedAt === undefined && executedAt !== undefined) return clock.start(time, executedAt);
    clock.stop(time);
    setText(time, endedAt === undefined ? "" : duration(ms ?? endedAt - (executedAt ?? startedAt)));
  }
};

const labelled = (label: string, content: HTMLElement): HTMLElement =>
  make("div", "labelled", make("p", "label", label), content);

const LONGEST = 120;

/** The arguments on one line. */
const briefOf = ({ input, inputText, inputDone }: CallNode): string => {
  const said =
    inputDone && typeof input === "object" && input !== null
      ? Object.values(input).map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
      : [inputText.slice(0, LONGEST)];
  return said.join(" ").replace(/\s+/g, " ").trim().slice(0, LONGEST);
};

const inputOf = ({ input }: CallNode): string => {
  const isEmpty =
    input === undefined || (typeof input === "object" && input !== null && Object.keys(input).length === 0);
  return isEmpty ? "" : textOf(input);
};

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

const resultOf = ({ content, value }: CallNode, scene: Scene): HTMLElement[] => {
  if (content?.length) return content.map((part) => contentOf(part, scene));
  return value === undefined ? [] : [make("pre", "box", textOf(value))];
};

const contentOf = (part: Content, scene: Scene): HTMLElement => {
  switch (part.type) {
    case "text":
      return make("pre", "box", part.text);
    case "json":
      return make("pre", "box", textOf(part.value));
    case "link": {
      const url = safeUrl(part.url);
      return make("p", "", url === undefined ? part.url : makeLink(url.href, part.title ?? part.url));
    }
    case "file":
      return make("div", "", ...fileParts(part, scene));
  }
};

const fileParts = (part: Extract<Content, { type: "file" }>, scene: Scene): HTMLElement[] => {
  const made = [fileLine(part, scene.file(part.file))];
  if (part.head !== undefined)
    made.unshift(make("pre", "box", part.tail === undefined ? part.head : `${part.head}\n…\n${part.tail}`));
  return made;
};

/** A file by its name, to be opened where its bytes can be had; a picture as such. */
export const fileLine = (
  file: {
    readonly name?: string | undefined;
    readonly mediaType?: string | undefined;
    readonly bytes?: number | undefined;
  },
  url: string | undefined,
): HTMLElement => {
  const name = file.name ?? file.mediaType ?? "file";
  const size = file.bytes === undefined ? "" : ` (${byteText(file.bytes)})`;
  if (url === undefined)
    return make("p", "file", icon("file"), `${name}${size}`, make("span", "soft", " not included"));
  const link = make("a", "", name);
  link.href = url;
  link.download = file.name ?? "file";
  const line = make("p", "file", icon("file"), link, make("span", "soft", size));
  if (!/^image\/(png|jpeg|gif|webp|avif)$/.test(file.mediaType ?? "")) return line;
  const image = make("img");
  image.src = url;
  image.alt = name;
  image.loading = "lazy";
  return make("div", "", image, line);
};
