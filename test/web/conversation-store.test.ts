import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import {
  addMessage,
  createConversation,
  endRun,
  renameConversation,
} from "../../web/src/conversations/conversation.ts";
import { exportConversations, importConversations } from "../../web/src/conversations/exchange.ts";
import { createWriteBuffer } from "../../web/src/conversations/write-buffer.ts";
import { type Database, DatabaseError } from "../../web/src/conversations/database.ts";
import { memoryDatabase } from "../../web/src/conversations/databases/memory.ts";
import { createStore, type Store } from "../../web/src/conversations/store.ts";
import { generateLog } from "../generate.ts";

const fill = async (store: Store, id: string, text: string, run = `run-${id}`, log = generateLog(7)): Promise<void> => {
  await store.change(id, () => {
    const at = Number(id.replace(/\D/g, ""));
    const asked = addMessage(createConversation(id, at), {
      id: `${id}-u`,
      at,
      role: "user",
      content: [{ type: "text", text }],
    });
    const answer = { id: `${id}-a`, parent: `${id}-u`, at: at + 1, role: "assistant" as const, run, settings: {} };
    const output = [
      { role: "assistant" as const, content: [{ type: "text" as const, text: `An answer to: ${text}` }] },
    ];
    return endRun(addMessage(asked, answer), run, { outcome: "done", output, at: at + 2 });
  });
  await store.keep(run, log);
};

let ids = 0;
const createId = () => `new-${++ids}`;

describe("the store", () => {
  test("lists the newest first, loads, renames, and finds by title and text", async () => {
    const store = createStore(memoryDatabase());
    await fill(store, "c10", "Where is the lighthouse?");
    await fill(store, "c20", "How deep is the sea?");
    await store.change("c10", (kept) => renameConversation(kept!, "Towers"));
    const { kept } = await store.list();
    expect(kept.map(({ id, title }) => [id, title])).toEqual([
      ["c20", "How deep is the sea?"],
      ["c10", "Towers"],
    ]);
    expect((await store.load("c10"))?.messages.map(({ id }) => id)).toEqual(["c10-u", "c10-a"]);
    expect(
      (await store.search("LIGHTHOUSE")).map(({ conversation, message, excerpt }) => [
        conversation.id,
        message,
        excerpt,
      ]),
    ).toEqual([["c10", "c10-u", ["Where is the ", "lighthouse", "?"]]]);
    expect((await store.search("tower")).map(({ message }) => message)).toEqual([undefined]);
    expect(await store.search("  ")).toEqual([]);
  });

  test("stores each entry once, in whatever pieces two tabs provide them", async () => {
    const log = generateLog(3);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(log.length), fc.nat(log.length)), { maxLength: 8 }), async (pieces) => {
        const store = createStore(memoryDatabase());
        for (const [one, other] of pieces) await store.keep("r", log.slice(Math.min(one, other), Math.max(one, other)));
        const kept = await store.entries("r");
        expect(kept).toEqual(log.slice(0, kept.length));
        await store.keep("r", log);
        expect(await store.entries("r")).toEqual(log);
      }),
      { numRuns: 50 },
    );
  });

  test("rejects entries whose beginning is missing", async () => {
    const store = createStore(memoryDatabase());
    expect(await store.keep("r", generateLog(3).slice(4))).toBe(false);
    expect(await store.entries("r")).toEqual([]);
  });

  test("removes the entries of a run with the last conversation that contains it", async () => {
    const store = createStore(memoryDatabase());
    await fill(store, "c10", "one", "shared");
    await fill(store, "c20", "two", "shared");
    await store.remove("c10");
    expect(await store.load("c10")).toBeUndefined();
    expect(await store.entries("shared")).not.toEqual([]);
    await store.remove("c20");
    expect(await store.entries("shared")).toEqual([]);
  });

  test("a full browser loses nothing while the tab is open, reports it, and stores it when there is room", async () => {
    const memory = memoryDatabase();
    let isFull = false;
    const database: Database = {
      read: memory.read,
      change: (work) => (isFull ? Promise.reject(new DatabaseError("full", "no more room")) : memory.change(work)),
    };
    const troubles: (string | undefined)[] = [];
    const store = createStore(database, (trouble) => troubles.push(trouble?.code));
    await fill(store, "c10", "before");
    isFull = true;
    await store.change("c10", (kept) =>
      addMessage(kept!, {
        id: "late",
        parent: "c10-a",
        at: 50,
        role: "user",
        content: [{ type: "text", text: "late" }],
      }),
    );
    expect(troubles.at(-1)).toBe("full");
    expect((await store.load("c10"))?.messages.map(({ id }) => id)).toEqual(["c10-u", "c10-a", "late"]);
    expect((await store.list()).kept[0]?.updatedAt).toBe(50);
    expect(await createStore(memory).load("c10")).toMatchObject({ messages: [{ id: "c10-u" }, { id: "c10-a" }] });
    isFull = false;
    await store.change("c10", (kept) => renameConversation(kept!, "There is room"));
    expect(troubles.at(-1)).toBeUndefined();
    expect((await createStore(memory).load("c10"))?.messages.map(({ id }) => id)).toEqual(["c10-u", "c10-a", "late"]);
  });
});

