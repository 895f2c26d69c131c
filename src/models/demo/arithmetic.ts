/** Evaluates an expression of numbers, + - * / % ^ and parentheses. Throws for anything else, naming the unexpected token. */
export const arithmetic = (expression: string): number => {
  const tokens = [...expression.matchAll(/\s*(\d+(?:\.\d+)?|[-+*/%^()]|\S)/g)].map(([, token]) => token ?? "");
  let at = 0;
  const wrong = () => new SyntaxError(`unexpected ${tokens[at] ?? "end"} in ${expression}`);
  const accept = (...wanted: string[]) => (wanted.includes(tokens[at] ?? "") ? tokens[at++] : undefined);

  const atom = (): number => {
    if (accept("-")) return -power();
    if (accept("(")) {
      const value = sum();
      if (!accept(")")) throw wrong();
      return value;
    }
    if (!/^\d/.test(tokens[at] ?? "")) throw wrong();
    return Number(tokens[at++]);
  };
  const power = (): number => {
    const base = atom();
    return accept("^") ? base ** power() : base;
  };
  const product = (): number => {
    let value = power();
    for (let sign = accept("*", "/", "%"); sign; sign = accept("*", "/", "%")) {
      const other = power();
      value = sign === "*" ? value * other : sign === "/" ? value / other : value % other;
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    for (let sign = accept("+", "-"); sign; sign = accept("+", "-")) value += (sign === "+" ? 1 : -1) * product();
    return value;
  };

  const value = sum();
  if (at < tokens.length) throw wrong();
  return value;
};
