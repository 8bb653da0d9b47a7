// A hook reads one JSON request from standard input and prints one JSON answer.
export async function readRequest() {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  return JSON.parse(text);
}

export function answer(decision) {
  process.stdout.write(JSON.stringify(decision));
}
