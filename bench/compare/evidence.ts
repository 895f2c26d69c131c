import { homedir, tmpdir } from "node:os";
import path from "node:path";
import type { Result } from "../../src/torture.ts";
import type { System } from "./measured.ts";

const EXCHANGES = 4;
const CHARACTERS = 1000;
const OUTPUT_CHARACTERS = 2000;

/** The file next to the document that shows a system's responses. */
export const evidenceFile = ({ name }: System): string =>
  `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "")}.json`;

/**
 * The evidence for each "no" of a system: its own responses, unchanged, and what its server printed. Undefined if there is
 * no "no".
 */
export const evidenceOf = ({ results }: System): string | undefined => {
  const nos = results
    .filter(({ verdict }) => verdict === "no")
    .map(({ trial, because, seed, evidence = [], output = "" }) => ({
      trial,
      because,
      repeat: `--only ${trial} --seed ${seed}`,
      answers: evidence.slice(-EXCHANGES).map(({ request, status, head, tail, bytes, ended }) => ({
        request: clean(request.slice(0, CHARACTERS)),
        status,
        begins: clean(head.slice(0, CHARACTERS)),
        ends: clean(tail.slice(-CHARACTERS)),
        bytes,
        ended,
      })),
      ...(output.trim() !== "" && { printed: clean(output).slice(-OUTPUT_CHARACTERS) }),
    }));
  return nos.length === 0 ? undefined : `${JSON.stringify(nos, null, 2)}\n`;
};

/** The last answer, in a few words. */
export const lastAnswer = ({ evidence = [] }: Result): string => {
  const last = evidence.at(-1);
  if (!last) return "";
  const [method = "", address = ""] = last.request.split(" ");
  const status = last.status ?? "nothing";
  const place = address.replaceAll(/[\da-f]{8}-[\da-f-]{27}|wrun_\w+/g, "…").slice(0, 60);
  return `${method} ${place}: ${status}, ${last.bytes.toLocaleString("en")} bytes, ${last.ended ?? "still open"}`;
};

const PLACES = [path.join(import.meta.dirname, "../.."), homedir(), tmpdir()];

/** Without terminal colors and the paths of this machine. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  PLACES.reduce((left, place) => left.replaceAll(place, "…"), text).replaceAll(/\u001b\[[\d;]*m/g, "");
