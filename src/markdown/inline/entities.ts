export const ENTITY = /&(#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][\da-zA-Z]{1,31});/y;

/** The character that an entity stands for, if it is a common one. */
export const entityOf = (name: string): string | undefined => {
  if (!name.startsWith("#")) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point === 0 || point > 0x10_ff_ff || (point >= 0xd8_00 && point <= 0xdf_ff)
    ? "\uFFFD"
    : String.fromCodePoint(point);
};

const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const NAMED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LATIN.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)])),
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", AMP: "&", LT: "<", GT: ">", QUOT: '"', COPY: "©", REG: "®" },
  ...{
    Alpha: "Α",
    Beta: "Β",
    Gamma: "Γ",
    Delta: "Δ",
    Theta: "Θ",
    Lambda: "Λ",
    Pi: "Π",
    Sigma: "Σ",
    Phi: "Φ",
    Psi: "Ψ",
  },
  ...{ Omega: "Ω", alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ" },
  ...{
    kappa: "κ",
    lambda: "λ",
    mu: "μ",
    nu: "ν",
    xi: "ξ",
    pi: "π",
    rho: "ρ",
    sigma: "σ",
    tau: "τ",
    phi: "φ",
    chi: "χ",
  },
  ...{ psi: "ψ", omega: "ω", ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”" },
  ...{ bdquo: "„", dagger: "†", Dagger: "‡", bull: "•", hellip: "…", permil: "‰", prime: "′", Prime: "″", euro: "€" },
  ...{
    trade: "™",
    larr: "←",
    uarr: "↑",
    rarr: "→",
    darr: "↓",
    harr: "↔",
    lArr: "⇐",
    rArr: "⇒",
    hArr: "⇔",
    forall: "∀",
  },
  ...{ part: "∂", exist: "∃", empty: "∅", nabla: "∇", isin: "∈", notin: "∉", ni: "∋", prod: "∏", sum: "∑", minus: "−" },
  ...{ radic: "√", infin: "∞", ang: "∠", and: "∧", or: "∨", cap: "∩", cup: "∪", int: "∫", sim: "∼", cong: "≅" },
  ...{ asymp: "≈", ne: "≠", equiv: "≡", le: "≤", ge: "≥", sub: "⊂", sup: "⊃", sube: "⊆", supe: "⊇", oplus: "⊕" },
  ...{ perp: "⊥", sdot: "⋅", lang: "⟨", rang: "⟩", loz: "◊", spades: "♠", clubs: "♣", hearts: "♥", diams: "♦" },
  ...{ ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", zwnj: "\u200C", zwj: "\u200D", check: "✓", cross: "✗" },
};
