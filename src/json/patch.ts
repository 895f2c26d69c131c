type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** Applies a JSON Patch (RFC 6902) to a copy of a value. Throws on a patch that does not apply. */
export const applyPatch = (value: Json | undefined, patch: Json): Json | undefined => {
  if (!Array.isArray(patch)) throw new Error("a JSON Patch must be a list of operations");
  const holder: { value: Json | undefined } = { value: structuredClone(value) };
  for (const operation of patch as unknown as readonly Operation[]) applyOperation(holder, operation);
  return holder.value;
};

const applyOperation = (holder: { value: Json | undefined }, operation: Operation): void => {
  switch (operation.op) {
    case "add":
      return insert(holder, operation.path, structuredClone(operation.value));
    case "remove":
      take(holder, operation.path);
      return;
    case "replace":
      take(holder, operation.path);
      return insert(holder, operation.path, structuredClone(operation.value));
    case "move":
      return insert(holder, operation.path, take(holder, operation.from ?? ""));
    case "copy":
      return insert(holder, operation.path, structuredClone(look(holder, operation.from ?? "")));
    case "test":
      if (!isSame(look(holder, operation.path), operation.value))
        throw new Error(`the test of ${operation.path} failed`);
      return;
    default:
      throw new Error(`${operation.op} is not a JSON Patch operation`);
  }
};

/** Compares without regard to key order. */
const isSame = (one: Json | undefined, other: Json | undefined): boolean => {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(own(one as Container, key), own(other as Container, key)))
  );
};

const INDEX = /^(?:0|[1-9]\d*)$/;

type Container = Record<string, Json | undefined> | (Json | undefined)[];

const parse = (pointer: string): string[] => {
  if (pointer !== "" && !pointer.startsWith("/")) throw new Error(`${pointer} is not a JSON Pointer`);
  return [
    "value",
    ...pointer
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")),
  ];
};

const find = (holder: { value: Json | undefined }, pointer: string): { container: Container; key: string } => {
  const keys = parse(pointer);
  let container: Container = holder as Container;
  for (const key of keys.slice(0, -1)) {
    const next = own(container, key);
    if (typeof next !== "object" || next === null) throw new Error(`${pointer} does not exist`);
    container = next as Container;
  }
  return { container, key: keys.at(-1)! };
};

const own = (container: Container, key: string): Json | undefined =>
  Object.hasOwn(container, key) ? (container as Record<string, Json | undefined>)[key] : undefined;

const look = (holder: { value: Json | undefined }, pointer: string): Json | undefined => {
  const { container, key } = find(holder, pointer);
  if (!Object.hasOwn(container, key) || (Array.isArray(container) && !INDEX.test(key)))
    throw new Error(`there is nothing at ${pointer}`);
  return own(container, key);
};

const take = (holder: { value: Json | undefined }, pointer: string): Json | undefined => {
  const value = look(holder, pointer);
  const { container, key } = find(holder, pointer);
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
  return value;
};

const insert = (holder: { value: Json | undefined }, pointer: string, value: Json | undefined): void => {
  const { container, key } = find(holder, pointer);
  if (!Array.isArray(container)) {
    // Not an assignment, because "__proto__" must be an ordinary key.
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  const index = key === "-" ? container.length : INDEX.test(key) ? Number(key) : -1;
  if (index < 0 || index > container.length) throw new Error(`${pointer} is outside the list`);
  container.splice(index, 0, value);
};
