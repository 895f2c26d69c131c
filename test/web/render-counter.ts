import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Counts how often components render, like React's developer tools. Install it before the page is loaded. A component
 * that rendered has the first of its flags set. Skipped subtrees are shared with the previous tree and not visited.
 */
export const countRenders = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    interface Fiber {
      readonly tag: number;
      readonly flags: number;
      readonly child: Fiber | null;
      readonly sibling: Fiber | null;
      readonly alternate: Fiber | null;
    }
    const COMPONENTS = new Set([0, 1, 11, 14, 15]);
    const counts: number[] = [];
    const count = (fiber: Fiber): number => {
      const before = fiber.alternate;
      let rendered = COMPONENTS.has(fiber.tag) && (fiber.flags & 1) !== 0 ? 1 : 0;
      if (before && before.child === fiber.child) return rendered;
      for (let child = fiber.child; child; child = child.sibling) rendered += count(child);
      return rendered;
    };
    const total = { commits: 0 };
    const add = (rendered: number): void => {
      total.commits++;
      counts.push(rendered);
    };
    Object.assign(window, {
      renders: counts,
      renderTotal: total,
      __REACT_DEVTOOLS_GLOBAL_HOOK__: {
        supportsFiber: true,
        inject: () => 1,
        onCommitFiberRoot: (_: number, root: { readonly current: Fiber }) => add(count(root.current)),
        onCommitFiberUnmount: () => {},
        onPostCommitFiberRoot: () => {},
      },
    });
  });
};

/** Waits until some frames in a row rendered at most a few components, such as clocks. */
export const calmRenders = async (page: Page): Promise<void> => {
  const most = async (): Promise<number> => {
    await takeRenders(page);
    await page.evaluate(async () => {
      for (let frame = 0; frame < 10; frame++) await new Promise(requestAnimationFrame);
    });
    return Math.max(0, ...(await takeRenders(page)));
  };
  await expect.poll(most).toBeLessThan(10);
};

/**
 * The number of components that each commit since the last call rendered. Throws if nothing was ever counted: then the
 * counter does not work, and the numbers would always be small enough.
 */
export const takeRenders = async (page: Page): Promise<number[]> =>
  await page.evaluate(() => {
    const counter = window as unknown as { renders: number[]; renderTotal: { commits: number } };
    if (counter.renderTotal.commits === 0) throw new Error("the counter has counted no render");
    return counter.renders.splice(0);
  });
