import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const sources = fileURLToPath(new URL("../src/", import.meta.url));

/** Drops the older font formats. Every browser that can run the page uses the first one, WOFF2. */
const oneFormat: Plugin = {
  name: "one-font-format",
  generateBundle: (_, bundle) => {
    for (const name of Object.keys(bundle)) if (/\.(?:ttf|woff)$/.test(name)) delete bundle[name];
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the page also works under a subpath behind a proxy.
  base: "./",
  plugins: [react(), tailwindcss(), oneFormat],
  // Resolves the package's modules to this repository's sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${sources}$1.ts` }] },
  // Never inline assets such as fonts: the page's policy forbids `data:` URLs for them.
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    // What the page needs at first is one file, which loads faster and compresses better than many.
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", tags: ["$initial"] }] } } },
  },
  worker: { format: "es" },
});
