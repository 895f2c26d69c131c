/** One promise, and an edit of the sources that breaks it; one of the tests must notice. */
export interface Mutant {
  readonly breaks: string;
  readonly file: string;
  readonly edits: readonly (readonly [find: string, replace: string])[];
  readonly tests: readonly string[];
}

export const mutants: readonly Mutant[] = [
  {
    breaks: "stored before delivered: the log shows entries before they are committed",
    file: "src/logs/sqlite/journal.ts",
    edits: [
      [
        "      extendTail(tail, chunk);\n      tail.info = after;\n    }\n    if (!spill",
        "      void chunk;\n      void tail;\n      void after;\n    }\n    if (!spill",
      ],
      [
        "        tail.promised = after;\n",
        "        tail.promised = after;\n        extendTail(tail, chunk);\n        tail.info = after;\n        queueMicrotask(() => wake(run));\n",
      ],
    ],
    tests: ["test/contracts/log.test.ts", "test/slow/sqlite.test.ts"],
  },
  {
    breaks: "no silent hole: the client goes on after missing entries",
    file: "src/client/run-handle.ts",
    edits: [
      [
        "if (seq !== state.seq + 1) throw new BadFrame(`entry ${id} came after ${state.seq}: those between are missing`);",
        "if (seq !== state.seq + 1) state.seq = seq - 1;",
      ],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "only run-end ends a run: the client takes the end of the stream for it",
    file: "src/client/follower.ts",
    edits: [
      [
        'if (done) return cut("cut", "the stream ended before the run did");',
        'if (done) {\n        options.onEmpty();\n        return cut("cut", "the stream ended");\n      }',
      ],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "a viewer that goes away is let go: the server waits for drain alone",
    file: "src/server/chunked.ts",
    edits: [['    response.on("close", () => this.#close());\n', ""]],
    tests: ["test/stream.test.ts"],
  },
  {
    breaks: "identity is the number: the client drops an entry that looks like the last",
    file: "src/client/run-handle.ts",
    edits: [
      [
        "    const seq = Number(id);\n",
        '    const seq = Number(id);\n    const isAgain = data.replace(/"at":\\d+/, "") === lastData;\n    lastData = data.replace(/"at":\\d+/, "");\n    if (isAgain) {\n      state.seq = seq;\n      return true;\n    }\n',
      ],
      ["  const isFromSnapshot =", '  let lastData = "";\n  const isFromSnapshot ='],
    ],
    tests: ["test/client.test.ts"],
  },
  {
    breaks: "the same frames for everyone: a span is given out while entries of it may still come",
    file: "src/server/releases.ts",
    edits: [["const GRACE_MS = 100;", "const GRACE_MS = -30;"]],
    tests: ["test/slow/window.test.ts"],
  },
  {
    breaks: "a cursor within a span divides it: whoever resumes there gets the whole span again",
    file: "src/server/viewer.ts",
    edits: [["let stop = this.#fed < seq ? seq : 0;", "let stop = 0;"]],
    tests: ["test/slow/window.test.ts"],
  },
  {
    breaks: "a start is never made twice: the id that makes posting again safe is another each time",
    file: "src/sources/http/connection.ts",
    edits: [
      [
        "remote.send(start, connection)",
        "remote.send({ ...start, request: { ...start.request, run: `via-${crypto.randomUUID()}` } }, connection)",
      ],
    ],
    tests: ["test/http-source.test.ts"],
  },
];
