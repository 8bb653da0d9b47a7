// What all cases are made of: the same command, the same rules.

/** The text that is judged; another one for every number. */
export function textOf(number) {
  return `npm run lint && git log --oneline -n ${number} | head -5`;
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
      : [["npm", "run"], ["git", "log"], ["head"]].map((words) => ({ command: { words, rest: "any" } }));
  return [
    ...some,
    ...deciding.map((pattern) => ({ toolName: "spawn", effect: "allow", scope: "global", pattern })),
  ];
}
