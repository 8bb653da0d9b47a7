import { parseArgs } from "node:util";

const usageOf = (topicNames) => `npm run bench -- [--only TOPIC]… [--quick] [--gate] [--repeats N]

  --only TOPIC   one topic (again for more): ${topicNames.join(", ")}
  --quick        few samples, two repeats: shows that everything runs, decides nothing
  --gate         our own and limit cases alone; exits 1 when a ratio's lower bound passes its gate
  --repeats N    child processes per case (default 5)
`;

/** What the command line asks for. Ends the process with 2 when it cannot be read, with 0 after `--help`. */
export function readArguments(argv, topicNames) {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: {
        only: { type: "string", multiple: true, default: [] },
        quick: { type: "boolean", default: false },
        gate: { type: "boolean", default: false },
        repeats: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }));
    const unknown = values.only.find((name) => !topicNames.includes(name));
    if (unknown) throw new Error(`there is no topic "${unknown}"; there are ${topicNames.join(", ")}`);
    if (values.repeats !== undefined && !/^[1-9]\d?$/.test(values.repeats))
      throw new Error("--repeats takes a number from 1 to 99");
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usageOf(topicNames)}`);
    process.exit(2);
  }
  if (values.help) {
    process.stdout.write(usageOf(topicNames));
    process.exit(0);
  }
  const { quick, gate, only } = values;
  return { quick, gate, only, repeats: Number(values.repeats ?? (quick ? 2 : 5)) };
}
