/** What the scripted model does in one response. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown; readonly id?: string }[];
  /** The HTTP status of a failure. */
  readonly fails?: number;
  /** Milliseconds between two pieces. */
  readonly gapMs?: number;
}

/** The position in a story: rounds of results so far, the results, and the available tools. */
export interface Place {
  readonly rounds: number;
  readonly results: readonly string[];
  readonly tools: readonly string[];
}

const call = (name: string, input: unknown) => ({ name, input });
const paris = [call("get_weather", { city: "Paris" }), call("get_time", { city: "Paris" })];
const mail = (to: string) => call("send_mail", { to: `${to}@example.com`, subject: "Hi" });
/** Starts a sub-agent with the tool that its framework has for that. */
const helper = ({ tools }: Place, name: string, task: string) =>
  tools.includes("task")
    ? call("task", { subagent_type: name, description: task })
    : call("delegate_task_to_member", { member_id: name, task });
const isDenied = ({ results }: Place): boolean => results.some((one) => /reject|denied|declin|not approved/i.test(one));

/** A text with calls first, then a text after the results. */
const twice =
  (first: Reply | ((place: Place) => Reply), then: string | ((place: Place) => string)) =>
  (place: Place): Reply => {
    if (place.rounds > 0) return { text: typeof then === "string" ? then : then(place) };
    return typeof first === "function" ? first(place) : first;
  };

/** Stories by the capitalized word in the last message that has one. */
export const stories: Readonly<Record<string, (place: Place) => Reply>> = {
  HELLO: () => ({ text: "Hello there, friend." }),
  THINK: () => ({ thinking: "The user wants a thought. I have one.", text: "I thought about it: yes." }),
  TOOLS: twice({ thinking: "I look things up.", text: "Let me look.", calls: paris }, "In Paris it is sunny and noon."),
  FAIL: twice({ text: "Trying.", calls: [call("lookup_order", { order_id: "42" })] }, "The order system is down."),
  BADARGS: twice({ calls: [call("get_weather", { city: 12 })] }, "Those arguments were wrong."),
  UNKNOWN: twice({ text: "I try.", calls: [call("no_such_tool", { a: 1 })] }, "There is no such tool."),
  SAMEIDS: ({ rounds }) =>
    rounds < 2
      ? { calls: [{ ...call("get_time", { city: ["Paris", "Rome"][rounds] }), id: "same" }] }
      : { text: "Noon in both." },
  STATE: twice({ calls: [call("remember", { key: "mood", value: "good" })] }, "Noted."),
  TODOS: ({ rounds }) => {
    const todos = (one: string, other: string) => ({
      calls: [
        call("write_todos", {
          todos: [
            { content: "Look", status: one },
            { content: "Write", status: other },
          ],
        }),
      ],
    });
    if (rounds === 0) return todos("in_progress", "pending");
    if (rounds === 1) return { calls: [call("write_file", { file_path: "/notes.md", content: "# Notes\nsunny\n" })] };
    if (rounds === 2) return todos("completed", "completed");
    return { text: "Noted." };
  },
  DELEGATE: twice(
    (place) => ({ text: "A helper looks.", calls: [helper(place, "researcher", "TOOLS: the weather in Paris")] }),
    "My helper says: sunny.",
  ),
  PAIR: twice(
    (place) => ({
      text: "I ask one helper twice.",
      calls: [
        helper(place, "researcher", "TOOLS: the weather in Paris"),
        helper(place, "researcher", "HELLO: write a greeting"),
      ],
    }),
    "Both are back.",
  ),
  ASKBELOW: twice(
    (place) => ({ text: "A helper will do it.", calls: [helper(place, "researcher", "APPROVE: write to ann")] }),
    "My helper is back.",
  ),
  APPROVE: twice({ text: "I need your approval.", calls: [mail("ann")] }, (place) =>
    isDenied(place) ? "I did not send it." : "The mail is sent.",
  ),
  BOTH: twice({ text: "Two mails and the weather.", calls: [mail("ann"), mail("bob"), paris[0]!] }, (place) =>
    isDenied(place) ? "Some were not sent." : "Both mails are sent.",
  ),
  FORM: twice({ text: "I need a detail.", calls: [call("book_table", { people: 2 })] }, "Your table is booked."),
  EXTERNAL: twice({ text: "Please run this.", calls: [call("show_map", { city: "Paris" })] }, "You see Paris."),
  SLOWTOOL: twice({ text: "This takes a while.", calls: [call("slow_tool", { seconds: 600 })] }, "Done waiting."),
  SLOW: () => ({ text: "A very long answer that keeps going and going. ".repeat(20), gapMs: 20 }),
  BROKEN: () => ({ fails: 400 }),
};
