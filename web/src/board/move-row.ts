/** Moves the focus to the link of the next or previous run. Returns whether there is one. */
export const moveRow = (box: HTMLElement | null, direction: 1 | -1): boolean => {
  const rows = [...(box?.querySelectorAll("[data-row]") ?? [])];
  const top = box?.getBoundingClientRect().top ?? 0;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const inView = rows.findIndex((row) => row.getBoundingClientRect().top >= top);
  const link = rows[at < 0 ? inView : at + direction]?.querySelector("a");
  link?.focus();
  return link !== undefined && link !== null;
};
