import type { FileRef, Json } from "../events.ts";
import type { CallNode } from "../state.ts";
import {
  type Delegation,
  delegationOf,
  describeCall,
  describeFile,
  describeResult,
  type ResultPart,
  visibleText,
} from "../view.ts";
import { icon } from "./icon.ts";
import { make, makeBadge, makeLink, setText } from "./make.ts";
import type { Scene, View } from "./scene.ts";

/** A tool call: its state, arguments, and result. Open while it runs and if it failed. */
export const createCallView = (scene: Scene): View<CallNode> => {
  const { clock } = scene;
  const mark = make("span", "mark");
  const name = make("b");
  const brief = make("span", "soft brief");
  const edits = make("span", "soft edits");
  const repeat = make("span", "soft repeat");
  const exit = make("span", "exit");
  const time = make("span", "soft time");
  const summary = make("summary", "", mark, name, brief, edits, repeat, exit, time);
  const status = make("p", "soft");
  const bar = make("progress");
  const input = make("pre", "box");
  const output = make("pre", "box");
  const error = make("p", "problem");
  const result = make("div", "result");
  const items = make("div", "items");
  const given = labelled("Arguments", input);
  const returned = labelled("Result", result);
  const element = make("details", "call", summary, status, bar, given, labelled("Output", output));
  element.append(items, error, returned);
  const delegated = createDelegationPart(clock);
  /** A call that only starts a sub-agent has no card of its own: what it adds to the sub-agent is below. */
  const setBare = (isBare: boolean): void => {
    if (element.classList.toggle("bare", isBare) === (delegated.element.parentElement === element)) return;
    if (isBare) {
      delegated.element.append(given);
      element.append(delegated.element, returned);
    } else {
      delegated.element.remove();
      bar.after(given);
      element.append(returned);
    }
  };
  const showItems = scene.items(items);
  let isTouched = false;
  let content: unknown;
  summary.addEventListener("click", () => (isTouched = true));

  return {
    element,
    show: (node) => {
      const facts = describeCall(node);
      if (element.dataset["state"] !== facts.badge.state) {
        element.dataset["state"] = facts.badge.state;
        element.dataset["tone"] = facts.badge.tone;
        mark.replaceChildren(...makeBadge(facts.badge));
      }
      setText(name, facts.name);
      setText(brief, facts.summary);
      setText(edits, facts.edits);
      setText(repeat, facts.repeat);
      setText(exit, facts.exit);
      clock.show(time, facts.time);
      setText(status, facts.status);
      bar.hidden = facts.fraction === undefined;
      bar.value = facts.fraction ?? 0;
      setText(input, facts.hasAllInput ? inputOf(node) : tailOf(node.inputText));
      setText(output, visibleText(node.output.map(({ text }) => text).join("")));
      const { problem } = facts;
      setText(error, problem ? [problem.message, problem.hint].filter(Boolean).join(" ") : "");
      error.dataset["tone"] = problem?.tone ?? "";
      if (node.content !== content || (node.content === undefined && node.value !== content)) {
        content = node.content ?? node.value;
        const found = describeResult(node);
        const parts = found?.data === undefined ? found?.parts : [...found.parts, dataPart(found.data)];
        result.replaceChildren(...(parts ?? []).map((part) => partOf(part, scene)));
      }
      result.hidden = result.childElementCount === 0;
      const delegation = delegationOf(node);
      setBare(delegation !== undefined);
      returned.hidden = delegation?.hasOwnResult === false;
      if (delegation) delegated.show(delegation);
      if (delegation) element.open = true;
      else if (!isTouched) element.open = !facts.isOver || problem !== undefined;
      showItems(node.items);
    },
  };
};

/** The arguments of a call that started a sub-agent, collapsed. Hidden if they contain no more than the sub-agent's task. */
const createDelegationPart = (clock: Scene["clock"]) => {
  const name = make("span");
  const time = make("span", "time");
  const element = make("details", "delegation", make("summary", "soft", name, time));
  return {
    element,
    show: ({ call, time: own, hasOwnInput }: Delegation): void => {
      setText(name, `Arguments of ${call.name}`);
      clock.show(time, own);
      element.hidden = !hasOwnInput && own === undefined;
    },
  };
};

const labelled = (label: string, content: HTMLElement): HTMLElement =>
  make("div", "labelled", make("p", "label", label), content);

const SHOWN = 1500;

/** Shows only the newest text, so a frame costs the same however long the arguments are. */
const tailOf = (text: string): string => visibleText(text.length > SHOWN ? `…${text.slice(-SHOWN)}` : text);

const inputOf = ({ input }: CallNode): string => {
  const isEmpty =
    input === undefined || (typeof input === "object" && input !== null && Object.keys(input).length === 0);
  return isEmpty ? "" : textOf(input);
};

const textOf = (value: Json): string => visibleText(typeof value === "string" ? value : JSON.stringify(value, null, 2));

const dataPart = (value: Json): ResultPart => ({ kind: "value", value });

const partOf = (part: ResultPart, scene: Scene): HTMLElement => {
  switch (part.kind) {
    case "text":
      return make("pre", "box", visibleText(part.text));
    case "value":
      return make("pre", "box", textOf(part.value));
    case "link":
      return make("p", "", makeLink(part.link));
    case "file":
      return make("div", "", ...fileParts(part.file, scene));
  }
};

const fileParts = (file: FileRef, scene: Scene): HTMLElement[] => {
  const elements = [fileLine(file, scene.file(file.file))];
  if (file.head !== undefined)
    elements.unshift(
      make("pre", "box", visibleText(file.tail === undefined ? file.head : `${file.head}\n…\n${file.tail}`)),
    );
  return elements;
};

/** A file by name, as a link if its bytes are available. Images are shown inline. */
export const fileLine = (file: Parameters<typeof describeFile>[0], url: string | undefined): HTMLElement => {
  const { name, about } = describeFile(file);
  const note = make("span", "soft", about && ` ${about}`);
  if (url === undefined) return make("p", "file", icon("file"), name, note, make("span", "soft", " not included"));
  const link = make("a", "", name);
  link.href = url;
  link.download = file.name ?? "file";
  const line = make("p", "file", icon("file"), link, note);
  if (!/^image\/(png|jpeg|gif|webp|avif)$/.test(file.mediaType ?? "")) return line;
  const image = make("img");
  image.src = url;
  image.alt = name;
  image.loading = "lazy";
  return make("div", "", image, line);
};
