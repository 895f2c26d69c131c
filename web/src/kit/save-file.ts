/** Saves a file on the user's device. */
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[/\\:*?"<>|\n]+/g, " ").trim();
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
