import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** `<run-view>` with all that it needs in one file: for pages that build nothing, and for runs that are saved as a page. */
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
