import type { LanguageInput } from "shiki/core";

type Load = () => Promise<{ default: LanguageInput }>;

/** The highlighted languages. Each is a separate file, loaded on first use. */
const LANGUAGES: Readonly<Record<string, Load>> = {
  c: () => import("shiki/langs/c.mjs"),
  clojure: () => import("shiki/langs/clojure.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  dart: () => import("shiki/langs/dart.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  elixir: () => import("shiki/langs/elixir.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  haskell: () => import("shiki/langs/haskell.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsonc: () => import("shiki/langs/jsonc.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  julia: () => import("shiki/langs/julia.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  latex: () => import("shiki/langs/latex.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  nginx: () => import("shiki/langs/nginx.mjs"),
  perl: () => import("shiki/langs/perl.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  r: () => import("shiki/langs/r.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scala: () => import("shiki/langs/scala.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  svelte: () => import("shiki/langs/svelte.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  terraform: () => import("shiki/langs/terraform.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  vue: () => import("shiki/langs/vue.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  zig: () => import("shiki/langs/zig.mjs"),
};

const SHORT: Readonly<Record<string, string>> = {
  ...{ "c#": "csharp", "c++": "cpp", bash: "shellscript", clj: "clojure", cs: "csharp", dockerfile: "docker" },
  ...{ ex: "elixir", golang: "go", gql: "graphql", h: "c", hcl: "terraform", hs: "haskell", htm: "html", jl: "julia" },
  ...{
    js: "javascript",
    json5: "jsonc",
    jsonl: "json",
    kt: "kotlin",
    makefile: "make",
    md: "markdown",
    mjs: "javascript",
  },
  ...{ patch: "diff", pl: "perl", protobuf: "proto", ps1: "powershell", py: "python", py3: "python", rb: "ruby" },
  ...{
    rs: "rust",
    sh: "shellscript",
    shell: "shellscript",
    svg: "xml",
    tex: "latex",
    tf: "terraform",
    ts: "typescript",
  },
  ...{ yml: "yaml", zsh: "shellscript", console: "shellscript" },
};

/** The canonical name of a fence's language, if it is supported. */
export const languageOf = (mark: string): string | undefined => {
  const name = mark.toLowerCase().replaceAll(/[{}.]/g, "");
  const full = Object.hasOwn(SHORT, name) ? SHORT[name]! : name;
  return Object.hasOwn(LANGUAGES, full) ? full : undefined;
};

export const loadLanguage = async (name: string): Promise<LanguageInput> => (await LANGUAGES[name]!()).default;
