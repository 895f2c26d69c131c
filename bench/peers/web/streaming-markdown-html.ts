// What streaming-markdown's own renderer shows for a text, as HTML. It needs only these members of the DOM.
import { default_renderer, parser, parser_end, parser_write } from "streaming-markdown";

class Shown {
  readonly children: Shown[] = [];
  readonly attributes = new Map<string, string>();
  readonly name: string;
  readonly text: string;

  constructor(name: string, text = "") {
    this.name = name;
    this.text = text;
  }

  appendChild(child: Shown): Shown {
    this.children.push(child);
    return child;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
}

const document = {
  createElement: (name: string) => new Shown(name),
  createTextNode: (text: string) => new Shown("", text),
};

export const htmlOf = (text: string): string => {
  const root = new Shown("");
  Object.assign(globalThis, { document });
  const reading = parser(default_renderer(root as unknown as HTMLElement));
  parser_write(reading, text);
  parser_end(reading);
  Reflect.deleteProperty(globalThis, "document");
  return inside(root);
};

const inside = ({ children }: Shown): string => children.map(outside).join("");

const outside = (node: Shown): string => {
  const { name, text, children } = node;
  if (name === "") return escaped(text);
  // The renderer appends an image's alternative text as a child.
  if (name === "img") node.setAttribute("alt", children.map((child) => child.text).join(""));
  const attributes = [...node.attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`).join("");
  return `<${name}${attributes}>${VOID.has(name) ? "" : `${inside(node)}</${name}>`}`;
};

const VOID = new Set(["br", "hr", "img", "input"]);

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
