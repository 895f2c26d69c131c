import { visibleText } from "../visible-text.ts";

export const MathView = ({ text, display }: { readonly text: string; readonly display: boolean }) =>
  display ? <div className="md-math">{visibleText(text)}</div> : <code>{visibleText(text)}</code>;
