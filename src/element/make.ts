type Child = Node | string | undefined;

/** An element with a class and children. Text stays text: nothing here reads HTML. */
export const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
};

/** Changes text only if it is another: what stays the same costs no layout and keeps a selection. */
export const setText = (element: HTMLElement, text: string): void => {
  if (element.textContent !== text) {
    element.textContent = text;
    delete element.dataset["beginning"];
  }
  element.hidden = text === "";
};

/** As `setText` for text that grows: only what is new is added. */
export const growText = (element: HTMLElement, text: string): void => {
  const { lastChild } = element;
  const length = lastChild instanceof Text ? lastChild.length : 0;
  // Another text begins otherwise, or is shorter: comparing all of it would make each token dearer than the last.
  if (length === 0 || text.length < length || !text.startsWith(element.dataset["beginning"] ?? " "))
    element.textContent = text;
  else if (text.length > length) (lastChild as Text).appendData(text.slice(length));
  element.dataset["beginning"] = text.slice(0, 16);
  element.hidden = text === "";
};

export const makeLink = (url: string, ...children: readonly Child[]): HTMLElement => {
  const link = make("a", "", ...children);
  link.href = url;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  return link;
};
