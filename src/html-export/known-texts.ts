/**
 * Finds many texts in a single pass (Aho–Corasick). The time depends on the length of the input, not on the number of
 * texts. The trie is a map and two arrays, because an object per character would take too much memory.
 */
export class KnownTexts {
  /** Child nodes by parent and character. */
  readonly #children = new Map<number, number>();
  /** The length of the text that ends at a node, or 0. */
  readonly #lengths: number[] = [0];
  /** The node of the longest proper suffix. */
  #fallbacks: number[] | undefined;

  /** The number of nodes: the characters of all texts, with shared prefixes counted once. */
  get size(): number {
    return this.#lengths.length;
  }

  add(text: string): void {
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const key = keyOf(node, text.charCodeAt(index));
      let child = this.#children.get(key);
      if (child === undefined) {
        child = this.#lengths.push(0) - 1;
        this.#children.set(key, child);
      }
      node = child;
    }
    this.#lengths[node] = text.length;
    this.#fallbacks = undefined;
  }

  /** Finds the known texts: the longest one at each end position. */
  *find(text: string): Generator<{ readonly start: number; readonly end: number }> {
    if (this.#lengths.length === 1) return;
    const fallbacks = (this.#fallbacks ??= this.#link());
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const character = text.charCodeAt(index);
      let child = this.#children.get(keyOf(node, character));
      while (child === undefined && node !== 0) {
        node = fallbacks[node]!;
        child = this.#children.get(keyOf(node, character));
      }
      node = child ?? 0;
      const length = this.#lengths[node]!;
      if (length > 0) yield { start: index + 1 - length, end: index + 1 };
    }
  }

  /** Breadth first: the suffix of a node is always shorter, so it is already linked. */
  #link(): number[] {
    const fallbacks = Array.from<number>({ length: this.#lengths.length }).fill(0);
    // Texts are added in any order, so sort the nodes by depth first.
    const byDepth = [...this.#children].map(([key, child]) => ({ parent: Math.floor(key / 65_536), key, child }));
    const depths = Array.from<number>({ length: this.#lengths.length }).fill(0);
    // A child's number is always higher than its parent's, so the parent's depth is already known.
    for (const { parent, child } of byDepth) depths[child] = depths[parent]! + 1;
    byDepth.sort((one, other) => depths[one.child]! - depths[other.child]!);
    for (const { parent, key, child } of byDepth) {
      if (parent === 0) continue;
      const character = key % 65_536;
      let suffix = fallbacks[parent]!;
      let next = this.#children.get(keyOf(suffix, character));
      while (next === undefined && suffix !== 0) {
        suffix = fallbacks[suffix]!;
        next = this.#children.get(keyOf(suffix, character));
      }
      fallbacks[child] = next ?? 0;
      // A known text that is a suffix of this node also ends here.
      if (this.#lengths[child] === 0) this.#lengths[child] = this.#lengths[fallbacks[child]!]!;
    }
    return fallbacks;
  }
}

const keyOf = (node: number, character: number): number => node * 65_536 + character;
