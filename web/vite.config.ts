import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const sources = fileURLToPath(new URL("../src/", import.meta.url));

/** Every browser that runs the page takes the first of a font's formats: the older ones would only be shipped. */
const oneFormat: Plugin = {
  name: "one-font-format",
  generateBundle: (_, bundle) => {
    for (const name of Object.keys(bundle)) if (/\.(?:ttf|woff)$/.test(name)) delete bundle[name];
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page also works behind a proxy that puts it under a path.
  base: "./",
  plugins: [react(), tailwindcss(), oneFormat],
  // The package's modules, from this repository's own sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${sources}$1.ts` }] },
  // Fonts and the like as files: the page's policy allows no data urls for them.
  build: { outDir: "../dist/web", emptyOutDir: true, target: "es2023", assetsInlineLimit: 0 },
  worker: { format: "es" },
});
