/** The rows of a terminal that got this output. Emulates the few sequences that a screen writes. */
export const terminal = (written: string): string[] => {
  const rows: string[] = [];
  // eslint-disable-next-line no-control-regex
  for (const [, up, words] of written.matchAll(/\x1b\[(?:(\d+)A\r\x1b\[0J|\?\d+[hl])|([^\x1b\n]*)\n/g)) {
    if (up !== undefined) rows.splice(rows.length - Number(up));
    else if (words !== undefined) rows.push(words);
  }
  return rows;
};
