import { ANSWER, FILE, INPUT_JSON, isAllowed, PROMPT, subjectOf, SYSTEM, TOOL } from "./scene.mjs";

/** The limit: a provider loop by hand. It parses the arguments and asks one guard; nothing is validated, approved or kept. */
export function open() {
  let calls = 0;
  const tools = new Map([[TOOL.name, async () => ((calls += 1), FILE)]]);
  const complete = async (messages) =>
    messages.at(-1).role === "user"
      ? { role: "assistant", content: "", calls: [{ id: "call-1", name: TOOL.name, input: INPUT_JSON }] }
      : { role: "assistant", content: ANSWER, calls: [] };
  const turn = async (messages) => {
    messages.push({ role: "user", content: PROMPT });
    for (;;) {
      const answer = await complete(messages);
      messages.push(answer);
      if (answer.calls.length === 0) return answer.content;
      for (const { id, name, input } of answer.calls) {
        const parsed = JSON.parse(input);
        const content = isAllowed(parsed) ? await tools.get(name)(parsed) : "denied";
        messages.push({ role: "tool", id, content });
      }
    }
  };
  const prepare = () => [{ role: "system", content: SYSTEM }];
  return subjectOf({ prepare, turn, calls: () => calls });
}
