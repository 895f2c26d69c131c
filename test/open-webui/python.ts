import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const PIPE = path.join(import.meta.dirname, "../../pipe/runcast_pipe.py");

/** Loads the pipe as Open WebUI does and prints what it yields, one JSON value per line. Dialogs are answered in the given order. */
const DRIVER = `
import asyncio, importlib.util, json, sys, types
given = json.load(sys.stdin)
env = types.ModuleType("open_webui.env"); env.VERSION = given["version"]
class Files:
    async def get_file_by_id_and_user_id(id, user):
        found = given["stored"].get(id)
        return types.SimpleNamespace(**found) if found and found["user_id"] == user else None
models = types.ModuleType("open_webui.models.files"); models.Files = Files
storage = types.ModuleType("open_webui.storage.provider"); storage.Storage = types.SimpleNamespace(get_file=lambda path: path)
for name in ("open_webui", "open_webui.models", "open_webui.storage"): sys.modules[name] = types.ModuleType(name)
for module in (env, models, storage): sys.modules[module.__name__] = module
spec = importlib.util.spec_from_file_location("pipe", given["file"])
module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
module.ASK_AGAIN_SECONDS = 0.05
module.RECONNECT_SECONDS = tuple(given["reconnect"])
say = lambda value: print(json.dumps(value), flush=True)
answers = list(given["answers"])

async def call(event):
    say({"dialog": event})
    if not answers: await asyncio.sleep(60)
    return answers.pop(0)

async def emit(event): say({"emitted": event})

def styles(pipe, kind):
    valves = getattr(pipe, kind)
    # A method of the valves, by its name: so Open WebUI reads it.
    options = valves.model_json_schema()["properties"]["STYLE"]["input"]["options"]
    return [option["value"] for option in getattr(valves, options)()]

async def main():
    pipe = module.Pipe()
    pipe.valves = pipe.Valves(**given["valves"])
    if "pipes" in given["do"]: say({"pipes": await pipe.pipes()})
    if given["do"] == "defaults": return say({"defaults": pipe.Valves().model_dump()})
    if given["do"] == "pipes": return [say({"styles": styles(pipe, kind)}) for kind in ("Valves", "UserValves")]
    arguments = dict(given["arguments"])
    if "valves" in (arguments.get("__user__") or {}): arguments["__user__"]["valves"] = pipe.UserValves(**arguments["__user__"]["valves"])
    to_page = {"__event_call__": call, "__event_emitter__": emit} if given["page"] else {}
    answer = await pipe.pipe(body=given["body"], **to_page, **arguments)
    if isinstance(answer, dict): return say({"whole": answer})
    count = 0
    async for line in answer:
        say({"line": line}); count += 1
        if count == given["stopAfter"]:
            await answer.aclose()
            await asyncio.gather(*pipe.leaving)
            break

asyncio.run(main())
`;

export interface Driven {
  readonly valves?: Record<string, unknown>;
  readonly body?: Record<string, unknown>;
  readonly arguments?: Record<string, unknown>;
  readonly answers?: readonly unknown[];
  readonly version?: string;
  /** A chat, the list of models and what the valves then offer, both lists before a chat, or the defaults of the valves. */
  readonly do?: "pipe" | "pipes" | "pipes and pipe" | "defaults";
  /** The delay before each retry, in seconds. */
  readonly reconnect?: readonly number[];
  /** Simulates a user who presses Stop after this many lines. */
  readonly stopAfter?: number;
  /** False: no page is connected, so Open WebUI passes neither an emitter nor a way to open dialogs. */
  readonly page?: boolean;
  /** The files that Open WebUI has stored, by their ids. */
  readonly stored?: Readonly<Record<string, StoredFile>>;
}

export interface StoredFile {
  readonly user_id: string;
  readonly filename: string;
  readonly path: string;
  readonly meta: { readonly size: number; readonly content_type?: string };
}

export interface PipeValue {
  readonly line?: string;
  readonly dialog?: { readonly type: string; readonly data: unknown };
  readonly emitted?: unknown;
  readonly whole?: unknown;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly styles?: readonly string[];
  readonly pipes?: readonly { readonly id: string; readonly name: string }[];
}

/** The pipe's output when run in Open WebUI's own Python. `onValue` is called for each value. */
export const drivePipe = async (
  python: string,
  driven: Driven,
  onValue?: (value: PipeValue) => void,
): Promise<PipeValue[]> => {
  const child = spawn(python, ["-c", DRIVER], { stdio: ["pipe", "pipe", "pipe"] });
  const all: PipeValue[] = [];
  let errors = "";
  child.stderr.on("data", (piece) => (errors += piece));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const value = JSON.parse(line) as PipeValue;
    all.push(value);
    onValue?.(value);
  });
  const { valves = {}, body = {}, answers = [], version = "0.12.4", reconnect = [0.05, 0.05], stopAfter = 0 } = driven;
  const { page = true, stored = {} } = driven;
  child.stdin.end(
    JSON.stringify({
      file: PIPE,
      do: driven.do ?? "pipe",
      arguments: driven.arguments ?? {},
      valves,
      body: { model: "runcast_pipe.helper", stream: true, messages: [], ...body },
      answers,
      version,
      reconnect,
      stopAfter,
      page,
      stored,
    }),
  );
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`the driver ended with ${code}: ${errors}`);
  return all;
};

export const dataOf = (values: readonly PipeValue[]): unknown[] =>
  values.flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line.slice(5))]));
