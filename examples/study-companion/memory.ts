import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { type Tool, defineTool, toolResult } from "runcast/tool";

interface Block {
  readonly title: string;
  readonly body: string;
}
type Blocks = Readonly<Record<string, Block>>;

const FIRST: Blocks = {
  student: { title: "Student Profile", body: "## About Me\n\nI'm studying CS..." },
};

/**
 * What the agent knows about its student, in labeled blocks. Reading is free. Every edit needs the student's approval.
 */
export const memoryTools = (workspace: string): Tool[] => {
  const file = path.join(workspace, "memory.json");
  const read = (): Blocks => (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Blocks) : FIRST);
  const write = (blocks: Blocks) => {
    mkdirSync(workspace, { recursive: true });
    writeFileSync(`${file}.new`, `${JSON.stringify(blocks, undefined, 2)}\n`);
    renameSync(`${file}.new`, file);
  };

  const listMemoryBlocks = defineTool({
    name: "list_memory_blocks",
    title: "List memory",
    description: "Lists the label and title of every memory block.",
    input: z.object({}),
    run: () =>
      `[${Object.entries(read())
        .map(([label, { title }]) => `{"label": ${JSON.stringify(label)}, "title": ${JSON.stringify(title)}}`)
        .join(", ")}]`,
  });

  const readMemoryBlock = defineTool({
    name: "read_memory_block",
    title: "Read memory",
    description: "The text of one memory block.",
    input: z.object({ label: z.string() }),
    run({ label }) {
      const blocks = read();
      const block = Object.hasOwn(blocks, label) ? blocks[label] : undefined;
      if (block) return block.body;
      return toolResult(`There is no block ${label}. Available blocks: ${Object.keys(blocks).join(", ")}.`, {
        isError: true,
      });
    },
  });

  const proposeMemoryEdit = defineTool({
    name: "propose_memory_edit",
    title: "Propose a memory edit",
    description: "Proposes a new text for a memory block. The student sees it and allows, edits or denies it.",
    input: z.object({
      label: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, "lowercase letters, digits and -"),
      body: z.string().min(1).max(20_000).describe("The whole new text"),
      title: z.string().optional().describe("For a new block"),
      reason: z.string().describe("Why, in a sentence"),
    }),
    approval: "always",
    async run({ label, body, title }, { file: show }) {
      const blocks = read();
      const before = Object.hasOwn(blocks, label) ? blocks[label] : undefined;
      write({ ...blocks, [label]: { title: title ?? before?.title ?? label, body } });
      const change = before ? "changed" : "created";
      await show({ name: `${label}.md`, mediaType: "text/markdown", bytes: body, change });
      return `The block ${label} was ${change}.`;
    },
  });

  return [listMemoryBlocks, readMemoryBlock, proposeMemoryEdit] as Tool[];
};
