import type { ShownState } from "../view.ts";

const SVG = "http://www.w3.org/2000/svg";

const DRAWINGS = {
  pending: "M8 2a6 6 0 1 0 .01 0M8 4.5V8l2.3 1.6",
  executing: "M8 2a6 6 0 1 1-6 6",
  ok: "m3 8.5 3.2 3.2L13 4.8",
  done: "m3 8.5 3.2 3.2L13 4.8",
  answered: "m3 8.5 3.2 3.2L13 4.8",
  error: "m4 4 8 8m0-8-8 8",
  denied: "M8 2a6 6 0 1 0 .01 0M3.8 3.8l8.4 8.4",
  cancelled: "M8 2a6 6 0 1 0 .01 0M6 6h4v4H6z",
  timeout: "M4.5 2h7m-7 12h7M5 2c0 3.6 6 4.4 6 0M5 14c0-6 6-6 6 0M8 7v1.5",
  interrupted: "M2 8h3l1.2-3M14 8h-3l-1.2 3M8.8 3.5l-1.6 9",
  cut: "M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.2v.1",
  filtered: "M2.5 3.5h11L9.5 8.5v4l-3 1.5V8.5l-4-5Z",
  expired: "M4.5 2h7m-7 12h7M5 2c0 3.6 6 4.4 6 0M5 14c0-6 6-6 6 0M8 7v1.5",
  deferred: "M2.5 8h9M8.5 4.5 12 8l-3.5 3.5M14 3v10",
  waiting: "M8 2a6 6 0 1 0 .01 0M6.3 6.3a1.8 1.8 0 1 1 2.5 1.9c-.5.2-.8.5-.8 1.1M8 11.4v.1",
  agent:
    "M8 1.75a1.75 1.75 0 1 0 .01 0M3.75 10.5a1.75 1.75 0 1 0 .01 0M12.25 10.5a1.75 1.75 0 1 0 .01 0M8 5.25V8m-4.25 2.5V8h8.5v2.5",
  thought: "M8 2.25c-3.3 0-6 2-6 4.6 0 1.5.9 2.8 2.3 3.7L4 13.5l3-2.1c3.9.6 7-1.7 7-4.55 0-2.6-2.7-4.6-6-4.6Z",
  file: "M9 1.75H4.5A1.25 1.25 0 0 0 3.25 3v10c0 .7.560 1.25 1.25 1.25h7c.7 0 1.25-.56 1.25-1.25V5.5L9 1.75Zm0 0V5.5h3.75",
  notice: "M8 2a6 6 0 1 0 .01 0M8 7.3v3.5M8 5v.1",
  quote:
    "M3 11.5c1.7-.4 2.6-1.6 2.6-3.3H3V4.5h3.5v3.4c0 2.6-1.2 4.5-3.5 5M9 11.5c1.7-.4 2.6-1.6 2.6-3.3H9V4.5h3.5v3.4c0 2.6-1.2 4.5-3.5 5",
  play: "M5 3v10l8-5-8-5Z",
  pause: "M5.5 3.5v9m5-9v9",
  back: "M10 3.5 5.5 8l4.5 4.5",
  on: "M6 3.5 10.5 8 6 12.5",
  first: "M4 3.5v9M12.5 3.5 6.5 8l6 4.5v-9Z",
  last: "M12 3.5v9M3.5 3.5l6 4.5-6 4.5v-9Z",
} as const satisfies Record<ShownState, string> & Record<string, string>;

export type IconName = keyof typeof DRAWINGS;

/** Drawn in the text color. Always used next to a word. */
export const icon = (name: IconName): SVGElement => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", DRAWINGS[name]);
  svg.append(path);
  return svg;
};
