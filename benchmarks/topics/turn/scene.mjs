// What every host plays: a prompt, one call of one tool, an answer. The model answers at once.

export const PROMPT = "What does the server listen on?";
export const SYSTEM = "You are an agent that works in a repository through tools.";
export const ANSWER = "It listens on port 8080.";
export const FILE = "export const port = 8080;\n";
export const INPUT = { path: "src/server/index.ts", from: 1, lines: 200 };
export const INPUT_JSON = JSON.stringify(INPUT);
export const USAGE = { input: 420, output: 30 };
export const TOOL = {
  name: "read_file",
  description: "Reads a text file of the workspace, whole or by lines.",
};

/** The tool's schema, for hosts that take JSON Schema. */
export const INPUT_SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string" },
    from: { type: "integer", minimum: 1 },
    lines: { type: "integer", minimum: 1, maximum: 5000 },
  },
  required: ["path"],
  additionalProperties: false,
};

/** A guard's verdict. */
export function isAllowed({ path }) {
  return path !== "/etc/passwd";
}

/**
 * A case from a host: `prepare()` opens a conversation, untimed; `turn(conversation)` plays the scene and answers the text.
 * `renew()`, also untimed, lets go of what earlier samples left behind. The first turn must end as written, having run
 * the tool once.
 */
export async function subjectOf({ prepare, turn, calls, renew, close }) {
  const before = calls();
  const text = await turn(await prepare());
  if (text !== ANSWER || calls() !== before + 1) {
    throw new Error(`the turn ended with ${JSON.stringify(text)} after ${calls() - before} calls`);
  }
  let waiting = [];
  return {
    async ready(count) {
      waiting = [];
      await renew?.();
      for (let at = 0; at < count; at += 1) waiting.push(await prepare());
    },
    async run(count) {
      for (let at = 0; at < count; at += 1) await turn(waiting[at]);
    },
    close,
  };
}
