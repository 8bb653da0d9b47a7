// Author kit of @basis/hooks for Node: a script that calls `serve` answers in either mode of a hook.
// Standard output belongs to the answers; write whatever else there is to say to standard error.

/**
 * Answers every request with what `decide(request)` returns or resolves to, for example `{ decision: "allow" }`.
 * Started with BASIS_HOOK_MODE=worker, as a hook of mode "worker" is, it answers line after line until its input ends;
 * else it answers once. What `decide` throws ends the process, and its hook has failed.
 */
export async function serve(decide) {
  if (process.env.BASIS_HOOK_MODE !== "worker") {
    let text = "";
    for await (const line of linesOf(process.stdin)) text += line;
    print({ ...(await decide(JSON.parse(text))) });
    return;
  }
  print({ hook_worker: 1 });
  for await (const line of linesOf(process.stdin)) void answer(decide, JSON.parse(line));
}

async function answer(decide, { id, request }) {
  print({ ...(await decide(request)), id });
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Lines end with a line feed alone: U+2028, at which readline cuts as well, may stand in JSON. */
async function* linesOf(stream) {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const [first, ...more] = chunk.split("\n");
    rest += first;
    if (more.length === 0) continue;
    yield* [rest, ...more.slice(0, -1)];
    rest = more.at(-1);
  }
  if (rest !== "") yield rest;
}
