import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunRequest } from "runcast/source";
import type { Tool, Toolkit } from "runcast/tool";
import { files } from "runcast/tools/files";

interface Workspace {
  readonly ready: Promise<{ readonly directory: string; readonly tools: readonly Tool[] }>;
  users: number;
}

/**
 * File tools on a directory that lasts as long as the run. All its agents share the files. Other runs cannot see them.
 */
export const runFiles = (parent = tmpdir()): Toolkit => {
  const workspaces = new WeakMap<RunRequest, Workspace>();
  const open = async () => {
    const directory = await mkdtemp(path.join(parent, "runcast-research-"));
    return { directory, tools: files({ workspace: directory }) };
  };
  return {
    async open({ request }) {
      const workspace = workspaces.get(request) ?? { ready: open(), users: 0 };
      workspaces.set(request, workspace);
      workspace.users += 1;
      const { directory, tools } = await workspace.ready;
      return {
        tools: () => tools,
        async close() {
          workspace.users -= 1;
          if (workspace.users > 0) return;
          workspaces.delete(request);
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  };
};