describe("the write buffer", () => {
  test("writes in batches, and immediately when the run ends, and keeps what could not be written", async () => {
    const log = generateLog(5);
    const batches: (readonly Entry[])[] = [];
    let fails = true;
    const buffer = createWriteBuffer({
      keep: async (_, entries) => {
        if (fails) throw new DatabaseError("full", "no more room");
        batches.push(entries);
        return true;
      },
      waitMs: 3_600_000,
    });
    for (const entry of log.slice(0, -1)) buffer.add("r", entry);
    await buffer.flush();
    expect(batches).toEqual([]);
    fails = false;
    buffer.add("r", log.at(-1)!);
    await buffer.flush();
    expect(batches).toEqual([log]);
  });
});

describe("export and import", () => {
  const whole = async (): Promise<{ store: Store; text: string }> => {
    const store = createStore(memoryDatabase());
    await fill(store, "c10", "one");
    await fill(store, "c20", "two", "run-c20", generateLog(9));
    return { store, text: await exportConversations(store) };
  };

  test("an export and import to another browser loses nothing", async () => {
    const { store, text } = await whole();
    const other = createStore(memoryDatabase());
    expect(await importConversations(other, text, createId)).toEqual({ added: 2, known: 0 });
    for (const id of ["c10", "c20"]) {
      expect(await other.load(id)).toEqual(await store.load(id));
      expect(await other.entries(`run-${id}`)).toEqual(await store.entries(`run-${id}`));
    }
    expect(JSON.parse(await exportConversations(other))).toEqual(JSON.parse(text));
    expect(JSON.parse(await exportConversations(other, "c10")).conversations).toHaveLength(1);
  });

  test("existing data is unchanged: identical data is ignored, and a different conversation with the same id gets a new one", async () => {
    const { store, text } = await whole();
    expect(await importConversations(store, text, createId)).toEqual({ added: 0, known: 2 });
    await store.change("c10", (kept) => renameConversation(kept!, "Changed"));
    expect(await importConversations(store, text, createId)).toEqual({ added: 1, known: 1 });
    expect((await store.list()).kept.map(({ title }) => title).sort()).toEqual(["Changed", "one", "two"]);
  });

  test("messages that an earlier page stored or exported keep the output of their run", async () => {
    const database = memoryDatabase();
    const before = createStore(database);
    await fill(before, "c10", "one");
    const current = await before.load("c10");
    const earlier = (message: any) => {
      const { output, ...rest } = message;
      return output ? { ...rest, said: output } : message;
    };
    await database.change(async (transaction) => {
      for (const message of current!.messages) transaction.put("messages", ["c10", message.id], earlier(message));
    });
    expect(await createStore(database).load("c10")).toEqual(current);

    const file = JSON.parse(await exportConversations(before));
    file.version = 1;
    file.conversations[0].messages = file.conversations[0].messages.map(earlier);
    const other = createStore(memoryDatabase());
    await importConversations(other, JSON.stringify(file), createId);
    expect(await other.load("c10")).toEqual(current);
  });

  test("a run with the same id and other entries gets a new id", async () => {
    const { text } = await whole();
    const other = createStore(memoryDatabase());
    await fill(other, "c30", "mine", "run-c10", generateLog(11));
    const before = await other.entries("run-c10");
    await importConversations(other, text, createId);
    expect(await other.entries("run-c10")).toEqual(before);
    const answer = (await other.load("c10"))?.messages.find((message) => message.role === "assistant");
    expect(answer?.role === "assistant" && (await other.entries(answer.run))).toEqual(generateLog(7));
  });

  test.each([
    ["text that is not JSON", "{", "this is not JSON"],
    ["another file", "[]", "this is not a conversation file from this page"],
    [
      "a later version",
      `{"format":"runcast-conversations","version":3}`,
      "this file has version 3; this page reads versions 1 and 2",
    ],
  ])("refuses %s, with the reason", async (_, text, message) => {
    await expect(importConversations(createStore(memoryDatabase()), text, createId)).rejects.toThrow(message);
  });

  test.each<[string, (file: any) => void, string]>([
    [
      "a duplicate message",
      (file) => file.conversations[0].messages.push(file.conversations[0].messages[0]),
      "contains the same id twice",
    ],
    ["an unknown parent", (file) => (file.conversations[0].messages[0].parent = "x"), "there is no message x"],
    [
      "a cycle",
      (file) => (file.conversations[0].messages[0].parent = file.conversations[0].messages[1].id),
      "is its own ancestor",
    ],
    ["a gap in a run", (file) => file.runs["run-c10"].splice(2, 1), "runs.run-c10[2].seq must be 3"],
    ["no text", (file) => (file.conversations[1].title = 7), "conversations[1].title must be a string"],
    ["another role", (file) => (file.conversations[0].messages[0].role = "system"), "role must be user or assistant"],
  ])("refuses %s, and changes nothing", async (_, damage, message) => {
    const file = JSON.parse((await whole()).text);
    damage(file);
    const store = createStore(memoryDatabase());
    await expect(importConversations(store, JSON.stringify(file), createId)).rejects.toThrow(message);
    expect((await store.list()).kept).toEqual([]);
  });
});
