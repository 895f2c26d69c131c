import { LONGEST_WAIT_MS, type Replay, SPEEDS } from "../replay.ts";
import { describeReplay } from "../view.ts";
import { type IconName, icon } from "./icon.ts";
import { make, setText } from "./make.ts";

/** The playback controls of a replay. */
export interface Controls {
  readonly element: HTMLElement;
  close(): void;
}

/** Handles keys while the focus is within `within`: Space, arrows, Home, End, + and -. */
export const createControls = (replay: Replay, within: HTMLElement, what: (seq: number) => string): Controls => {
  const slider = make("input", "slider");
  slider.type = "range";
  slider.min = "0";
  slider.setAttribute("aria-label", "Event");
  const first = button("Go to the start", "first", () => replay.seek(0));
  const back = button("Previous event", "back", () => replay.seek(replay.seq - 1));
  const play = button("Play", "play", () => (replay.isPlaying ? replay.pause() : replay.play()));
  const forward = button("Next event", "on", () => replay.seek(replay.seq + 1));
  const last = button("Go to the end", "last", () => replay.seek(replay.length));
  const speed = make("select");
  speed.setAttribute("aria-label", "Speed");
  for (const value of SPEEDS) {
    const option = make("option", "", `${value}×`);
    option.value = `${value}`;
    speed.append(option);
  }
  const place = make("span", "place");
  const eventLine = make("p", "soft event-line");
  const waits = make("p", "soft");
  play.classList.add("main");
  const row = make("div", "row", first, back, play, forward, last, speed, place);
  const element = make("div", "controls", slider, row, eventLine, waits);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", "Replay");

  let frame = 0;
  let before = 0;
  const tick = (now: number): void => {
    replay.tick(Math.max(0, now - before));
    before = now;
    frame = replay.isPlaying ? requestAnimationFrame(tick) : 0;
  };
  let wasPlaying: boolean | undefined;
  const show = (): void => {
    const { seq, length, isPlaying } = replay;
    const { place: at, time, wait } = describeReplay(replay, LONGEST_WAIT_MS);
    slider.max = `${length}`;
    slider.value = `${seq}`;
    const event = seq === 0 ? "before the first event" : what(seq);
    slider.setAttribute("aria-valuetext", `${at}, after ${time}: ${event}`);
    setText(place, `${at} · ${time}`);
    setText(eventLine, event);
    setText(waits, wait);
    for (const [control, isOff] of [
      [first, seq === 0],
      [back, seq === 0],
      [forward, seq === length],
      [last, seq === length],
    ] as const)
      control.setAttribute("aria-disabled", `${isOff}`);
    if (isPlaying !== wasPlaying) {
      wasPlaying = isPlaying;
      play.replaceChildren(icon(isPlaying ? "pause" : "play"));
      play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    }
    if (isPlaying && frame === 0) {
      before = performance.now();
      frame = requestAnimationFrame(tick);
    }
  };

  const press = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
    if (target.matches("select") || (event.key === " " && target.closest("button, a, summary"))) return;
    const distance = event.shiftKey ? 10 : 1;
    const does: Readonly<Record<string, () => void>> = {
      " ": () => play.click(),
      ArrowLeft: () => replay.seek(replay.seq - distance),
      ArrowRight: () => replay.seek(replay.seq + distance),
      Home: () => replay.seek(0),
      End: () => replay.seek(replay.length),
      "+": () => replay.setSpeed(SPEEDS.find((value) => value > replay.speed) ?? replay.speed),
      "-": () => replay.setSpeed(SPEEDS.findLast((value) => value < replay.speed) ?? replay.speed),
    };
    const act = does[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    speed.value = `${replay.speed}`;
  };
  slider.addEventListener("input", () => replay.seek(Number(slider.value)));
  speed.addEventListener("change", () => replay.setSpeed(Number(speed.value)));
  within.addEventListener("keydown", press);
  const stop = replay.subscribe(show);
  show();
  return {
    element,
    close: () => {
      cancelAnimationFrame(frame);
      within.removeEventListener("keydown", press);
      stop();
      element.remove();
    },
  };
};

const button = (label: string, drawing: IconName, onClick: () => void): HTMLButtonElement => {
  const element = make("button", "", icon(drawing));
  element.type = "button";
  element.setAttribute("aria-label", label);
  element.title = label;
  // Not `disabled`, which would lose the focus at either end.
  element.addEventListener("click", () => element.getAttribute("aria-disabled") !== "true" && onClick());
  return element;
};
