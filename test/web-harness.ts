import path from "node:path";
import { build } from "vite";

/** One of the pages in web/harness as a document that needs nothing else: scripts and sheet in line. */
export const harness = async (name: string): Promise<string> => {
  const root = path.join(import.meta.dirname, "../web");
  const built = await build({
    root,
    configFile: path.join(root, "vite.config.ts"),
    logLevel: "error",
    build: {
      write: false,
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: { input: path.join(root, "harness", `${name}.tsx`), output: { codeSplitting: false } },
    },
  });
  const [{ output }] = [built].flat() as { output: readonly Output[] }[];
  const code = output.flatMap((file) => (file.type === "chunk" ? [file.code] : [])).join("\n");
  const style = output.flatMap((file) =>
    file.type === "asset" && file.fileName.endsWith(".css") ? [file.source] : [],
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runs</title><link rel="icon" href="data:,"><style>${style.join("\n")}</style></head>
<body><div id="root"></div><script type="module">${code.replaceAll("</script", "<\\/script")}</script></body></html>`;
};

type Output = { type: "chunk"; code: string } | { type: "asset"; fileName: string; source: string | Uint8Array };
