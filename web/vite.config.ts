import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const sources = fileURLToPath(new URL("../src/", import.meta.url));

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page also works behind a proxy that puts it under a path.
  base: "./",
  plugins: [react(), tailwindcss()],
  // The published subpaths, from this repository's own sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${sources}$1.ts` }] },
  // Fonts and the like as files: the page's policy allows no data urls for them.
  build: { outDir: "../dist/web", emptyOutDir: true, target: "es2023", assetsInlineLimit: 0 },
  worker: { format: "es" },
});
