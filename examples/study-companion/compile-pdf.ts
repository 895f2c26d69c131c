import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolContext } from "runcast/tool";

/** Two passes: the first resolves the references. */
const PASSES = 2;

/** Compiles LaTeX to PDF. Returns undefined if there is no compiler. Throws the compiler's error. */
export const compilePdf = async (
  { compiler, name, text }: { readonly compiler: string; readonly name: string; readonly text: string },
  context: ToolContext,
): Promise<Buffer | undefined> => {
  // A separate directory, and a compiler restricted to it, because the notes may contain \input or \openout.
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-latex-"));
  try {
    await writeFile(path.join(directory, name), text);
    for (let pass = 1; pass <= PASSES; pass += 1) {
      context.progress({ fraction: (pass - 1) / PASSES, note: `pass ${pass} of ${PASSES}` });
      const { code, printed } = await run(compiler, name, directory, context);
      if (code === "missing") return undefined;
      if (code !== 0) throw new Error(problemIn(printed) ?? `${compiler} ended with ${code}.`);
    }
    context.progress({ fraction: 1, note: "finished" });
    return await readFile(path.join(directory, name.replace(/\.tex$/, ".pdf")));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const run = (compiler: string, name: string, cwd: string, { output, progress, signal }: ToolContext) =>
  new Promise<{ code: number | string | null; printed: string }>((resolve, reject) => {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(
      compiler,
      ["-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", name],
      { cwd, signal, env: { PATH, HOME, openin_any: "p", openout_any: "p" }, stdio: ["ignore", "pipe", "pipe"] },
    );
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      output(text);
      for (const [, page] of text.matchAll(/\[(\d+)/g)) progress({ note: `page ${page}` });
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => output(text, "stderr"));
    child.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" ? resolve({ code: "missing", printed: "" }) : reject(error),
    );
    child.on("close", (code) => resolve({ code, printed }));
  });

const problemIn = (printed: string): string | undefined => {
  const [found] = /^(?:\.\/)?[^\s:]+:\d+: .*(?:\nl\.\d+ .*)?|^! .*$/m.exec(printed) ?? [];
  return found?.replace(/^\.\//, "");
};
