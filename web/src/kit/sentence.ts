/** The server's words begin small, as they go on from a name. */
export const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
};
