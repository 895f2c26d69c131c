import { cpSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";

/** What a stage of a Dockerfile made: files in a folder, and settings. */
export interface Stage {
  readonly image: string;
  /** The folder that stands for the image's root. */
  readonly root: string;
  readonly env: Record<string, string>;
  cwd: string;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  healthCheck: readonly string[];
}

interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

const parse = (dockerfile: string): readonly Instruction[] =>
  dockerfile
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", flags = "", text = ""] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? [];
      const pairs = [...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag!, value!]);
      return { name, flags: Object.fromEntries(pairs), text: text.trim() };
    });

/** The exec form. The shell form would put a shell between Docker's signals and the server. */
const words = (text: string): readonly string[] => JSON.parse(text) as string[];

/** Executes a RUN step. */
export type Run = (command: string, cwd: string, stage: Stage) => Promise<unknown>;

/**
 * Executes the steps of a Dockerfile as a script, in folders instead of images, and returns the last stage. Throws for an
 * instruction that it does not know.
 */
export const runDockerfile = async (
  dockerfile: string,
  context: string,
  directory: string,
  run: Run,
): Promise<Stage> => {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { name, flags, text } of parse(dockerfile)) {
    if (name === "FROM") {
      const [image = "", , as = `${stages.size}`] = text.split(/\s+/);
      const root = path.join(directory, as);
      mkdirSync(root, { recursive: true });
      stage = { image, root, env: {}, cwd: "/", user: "root", entrypoint: [], command: [], healthCheck: [] };
      stages.set(as, stage);
      continue;
    }
    if (!stage) throw new Error(`${name} comes before FROM`);
    const from = flags["from"] === undefined ? context : stages.get(flags["from"])!.root;
    if (name === "RUN") await run(text, path.join(stage.root, stage.cwd), stage);
    else (steps[name] ?? fail(name))(stage, text, from);
  }
  return stage!;
};

const fail = (name: string): never => {
  throw new Error(`this test does not know the instruction ${name}`);
};

type Step = (stage: Stage, text: string, from: string) => unknown;

const steps: Readonly<Record<string, Step>> = {
  WORKDIR: (stage, text) => {
    stage.cwd = path.posix.resolve(stage.cwd, text);
    mkdirSync(path.join(stage.root, stage.cwd), { recursive: true });
  },
  ENV: (stage, text) => {
    const [, name, value] = /^(\w+)=(\S+)$/.exec(text)!;
    stage.env[name!] = value!;
  },
  COPY: (stage, text, from) => {
    const sources = text.split(/\s+/);
    const target = sources.pop()!;
    const place = path.join(stage.root, path.posix.resolve(stage.cwd, target));
    for (const source of sources) {
      const file = path.join(from, source);
      const isInto = statSync(file).isFile() && (sources.length > 1 || /[/.]$/.test(target));
      cpSync(file, isInto ? path.join(place, path.basename(file)) : place, { recursive: true });
    }
  },
  USER: (stage, text) => {
    stage.user = text;
  },
  HEALTHCHECK: (stage, text) => {
    stage.healthCheck = words(text.replace(/^CMD /, ""));
  },
  ENTRYPOINT: (stage, text) => {
    stage.entrypoint = words(text);
  },
  CMD: (stage, text) => {
    stage.command = words(text);
  },
  VOLUME: () => {},
  EXPOSE: () => {},
};

/** A command of the image, with the paths that it has here. */
export const commandOf = ({ root }: Stage, all: readonly string[]): readonly string[] =>
  all.map((word) => (word.startsWith("/") ? path.join(root, word) : word));
