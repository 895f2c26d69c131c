import { mergeConfig } from "vite";
import config from "../vite.config.ts";

export default mergeConfig(config, {
  build: {
    outDir: process.env.HARNESS_DIRECTORY,
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: { main: `${import.meta.dirname}/${process.env.HARNESS}.tsx` } },
  },
});
