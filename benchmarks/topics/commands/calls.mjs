// What all cases are made of: the same command or the same written file, the same rules.

/** The text that is judged; another one for every number. */
export function textOf(number) {
  return `ls src && git log --oneline -n ${number} | head -5`;
}

/** A call of the spawn tool that runs shell text. */
export function callOf(body) {
  return {
    agentId: "main",
    toolName: "spawn",
    input: { input: `!${body}` },
    preview: { body, cwd: "/repo", mode: "command", target: "local" },
    effect: "command",
    cwd: "/repo",
    sessionId: "s",
  };
}

/** A call that writes a file. */
export function writeCallOf(number) {
  return {
    agentId: "main",
    toolName: "write",
    input: { path: `src/deciding/file-${number}.ts`, text: "export const answer = 42;\n" },
    sessionId: "s",
  };
}

/** Rules by fields for written files: a folder or an ending each, of which every tenth denies; the last one allows the call. */
export function fieldRulesOf({ rules, pieces = false }) {
  const ending = (at) => (pieces ? `*module-${at}.*` : `*/module-${at}.ts`);
  const some = Array.from({ length: rules }, (_, at) => ({
    effect: at % 10 === 0 && rules > 1 ? "deny" : "allow",
    fields: { path: at % 2 === 0 ? `src/module-${at}/*` : ending(at), text: "*" },
  }));
  return [...some, { effect: "allow", fields: { path: "src/deciding/*", text: "*" } }].map(
    ({ effect, fields }) => ({
      ...{ toolName: "write", effect, scope: "session", within: "s" },
      pattern: { fields },
    }),
  );
}

/** Rules that each alone allow the call: a written file by its folder, or a part of the command by its program. */
export function matchingRulesOf({ rules, byWords = false }) {
  const words = [["ls"], ["git", "log"], ["head"]];
  return Array.from({ length: rules }, (_, at) => ({
    ...{ toolName: byWords ? "spawn" : "write", effect: "allow", scope: "session", within: "s" },
    pattern: byWords
      ? { command: { words: words[at % 3], rest: "any" } }
      : { fields: { path: "src/*", text: "*" } },
    reason: `because ${at}`,
  }));
}

/** Rules of which every tenth denies; the last ones allow the call. */
export function rulesOf({ rules, kind = "command" }) {
  const some = Array.from({ length: rules }, (_, at) => ({
    toolName: "spawn",
    effect: at % 10 === 0 && rules > 1 ? "deny" : "allow",
    scope: "session",
    within: "s",
    pattern:
      kind === "exact"
        ? { exact: callOf(`program-${at}`).preview }
        : { command: { words: [`program-${at}`, "sub"] } },
  }));
  const deciding =
    kind === "exact"
      ? [{ exact: callOf(textOf(5)).preview }]
      : [["ls"], ["git", "log"], ["head"]].map((words) => ({ command: { words, rest: "any" } }));
  return [
    ...some,
    ...deciding.map((pattern) => ({ toolName: "spawn", effect: "allow", scope: "global", pattern })),
  ];
}
