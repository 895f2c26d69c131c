import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect } from "react";

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** Receives the element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly className?: string;
  /** Content above the items that scrolls with them. */
  readonly above?: ReactNode;
  /** Shown below the items. */
  readonly below?: ReactNode;
  /** Called when the last item is rendered. */
  readonly onEnd?: () => void;
  /** Receives the range of rendered items whenever it changes. */
  readonly onRange?: (first: number, last: number) => void;
  /** The height of an item in pixels. */
  readonly line: number;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ReactNode;
}

/**
 * A list of items of equal height. Only visible items are in the document. Assistive technology still gets the total.
 */
export const VirtualList = <Item,>(props: VirtualListProps<Item>) => {
  const { label, items, box, className = "", above, below, onEnd, onRange, line, keyOf, children } = props;
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => line,
    overscan: 10,
    getItemKey: (index) => keyOf(items[index]!),
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? -1;
  const isAtEnd = last === items.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, items.length, onEnd]);
  useEffect(() => onRange?.(first, last), [first, last, onRange]);
  return (
    <div ref={box} className={`min-h-0 flex-1 overflow-y-auto ${className}`}>
      {above}
      <div role="list" aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, key, start }) => (
          <div
            key={key}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0"
            style={{ height: line, transform: `translateY(${start}px)` }}
          >
            {children(items[index]!)}
          </div>
        ))}
      </div>
      {below}
    </div>
  );
};
