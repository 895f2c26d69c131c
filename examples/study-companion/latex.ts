/** The first structural error in a LaTeX file, as a compiler would report it. Undefined if there is none. */
export const latexProblem = (source: string): { readonly line: number; readonly message: string } | undefined => {
  const environments: { readonly name: string; readonly line: number }[] = [];
  const braces: number[] = [];
  let hasDocument = false;
  for (const [index, text] of source.split("\n").entries()) {
    const line = index + 1;
    for (const [token, begun, ended] of text.matchAll(TOKENS)) {
      if (token.startsWith("%")) break;
      if (begun !== undefined) {
        if (begun === "document") hasDocument = true;
        environments.push({ name: begun, line });
      } else if (ended !== undefined) {
        const open = environments.pop();
        if (!open) return { line, message: `LaTeX Error: \\end{${ended}} without \\begin{${ended}}.` };
        if (open.name !== ended)
          return {
            line,
            message: `LaTeX Error: \\begin{${open.name}} on input line ${open.line} ended by \\end{${ended}}.`,
          };
      } else if (token === "{") braces.push(line);
      else if (token === "}" && braces.pop() === undefined) return { line, message: "Too many }'s." };
    }
  }
  const [brace] = braces;
  const [environment] = environments;
  if (brace !== undefined) return { line: brace, message: "Missing } for this {." };
  if (environment)
    return { line: environment.line, message: `LaTeX Error: \\begin{${environment.name}} is never ended.` };
  return hasDocument ? undefined : { line: 1, message: "LaTeX Error: Missing \\begin{document}." };
};

const TOKENS = /\\begin\{([^{}]*)\}|\\end\{([^{}]*)\}|\\.|[{}]|%/g;

/** A plain text version of the notes, section by section. */
export const latexText = (source: string): readonly { readonly heading: string; readonly text: string }[] => {
  const title = /\\title\{([^{}]*)\}/.exec(source)?.[1] ?? "Notes";
  const body = /\\begin\{document\}(.*?)\\end\{document\}/s.exec(source)?.[1] ?? source;
  const [before = "", ...sections] = body.replaceAll(/(?<!\\)%.*/g, "").split(/\\section\*?\{([^{}]*)\}/);
  const parts = [{ heading: title, text: plain(before) }];
  for (let index = 0; index < sections.length; index += 2)
    parts.push({ heading: sections[index] ?? "", text: plain(sections[index + 1] ?? "") });
  return parts;
};

const plain = (text: string): string =>
  text
    .replaceAll(/\\subsection\*?\{([^{}]*)\}/g, "\n$1\n")
    .replaceAll(/\\(?:begin|end)\{[^{}]*\}|\\maketitle/g, "")
    .replaceAll(/^\s*\\item\s*/gm, "- ")
    .replaceAll(/\\[a-zA-Z]+\*?\{([^{}]*)\}/g, "$1")
    .replaceAll("\\\\", "\n")
    .replaceAll(/\\([%&#_{}$])/g, "$1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
