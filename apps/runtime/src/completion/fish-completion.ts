import type { CompletedCommand, CompletedOption, Expected } from "./completion-spec.ts";

/** A script for fish that completes from the spec alone, with what each word is for. */
export function fishCompletion(spec: readonly CompletedCommand[]): string {
  const known = spec.filter(({ path }) => path.length > 0).map((command) => keyOf(command));
  return `# basis completion for fish. Load it with: basis completion fish | source
function __basis_path
  set -l found ""
  for word in (commandline -opc)[2..]
    contains -- "$found/$word" ${known.join(" ")}; and set found "$found/$word"
  end
  test "$found" = "$argv[1]"
end
function __basis_sessions
  basis sessions list 2>/dev/null | awk 'NR > 1 { print $1 }'
end
complete -c basis -f
${spec.flatMap((command) => linesOf(command)).join("\n")}
`;
}

function keyOf({ path }: CompletedCommand): string {
  return path.map((word) => `/${word}`).join("");
}

function linesOf(command: CompletedCommand): readonly string[] {
  const where = `complete -c basis -n ${quoted(`__basis_path "${keyOf(command)}"`)}`;
  const { verbs, word, options } = command;
  return [
    ...options.map((option) => `${where} ${optionOf(option)}`),
    ...verbs.map(([verb, about]) => `${where} -a ${quoted(verb)} -d ${quoted(about)}`),
    ...(word && word.kind !== "anything" ? [`${where} ${valueOf(word)}`] : []),
  ];
}

function optionOf({ name, about, value }: CompletedOption): string {
  const taken = value === undefined ? "" : ` -r ${valueOf(value)}`.trimEnd();
  return `-l ${name.slice(2)}${taken} -d ${quoted(about)}`;
}

function valueOf(expected: Expected): string {
  switch (expected.kind) {
    case "words":
      return `-f -a ${quoted(expected.words.join(" "))}`;
    case "session":
      return '-f -a "(__basis_sessions)"';
    case "file":
      return "-F";
    case "anything":
      return "-f";
  }
}

/** One word of the shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
