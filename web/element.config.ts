import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** Builds `<run-view>` as one file, for pages without a build step and for runs saved as HTML. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: "../dist/web",
    emptyOutDir: false,
    target: "es2023",
    lib: {
      entry: fileURLToPath(new URL("../src/element.ts", import.meta.url)),
      formats: ["es"],
      fileName: () => "element.js",
    },
  },
});
