export const Markdown = ({ text }: { readonly text: string; readonly done: boolean }) => (
  <div className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</div>
);
